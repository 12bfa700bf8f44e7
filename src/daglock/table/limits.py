"""How large a file may be that is read, so that a mistake or a trap does not take all memory.

What is too large is refused before memory is taken for it, in a sentence that names the option that
raises the limit. By default 4 GiB (2**32 bytes) unpacked, 100,000 columns, and 131,072 characters
in a cell; and what is packed may unpack to a hundred times its size, or to 64 MiB where that is
more.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

from daglock.errors import InvalidDataError, InvalidParameterError
from daglock.wording import size_text

_USUAL_SIZE = 1 << 32
# Text and numbers pack to a tenth or so, what is made to fill a memory to a thousandth.
_TIMES = 100
_LITTLE = 64 << 20


@dataclass(frozen=True)
class Limits:
    """What a file may have at most.

    Attributes
    ----------
    size : bytes, unpacked; None for 4 GiB, and for what is packed no more than 100 times its size.
    columns : in a text file.
    cell : characters in a cell of text.
    """

    size: int | None = None
    columns: int = 100_000
    cell: int = 131_072

    def __post_init__(self) -> None:
        for name in ("size", "columns", "cell"):
            value = getattr(self, name)
            if name == "size" and value is None:
                continue
            if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 1:
                raise InvalidParameterError(
                    f"max_{name} must be a whole number >= 1; got {value!r}."
                )

    @property
    def bytes(self) -> int:
        """Most bytes of a file that is not packed."""
        return _USUAL_SIZE if self.size is None else self.size

    def unpacked(self, packed: int) -> int:
        """Most bytes of what is unpacked from so many.

        Examples
        --------
        >>> Limits().unpacked(10**6), Limits(size=10**9).unpacked(10**6)
        (100000000, 1000000000)
        """
        if self.size is not None:
            return self.size
        return min(self.bytes, max(_LITTLE, _TIMES * packed))

    def require_size(self, label: str, size: int) -> None:
        """Raise the error about a file, or what it unpacks to, that is too large."""
        if size > self.bytes:
            raise too_large_error(label, f"has {size_text(size)}", self.bytes, size)


USUAL = Limits()


def too_large_error(
    label: str, what: str, most: int, needed: int | None = None
) -> InvalidDataError:
    """Build the error about what is larger than it may be."""
    wanted = "SIZE" if needed is None else f"{-(-needed // 10**6)}M"
    return InvalidDataError(
        f"{label} {what}, and no more than {size_text(most)} are read: if that is meant, give "
        f"--max-size {wanted} (max_size in Python)."
    )
