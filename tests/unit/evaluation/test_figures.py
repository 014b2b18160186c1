from xml.etree import ElementTree

from intact.evaluation.report import Dot, scatter

DOTS = [
    Dot("a & b", 0.1, 0.5, (0.05, 0.15), (0.4, 0.6)),
    Dot("c", 0.2, 0.4),
    Dot("d", 0.3, 0.9, emphasis=True),
]


def test_figures_are_well_formed_and_say_what_they_show():
    figure = scatter(DOTS, "risk", "use")
    root = ElementTree.fromstring(figure)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"].startswith("use against risk: a & b 0.100, 0.500; c")


def test_every_dot_has_its_name_beside_it():
    crowd = [Dot(f"name {at}", 0.5, 0.5) for at in range(12)]
    assert scatter(crowd, "x", "y").count('class="label"') == 12
