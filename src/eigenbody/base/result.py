"""What every result can do: print itself, draw itself, become plain data, arrays and files.

A result names the module of its looks, which is imported when something is asked of it. Of these functions the module
has those that make sense; `sheet` always, and `document` or `arrays` for all but what is only shown:

    sheet(result)     Sheet: what it prints, on a terminal, as text and in a notebook
    document(result)  the JSON document, in full precision; by default the arrays
    arrays(result)    arrays by name, and names in tuples: .npz and .mat
    axes(result)      what the arrays lie over, and their units: Dataset of xarray
    records(result)   lines of a table in full precision, the first with its titles: .csv
    plot(result)      the picture
    FILES             writers of further endings: {"tex": function of the result and the path}
    ENDINGS           endings of files, where not all are wanted
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from eigenbody.base.copies import LeanCopies

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame
    from xarray import Dataset

    from eigenbody.present.tables import Sheet


class Shown(LeanCopies):
    """Prints itself as a table."""

    __slots__ = ()
    look: ClassVar[Any]

    def __init_subclass__(cls, look: str = "", **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if look:
            cls.look = _Look(look)

    def sheet(self, *choices: Any) -> Sheet:
        """What is printed, before it has a form; `choices` are those of the look."""
        return self.look.sheet(self, *choices)

    def table(self) -> str:
        """Readable table."""
        return self.sheet().text()

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        return self.sheet().html()


class Result(Shown):
    """Prints itself, becomes plain data, arrays and files."""

    __slots__ = ()

    def document(self, *choices: Any) -> dict[str, Any]:
        """Plain data in full precision, as `--json` writes it; `choices` are those of the look."""
        if hasattr(self.look, "document"):
            return self.look.document(self, *choices)
        from eigenbody.present.documents import plain

        return plain(self.arrays())

    def as_dict(self) -> dict[str, Any]:
        """Plain data in full precision, as `--json` writes it."""
        return self.document()

    def arrays(self) -> dict[str, Any]:
        """Arrays by name, as .npz and .mat hold them."""
        from eigenbody.present.export import as_arrays

        return as_arrays(self.look.arrays(self))

    def to_pandas(self) -> DataFrame:
        """The lines of the .csv file as a pandas DataFrame, in full precision."""
        from eigenbody.present.export import as_frame

        return as_frame(self)

    def to_xarray(self) -> Dataset:
        """The arrays over named axes as an xarray Dataset, with units."""
        from eigenbody.present.axes import as_dataset

        return as_dataset(self)

    def write(self, path: str | Path) -> None:
        """Write a file: .npz, .mat, .csv, .json, or what else this result can be."""
        from eigenbody.present.export import write_result

        write_result(self, path)


class Drawn(Result):
    """A result that has a picture too."""

    __slots__ = ()

    def plot(self) -> Figure:
        """The picture."""
        return self.look.plot(self)


class _Look:
    """A module that is imported when something of it is used."""

    def __init__(self, name: str) -> None:
        self._name = f"eigenbody.{name}"

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self._name), name)
