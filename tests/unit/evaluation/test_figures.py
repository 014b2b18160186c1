from xml.etree import ElementTree

from intact.evaluation.report.figures import Dot, columns, scatter, stacked, upper

POINTS = [
    Dot("a & b", 0.1, 0.5, (0.05, 0.15), (0.4, 0.6)),
    Dot("c", 0.2, 0.4),
    Dot("d", 0.3, 0.9, emphasis=True),
]


def test_figures_are_well_formed_and_say_what_they_show() -> None:
    for figure in (
        scatter(POINTS, "risk", "use", line=True),
        stacked({"LOC": {"SAFE": 3, "LABEL": 1}}, {"SAFE": "SAFE", "LABEL": "LABEL"}),
        columns([("1", 3), ("2", 0)], "rungs"),
    ):
        root = ElementTree.fromstring(figure)
        assert root.attrib["role"] == "img"
        assert root.attrib["aria-label"]


def test_nothing_to_show_is_no_figure() -> None:
    assert scatter([], "x", "y") == stacked({}, {}) == columns([], "") == ""


def test_the_line_only_rises() -> None:
    assert [point.name for point in upper(POINTS)] == ["a & b", "d"]
