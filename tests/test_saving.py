"""Models as files: all comes back, nothing half-written is left, changed files are refused."""

from __future__ import annotations

import json
import tracemalloc
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import daglock
from daglock import DAGLock, Knowledge
from daglock.errors import InvalidDataError
from daglock.estimator.form import ARRAYS
from daglock.estimator.sealing import checksum, from_list
from daglock.simulate import erdos_renyi, linear_sem


@cache
def table() -> pd.DataFrame:
    X = linear_sem(erdos_renyi(6, 8, rng=0), 300, noise_variances=np.arange(1.0, 7.0), rng=1)
    return pd.DataFrame(X, columns=["ä", "b c", '"', "d", "e", "f"])


@cache
def model() -> DAGLock:
    known = Knowledge(tiers=[["ä"], ["d", "e"]])
    return DAGLock("unequal", knowledge=known, random_state=3, start=np.arange(6)).fit(table())


@pytest.mark.parametrize("name", ["model.json", "model.npz", "model"])
def test_everything_comes_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    model().save(path)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    back = daglock.load(path)
    for attribute in ("weights_", "adjacency_matrix_", "cpdag_", "edges_"):
        pd.testing.assert_frame_equal(getattr(back, attribute), getattr(model(), attribute))
    assert back.names_ == model().names_
    assert back.get_params()["knowledge"] == model().knowledge
    np.testing.assert_array_equal(back.get_params()["start"], np.arange(6))
    assert back.get_params()["random_state"] == 3
    assert str(back.certificate_) == str(model().certificate_)
    assert back.certificate_.verify(model().moments_)
    assert str(back.trace_) == str(model().trace_)
    assert back.status_ is model().status_
    assert back.message_ == model().message_
    assert back.learned_.scores == model().learned_.scores
    assert back.score(table()) == model().score(table())
    np.testing.assert_array_equal(back.moments_.cov, model().moments_.cov)
    np.testing.assert_array_equal(back.noise_variances_, model().noise_variances_)
    pd.testing.assert_frame_equal(back.sample(4, rng=0), model().sample(4, rng=0))
    pd.testing.assert_frame_equal(
        back.bootstrap(3, X=table(), rng=0).directed(), model().bootstrap(3, rng=0).directed()
    )


@pytest.mark.parametrize("name", ["model.json", "model.npz"])
def test_the_resolution_comes_back(tmp_path: Path, name: str) -> None:
    fitted = DAGLock("unequal", n_restarts=0).fit(table().round(2))
    fitted.save(tmp_path / name)
    back = daglock.load(tmp_path / name)
    np.testing.assert_allclose(back.moments_.resolution, 0.01, rtol=1e-6)


@pytest.mark.parametrize(("version", "said"), [(1, "fit it again"), (99, "newer")])
def test_files_of_other_versions_are_refused(tmp_path: Path, version: int, said: str) -> None:
    DAGLock("unequal", n_restarts=0).fit(table()).save(tmp_path / "model.json")
    record = json.loads((tmp_path / "model.json").read_text())
    (tmp_path / "model.json").write_text(json.dumps({**record, "version": version}))
    with pytest.raises(InvalidDataError, match=said):
        daglock.load(tmp_path / "model.json")


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_the_trace_of_the_continuous_stage_comes_back(tmp_path: Path, ending: str) -> None:
    X = linear_sem(erdos_renyi(20, 20, rng=0), 300, rng=1)
    plain = DAGLock("unequal", random_state=0).fit(X)
    plain.save(tmp_path / f"m.{ending}")
    back = daglock.load(tmp_path / f"m.{ending}")
    assert back.decisions_ == plain.decisions_
    assert isinstance(back.weights_, np.ndarray)
    assert len(plain.trace_.mu)
    assert back.trace_.identification_iteration == plain.trace_.identification_iteration
    for name in ("mu", "objective", "n_nonzero", "fingerprint"):
        values = getattr(back.trace_, name)
        np.testing.assert_array_equal(values, getattr(plain.trace_, name))
        assert values.dtype == getattr(plain.trace_, name).dtype


