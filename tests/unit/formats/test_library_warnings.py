"""Warnings of libraries may quote a document: nobody is shown them."""

import io

import pytest

from intact.formats.base import Record
from intact.formats.html import HtmlFormat
from intact.formats.xlsx import XlsxFormat


def test_a_number_that_is_no_date_is_told_without_its_value():
    openpyxl = pytest.importorskip("openpyxl")
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active["A1"] = 5550134222
    book.active["A1"].number_format = "yyyy-mm-dd"
    book.save(file)
    loaded = XlsxFormat().load(Record(file.getvalue(), "f.xlsx"), "first")
    assert "replaced by #VALUE!: dates beyond the calendar (1)" in loaded.warnings
    assert "5550134222" not in loaded.document.text


def test_a_page_that_looks_like_an_address_is_a_page():
    pytest.importorskip("bs4")
    assert HtmlFormat().load(Record("http://x.org/ann", "f.html"), "first").document.text
