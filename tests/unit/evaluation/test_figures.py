from xml.etree import ElementTree

from intact.evaluation.report import Dot, alone, scatter, upper

DOTS = [
    Dot("a & b", 0.1, 0.5, (0.05, 0.15), (0.4, 0.6)),
    Dot("c", 0.2, 0.4),
    Dot("d", 0.3, 0.9, emphasis=True),
]


def test_figures_are_well_formed_and_say_what_they_show() -> None:
    figure = scatter(DOTS, "risk", "use", line=True)
    root = ElementTree.fromstring(figure)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"].startswith("use against risk: a & b 0.100, 0.500; c")
    assert ElementTree.fromstring(alone(figure)).tag == "{http://www.w3.org/2000/svg}svg"


def test_every_dot_has_its_name_beside_it() -> None:
    crowd = [Dot(f"name {at}", 0.5, 0.5) for at in range(12)]
    assert scatter(crowd, "x", "y").count('class="label"') == 12


def test_nothing_to_show_is_no_figure() -> None:
    assert scatter([], "x", "y") == ""


def test_the_axes_fit_what_is_marked() -> None:
    far = Dot("far", 0.9, 0.05, named=False)
    figure = scatter([*DOTS, far, Dot("near", 0.2, 0.6, named=False)], "x", "y")
    assert "far" not in figure and "near: x 0.200" in figure
    ElementTree.fromstring(scatter([far], "x", "y"))


def test_the_line_only_rises() -> None:
    assert [dot.name for dot in upper(DOTS)] == ["a & b", "d"]
