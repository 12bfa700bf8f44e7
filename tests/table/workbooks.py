"""Workbooks of Excel, written by hand: no package is needed for the few parts that matter."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
# Style 1 is a date.
_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs>'
    "</styleSheet>"
)


class Date(float):
    """A day as Excel counts them."""


Cell = str | float | bool | None


def workbook(sheets: Mapping[str, Sequence[Sequence[Cell]]], hidden: Sequence[str] = ()) -> bytes:
    """Return a workbook with these rows in its sheets."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        listed, relations, parts = "", "", ""
        for k, (name, rows) in enumerate(sheets.items(), start=1):
            state = ' state="hidden"' if name in hidden else ""
            listed += f'<sheet name={quoteattr(name)} sheetId="{k}" r:id="s{k}"{state}/>'
            relations += (
                f'<Relationship Id="s{k}" Type="{_RELATIONS}/worksheet" '
                f'Target="worksheets/sheet{k}.xml"/>'
            )
            kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
            parts += f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{kind}"/>'
            archive.writestr(f"xl/worksheets/sheet{k}.xml", _sheet(rows))
        relations += f'<Relationship Id="st" Type="{_RELATIONS}/styles" Target="styles.xml"/>'
        archive.writestr("xl/styles.xml", _STYLES)
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets>{listed}</sheets>'
            "</workbook>",
        )
        archive.writestr("xl/_rels/workbook.xml.rels", _relations(relations))
        root = f'<Relationship Id="r" Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/>'
        archive.writestr("_rels/.rels", _relations(root))
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types">'
            f'<Default Extension="xml" ContentType="application/xml"/>{parts}</Types>',
        )
    return file.getvalue()


def _relations(inside: str) -> str:
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'


def _sheet(rows: Sequence[Sequence[Cell]]) -> str:
    lines = ""
    for r, row in enumerate(rows, start=1):
        cells = "".join(_cell(f"{chr(65 + c)}{r}", cell) for c, cell in enumerate(row))
        lines += f'<row r="{r}">{cells}</row>'
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def _cell(place: str, cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return f'<c r="{place}" t="b"><v>{int(cell)}</v></c>'
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
    style = ' s="1"' if isinstance(cell, Date) else ""
    return f'<c r="{place}"{style}><v>{float(cell)!r}</v></c>'
