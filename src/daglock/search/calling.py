"""How a search calls what chooses the parents of a node, whatever the criterion is.

A kernel is compiled together with all that it calls. So what chooses parents, the largest part by
far, would be compiled again with every kernel that asks for it, and every kernel again for every
criterion. Here the two are apart: what chooses parents is compiled by itself, and kernels know
nothing but two addresses, of that function and of what it works on, which was written down as it
lies in memory (`seal`).

Numba counts who uses an array, at every call and for every array that is handed over. Arrays of a
kernel belong to whoever called it from Python, and to nobody else (`lend`): nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from numba import cfunc, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from daglock._compiling import kept_if_possible, kernel

T = TypeVar("T")

# What Numba's guide to low-level extensions uses, and has no types for.
cgutils: Any = import_module("numba.core.cgutils")
typeof: Any = import_module("numba").typeof
IS_PLAIN: bool = import_module("numba").config.DISABLE_JIT
# A function whose code is generated: it is told what to generate it for, and called without.
_generated: Callable[[Callable[..., Any]], Any] = intrinsic
_SIGNATURE = types.float64(types.intp, types.intp)


def _is_tuple(kind: Any) -> bool:
    return isinstance(kind, types.BaseTuple)


def _lent(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """Generate code for a value whose arrays, however deep in tuples, own nothing."""
    if _is_tuple(kind):
        for k, own in enumerate(kind):
            part = _lent(context, builder, own, builder.extract_value(value, k))
            value = builder.insert_value(value, part, k)
    elif isinstance(kind, types.Array):
        array = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        array.parent = cgutils.get_null_value(array.parent.type)
        value = array._getvalue()
    return value


@_generated
def _lend(typing: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _lent(context, builder, value, args[0])

    return value(value), generate


@_generated
def _store(typing: Any, value: Any, address: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[0], builder.inttoptr(args[1], args[0].type.as_pointer()))
        return context.get_dummy_value()

    return types.void(value, types.intp), generate


@_generated
def _load(typing: Any, kind: Any, address: Any) -> Any:
    if not isinstance(kind, types.StringLiteral):
        return None
    own = _types[kind.literal_value]

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.inttoptr(args[1], context.get_value_type(own).as_pointer())
        return _lent(context, builder, own, builder.load(place))

    return own(kind, types.intp), generate


@_generated
def _call(typing: Any, function: Any, sealed: Any, u: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = cgutils.create_struct_proxy(sealed)(context, builder, value=args[1])
        place = builder.ptrtoint(array.data, args[0].type)
        result = context.get_value_type(types.float64)
        kind = cgutils.ir.FunctionType(result, [place.type, args[2].type])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), [place, args[2]])

    return types.float64(types.intp, sealed, types.intp), generate


def _same(value: T) -> T:
    return value


def _plain_call(function: Any, sealed: Any, u: int) -> float:
    return float(function(sealed, u))


# Return the same arrays, of which nobody counts who uses them; in tuples, too.
lend: Any = _same if IS_PLAIN else _lend
# Call a function that was compiled by itself, for node u.
call: Any = _plain_call if IS_PLAIN else _call


@kernel
def _write(value: Any, place: NDArray[np.int64]) -> None:
    _store(value, place.ctypes.data)


def _words(kind: Any) -> int:
    """Words of memory that a value takes at the most: an array five, and two for each dimension."""
    if _is_tuple(kind):
        return sum(map(_words, kind))
    return 5 + 2 * kind.ndim if isinstance(kind, types.Array) else 1


def seal(settle: Callable[..., float], spec: Any, work: Any, out: Any) -> tuple[Any, Any]:
    """Return what `call` takes, so that it does ``settle(spec, work, u, out)``.

    Whoever calls keeps alive what is sealed.
    """
    if IS_PLAIN:
        return lambda sealed, u: settle(*sealed[:2], u, sealed[2]), (spec, work, out)
    value = spec, work, out
    shape = _shape_of(value)
    kind = _kinds.get(shape) or _kinds.setdefault(shape, typeof(value))
    function, words = _compiled(settle, kind)
    place = np.empty(words, dtype=np.int64)
    _write(value, place)
    return function.address, place


# Numba's types of what was sealed, which take it a millisecond to find; and by their names.
_kinds: dict[Any, Any] = {}
_types: dict[str, Any] = {}


def _shape_of(value: Any) -> Any:
    """Return what the type of a value hangs on: values of one shape have one type."""
    if isinstance(value, tuple):
        return type(value), *map(_shape_of, value)
    if isinstance(value, np.ndarray):
        flags = value.flags
        laid = flags.c_contiguous, flags.f_contiguous, flags.aligned, flags.writeable
        return value.dtype, value.ndim, laid
    return type(value)


@lru_cache
def _compiled(settle: Callable[..., float], kind: Any) -> tuple[Any, int]:
    """Compile a function for what it is given, or find it compiled; the words that this takes.

    What was compiled in another process is found by what the function holds: so the name of the
    type, for a type itself is written down in another way by every process.
    """
    name = str(kind)
    _types[name] = kind

    def settle_sealed(sealed: int, u: int) -> float:
        spec, work, out = _load(name, sealed)
        return settle(spec, work, u, out)

    way = partial(cfunc, _SIGNATURE, error_model="numpy")
    return kept_if_possible(way(cache=True), way(), settle_sealed), _words(kind)