def test_polars_comes_back_as_polars(tmp_path: Path) -> None:
    DAGLock("unequal", n_restarts=0).fit(pl.from_pandas(table())).save(tmp_path / "m.npz")
    assert isinstance(daglock.load(tmp_path / "m.npz").weights_, pl.DataFrame)


def test_generators_are_not_kept(tmp_path: Path) -> None:
    random = DAGLock("equal", random_state=np.random.default_rng(0), n_restarts=0).fit(table())
    random.save(tmp_path / "m.json")
    assert daglock.load(tmp_path / "m.json").random_state is None


def test_a_failed_save_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.npz"
    model().save(path)
    before = path.read_bytes()

    def fail(*arguments: Any, **options: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "savez_compressed", fail)
    with pytest.raises(KeyboardInterrupt):
        model().save(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["model.npz"]


def signed(content: dict[str, Any]) -> str:
    """A file with a checksum that is right, whatever was changed."""
    record = {name: value for name, value in content.items() if name != "arrays"}
    arrays = {name: from_list(name, values) for name, values in content["arrays"].items()}
    return json.dumps({**content, "checksum": checksum(record, arrays)})


def change(content: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with another value at a place such as certificate.optimal."""
    content = json.loads(json.dumps(content))
    *parts, last = path.split(".")
    holder = content
    for part in parts:
        holder = holder[part]
    assert json.dumps(holder[last]) != json.dumps(value)
    holder[last] = value
    return content


CHANGES = {
    "names": ["b c", "ä", '"', "d", "e", "f"],
    "n": 30_000,
    "n_rows": 30_000,
    "n_dropped": 5,
    "cautions": ["All is well."],
    "message": "",
    "status": "time limit",
    "left_out": {"z": "date"},
    "missing_share": 0.5,
    "certificate.optimal": False,
    "certificate.locally_optimal": False,
    "certificate.score": -1e9,
    "decisions.exact": False,
    "decisions.noise": "equal",
    "settings.noise": "equal",
    "columns.has_names": False,
    "arrays.noise_variances": [-1.0] * 6,
    "arrays.oriented": [],
    "daglock": "0.0.1",
}


@pytest.mark.parametrize("place", CHANGES)
def test_whatever_is_changed_is_refused(place: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model().save(path)
    content = change(json.loads(path.read_text()), place, CHANGES[place])
    path.write_text(json.dumps(content))
    with pytest.raises(InvalidDataError, match="was changed") as caught:
        daglock.load(path)
    assert "\n" not in str(caught.value)


ODD: dict[str, Any] = {
    "names": ["ä", "ä", '"', "d", "e", "f"],
    "n": True,
    "cautions": "none",
    "status": "splendid",
    "certificate.optimal": 1,
    "certificate.score": None,
    "decisions.price": -1.0,
    "settings.colour": "red",
    "columns.kinds": [{}],
    "scores": {"unequal": "low"},
    "arrays.noise_variances": [-1.0] * 6,
    "arrays.weight": ["1"],
    "arrays.order": [0, 1, 2],
    "arrays.source": [1e3],
    "arrays.more": [1.0],
    "kept": "Tensors",
}


@pytest.mark.parametrize("place", ODD)
def test_what_no_model_holds_is_refused_whatever_its_checksum(place: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model().save(path)
    content = json.loads(path.read_text())
    if place not in ("settings.colour", "arrays.more"):
        content = change(content, place, ODD[place])
    else:
        part, name = place.split(".")
        content[part][name] = ODD[place]
    try:
        path.write_text(signed(content))
    except (ValueError, KeyError):  # an array that cannot even be summed up
        path.write_text(json.dumps(content))
    with pytest.raises(
        InvalidDataError, match=r"is not as it was saved|contradicts itself|there is not"
    ):
        daglock.load(path)


def test_json_and_npz_have_one_checksum(tmp_path: Path) -> None:
    model().save(tmp_path / "m.json")
    model().save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as archive:
        record = json.loads(str(archive["record"]))
    assert record["checksum"] == json.loads((tmp_path / "m.json").read_text())["checksum"]


def test_an_archive_that_claims_much_is_not_unpacked(tmp_path: Path) -> None:
    model().save(tmp_path / "m.npz")
    with np.load(tmp_path / "m.npz") as archive:
        arrays = dict(archive)
    path = tmp_path / "bomb.npz"
    np.savez_compressed(path, **{**arrays, "cov": np.zeros((7000, 7000))})
    tracemalloc.start()
    with pytest.raises(InvalidDataError, match="would unpack to 392 MB, which no model"):
        daglock.load(path)
    with pytest.raises(InvalidDataError, match="its part 'cov' is not as it was saved"):
        daglock.load(path, max_size=400_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_header_that_lies_is_not_believed(tmp_path: Path) -> None:
    model().save(tmp_path / "m.npz")
    path = tmp_path / "lie.npz"
    with zipfile.ZipFile(tmp_path / "m.npz") as archive, zipfile.ZipFile(path, "w") as lie:
        for name in archive.namelist():
            raw = archive.read(name)
            if name == "cov.npy":
                raw = raw.replace(b"(6, 6)", b"(9**9,", 1)
            lie.writestr(name, raw)
    with pytest.raises(InvalidDataError, match=r"not a model|not as it was saved"):
        daglock.load(path)


def test_a_device_is_no_model() -> None:
    with pytest.raises(InvalidDataError, match="/dev/zero is not a file"):
        daglock.load("/dev/zero")


def test_a_changed_graph_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    model().save(path)
    whole = json.loads(path.read_text())
    for change in ("weight", "cov"):
        content = json.loads(json.dumps(whole))
        cells = content["arrays"][change]
        cells[0] = cells[0] + 0.1 if change == "weight" else [2 * cell for cell in cells[0]]
        path.write_text(json.dumps(content))
        with pytest.raises(InvalidDataError, match="does not agree with its checksum"):
            daglock.load(path)
        path.write_text(signed(content))
        with pytest.raises(InvalidDataError, match=r"was changed|contradicts itself"):
            daglock.load(path)
    content = json.loads(json.dumps(whole))
    content["arrays"]["order"].reverse()
    path.write_text(signed(content))
    with pytest.raises(InvalidDataError, match="not the one that its certificate is about"):
        daglock.load(path)
    content = json.loads(json.dumps(whole))
    del content["arrays"]["source"]
    path.write_text(json.dumps(content))
    with pytest.raises(InvalidDataError, match="does not agree with its checksum"):
        daglock.load(path)
    path.write_text(signed(content))
    with pytest.raises(InvalidDataError, match="contradicts itself"):
        daglock.load(path)
    path.write_text(json.dumps({**whole, "version": 99, "daglock": "9.0"}))
    with pytest.raises(InvalidDataError, match=r"daglock 9\.0, which is newer"):
        daglock.load(path)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"a,b\n1,2\n", b"PK\x05\x06" + b"\0" * 18])
def test_other_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(InvalidDataError, match="is not a model that daglock saved"):
        daglock.load(tmp_path / "m")


def test_pickles_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "m.npz", record=np.array([{"format": "daglock model"}], dtype=object))
    with pytest.raises(InvalidDataError, match="is not a model that daglock saved"):
        daglock.load(tmp_path / "m.npz")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match="gone cannot be read: No such file"):
        daglock.load(tmp_path / "gone")


def test_a_folder_stands_for_the_model_in_it(tmp_path: Path) -> None:
    model().save(tmp_path / "model.npz")
    assert daglock.load(tmp_path).weights_.equals(model().weights_)


def test_the_seal_is_over_every_array() -> None:
    arrays = {name: np.zeros(2, dtype=form[0]) for name, form in ARRAYS.items()}
    sealed = checksum({}, arrays)
    for name, array in arrays.items():
        assert checksum({}, {**arrays, name: np.ones_like(array)}) != sealed, name
