"""Word's .docx: one document per file. Replaced text changes, formatting stays.

The text is that of the body, headers, footers, footnotes and endnotes, one paragraph per line;
tracked changes are treated as accepted. What readers do not see is removed: properties, comments,
change marks, alternative texts, custom data. Warnings count what was removed."""

import io
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from functools import partial
from typing import Any

from intact.domain import SanitizedDocument
from intact.errors import require
from intact.formats import archive, neutral, pieces
from intact.formats.base import Loaded, Record, UnmarkedFormat, load_plain, unreadable

_SPACES = {prefix: f"{{{space}}}" for space, prefix in neutral.namespaces("docx").items()}
W, _A, _PIC, _VML, _WP = (_SPACES[prefix] for prefix in ("w", "a", "pic", "v", "wp"))
_RELATION = _SPACES["r"]
_WORDS = neutral.contents("docx")
_TAGS = {name: tuple(f"{W}{tag}" for tag in tags) for name, tags in _WORDS["elements"].items()}
_REMOVED = {name: tuple(f"{W}{tag}" for tag in tags) for name, tags in _WORDS["removed"].items()}
_TEXT_PARTS = tuple(f"/{name}" for name in _WORDS["read"])
_VALUES = neutral.contents("docx", "schemas")["values"]
_GRAPHIC, _ALTERNATIVES = f"{_A}graphicData", f"{_SPACES['mc']}AlternateContent"
_NOWHERE = "about:blank"
_CHECKED = {("fldSimple", "instr"), ("compatSetting", "name"), ("compatSetting", "uri")}
_FIXED = r"#?_x0000_[st]\d{1,4}|(?=.*\d)[0-9A-F]{4}|[0-9A-F]{2}|[01]{12}"
_DRAWN = tuple(f"{_VML}{name}" for name in ("shape", "shapetype", "polyline", "curve"))
_BOX, _LINE = "m,l,21600r21600,l21600,xe", "m,l21600,21600e"
# Paths of the shapes that Word makes for text, connectors and pictures; others are counted in a
# warning.
_OUTLINES = frozenset({None, _BOX, _LINE, "m@4@5l@4@11@9@11@9@5xe"})
_CROPS = ("l", "t", "r", "b"), ("cropleft", "croptop", "cropright", "cropbottom")
_TEXTS = (f"{W}t", f"{_SPACES['m']}t")
_OWN = 0xF000  # where the characters of symbol fonts begin
_MARKS = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "\u2011"}


class DocxFormat(UnmarkedFormat):
    """Reads a .docx as one document and writes it back with its text sanitised."""

    name, needs = "docx", "docx"
    suffixes = (".docx",)
    beginnings = (b"PK\x03\x04",)

    def load(self, record: Record, annotator: str) -> Loaded:
        """Return the text of body, headers, footers and notes as a document without mentions,
        without what readers do not see; warnings count what was removed.

        Args:
            record: its ``raw`` is the file; ``parsed`` of the result will be the stripped package.
            annotator: not used: a Word file brings no mentions.

        Raises:
            FormatError: if it is no Word document, is encrypted or damaged, or has pictures and no
                text.
        """
        archive.open_archive(record.raw, record.where, self.name)
        rest = pieces.Rest()
        with unreadable("not a Word document that can be read", record.where):
            package = require("docx.package").Package.open(io.BytesIO(record.raw))
            _ = package.main_document_part.element.body
            _strip(package, rest)
        return load_plain(_pieces(package), record, rest.warnings(), package, rest.kept.total())

    def render(self, record: Record, loaded: Loaded, sanitized: SanitizedDocument) -> bytes:
        """Return the bytes of the Word file with its text edited; the same text gives the same
        bytes.

        Args:
            record: names the file in messages.
            loaded: its ``parsed`` is the stripped package, which is changed.
            sanitized: edits of the extracted text.

        Raises:
            FormatError: if the package cannot be written.
        """
        package = loaded.parsed
        for element, text in pieces.changes(_pieces(package), sanitized.edits):
            if element.tag in _MARKS:  # a tab or line break becomes text
                element.attrib.clear()
                element.tag = f"{W}t"
            element.text = text
            element.set(archive.SPACE, "preserve")
        draft = io.BytesIO()
        with unreadable("cannot be written back", record.where):
            package.save(draft)
        return archive.pack_parts(archive.unpack_parts(draft.getvalue()).items())


def _pieces(package: Any) -> list[pieces.Piece]:
    """Return the text of a package in pieces: body, headers, footers and notes, each text with its
    element as its place, and a line end after each paragraph. Marks of notes have no text."""
    return [*pieces.without_marks(piece for root in _roots(package) for piece in _pieces_of(root))]


def _pieces_of(root: Any) -> Iterator[pieces.Piece]:
    """Yield the text of a tree in pieces, paragraph by paragraph: texts, tabs and line breaks, each
    with its element as its place, and with kind "raised" above the line; then a line end, or a
    border if no paragraph stands next to it. A paragraph inside another (in a box) comes after
    it."""
    for paragraph in root.iter(f"{W}p"):
        for element in paragraph.iter(*_TEXTS, *_MARKS):
            text = _MARKS.get(element.tag) or element.text or ""
            own = next(element.iterancestors(f"{W}p")) is paragraph
            if text and own and element.getparent().tag != f"{W}tabs":
                yield pieces.Piece(text, element, "raised" * _is_raised(element.getparent()))
        goes_on = getattr(paragraph.getnext(), "tag", "") == paragraph.tag
        yield pieces.LINE_END if goes_on else pieces.BORDER


def _is_raised(run: Any) -> bool:
    """Tell whether a run of characters is set above the line, or is the mark of a note."""
    raised = run.find(f"{W}rPr/{W}vertAlign[@{W}val='superscript']")
    return raised is not None or next(run.iterchildren(*_TAGS["notes"]), None) is not None


def _strip(package: Any, rest: pieces.Rest) -> None:
    """Remove from a package what readers do not see, and give its parts and relations new names.

    Args:
        package: is changed.
        rest: counts what was removed, and what stays and should be looked at.
    """
    names, boxes = neutral.Names(), dict[Any, neutral.Box]()
    _drop_relations(package.rels, rest.gone)
    for part in list(package.iter_parts()):
        _drop_relations(part.rels, rest.gone)
        for rel in (rel for rel in part.rels.values() if rel.is_external):
            rel._target = _NOWHERE
            rest.gone["targets of links"] += 1
    for part in list(package.iter_parts()):
        _widen_boxes(part, boxes)
        _neutralise_part(part, rest, names)
    _rename_parts(package, rest, boxes)
    _rename_relations(package.rels, names)


def _widen_boxes(part: Any, boxes: dict[Any, neutral.Box]) -> None:
    """Widen, in ``boxes``, the visible box of each picture that a part of the package shows, so
    that it includes all that this part shows of the picture after cropping; enter pictures that are
    not there yet. Pictures outside the file are passed over.

    Args:
        part: of the package.
        boxes: (left, top, right, bottom) in shares of width and height, by the picture's part.
    """
    element = _element(part)
    for shown in () if element is None else element.iter(f"{_A}blip", f"{_VML}imagedata"):
        rel = part.rels.get(shown.get(f"{_RELATION}embed") or shown.get(f"{_RELATION}id"))
        if rel is None or rel.is_external:
            continue
        old = shown.tag.startswith(_VML)
        crop = shown if old else shown.getparent().find(f"{_A}srcRect")
        cut = (_share("" if crop is None else crop.get(name, ""), old) for name in _CROPS[old])
        left, top, right, bottom = cut
        known = boxes.get(rel.target_part, (1.0, 1.0, 0.0, 0.0))
        low = min(known[0], left), min(known[1], top)
        boxes[rel.target_part] = *low, max(known[2], 1 - right), max(known[3], 1 - bottom)


def _share(value: str, old: bool) -> float:
    """Return the share that is cut off a side of a picture, in [0, 1], read from "25000" or "25%",
    in VML (``old``) from ".25" or "16384f"; 0 for anything else."""
    found = re.fullmatch(r"(\d*\.?\d+)([f%]?)", value)
    units = {"": 1 if old else 100_000, "%": 100, "f": 65_536}
    return min(float(found[1]) / units[found[2]], 1.0) if found else 0.0


def _flatten(root: Any, rest: pieces.Rest) -> None:
    """Turn the free drawings of a tree into rectangles, and let text flow around rectangles; remove
    effects, shapes and crops from its pictures. Count in ``rest`` the outlines lost as gone, and
    the drawn shapes that hold neither text nor picture as kept."""
    for curve in list(root.iter(f"{_A}custGeom")):
        rest.gone["outlines of drawn shapes"] += 1
        curve.tag = f"{_A}prstGeom"
        curve.set("prst", "rect")
        curve[:] = [curve.makeelement(f"{_A}avLst")]
    for drawn in root.iter(*_DRAWN):
        free = drawn.tag.endswith(("polyline", "curve"))
        rest.gone["outlines of drawn shapes"] += free or drawn.get("path") not in _OUTLINES
        drawn.tag = f"{_VML}rect" if free else drawn.tag
    for line in root.iter(f"{_VML}path"):
        line.attrib.pop("v", None)
    for around in root.iter(f"{_WP}wrapTight", f"{_WP}wrapThrough"):
        around.tag = f"{_WP}wrapSquare"
        del around[:]
    texts = (f"{W}t", f"{_VML}imagedata", f"{_VML}textpath")
    shapes = root.iter("{*}wsp", *(f"{_VML}{name}" for name in _WORDS["shapes"]))
    rest.kept["drawn shapes"] += sum(next(each.iter(*texts), None) is None for each in shapes)
    _show_pictures(root)


def _show_pictures(root: Any) -> None:
    """Remove, in place, from the pictures of a tree effects, shapes and crops, which hide a part of
    them or change what they show."""
    for blip in root.iter(f"{_A}blip"):
        del blip[:]
    for frame in root.iter(f"{_PIC}spPr"):
        frame[:] = [each for each in frame if each.tag in (f"{_A}xfrm", f"{_A}prstGeom")]
        for geometry in frame.iter(f"{_A}prstGeom"):
            geometry.set("prst", "rect")
    for fill in root.iter(f"{_A}fillRect", f"{_VML}imagedata"):
        for name in fill.attrib:
            if not name.startswith(_RELATION):
                del fill.attrib[name]


def _neutralise_part(part: Any, rest: pieces.Rest, names: neutral.Names) -> None:
    """Make neutral, in place, what a part says besides its text, rename its relations, and remove
    those to pictures that it does not show; a part without a tree loses all relations. Count in
    ``rest`` what was removed, and what stays and should be looked at."""
    element = _element(part)
    if element is None:
        part.rels.clear()
        return
    _strip_tree(element, rest.gone, names)
    _flatten(element, rest)
    if element.tag == f"{W}settings":
        element[:] = [setting for setting in element if setting.tag in _TAGS["settings"]]
        for setting in list(element.iter(f"{W}compatSetting")):
            if not _VALUES.issuperset(setting.get(f"{W}{name}") for name in ("name", "uri")):
                _cut(setting)
    element = archive.neutralise(element, "docx", rest, partial(_value_of, names), _texts)
    part._element = element
    rest.kept["pieces of WordArt"] += sum(1 for _ in element.iter(f"{_VML}textpath"))
    shown = (each.attrib.items() for each in element.iter("*"))
    used = {v for items in shown for name, v in items if name.startswith(_RELATION)}
    _rename_relations(part.rels, names, used)


def _rename_relations(rels: Any, names: neutral.Names, used: Container[str] = ()) -> None:
    """Give relations new ids, in place, and remove those to pictures whose new id is not
    ``used``."""
    for key, rel in list(rels.items()):
        del rels[key]
        if not rel.reltype.endswith("/image") or names.rename(key) in used:
            rel._rId = names.rename(key)
            rels[rel._rId] = rel


def _rename_parts(package: Any, rest: pieces.Rest, boxes: Mapping[Any, neutral.Box]) -> None:
    """Name the parts of a package, in place, by their kinds and numbers ("/word/header2.xml"), and
    write its pictures anew, cut to their ``boxes``; one that cannot be read becomes blank. Count in
    ``rest`` pictures as kept, and those that cannot be read as gone."""
    every = (package.rels, *(part.rels for part in package.iter_parts()))
    inner = (rel for rels in every for rel in rels.values() if not rel.is_external)
    kinds = {rel.target_part: rel.reltype.rpartition("/")[2] for rel in inner}
    numbers: Counter[str] = Counter()
    for part, relation in kinds.items():
        kind = relation.replace("officeDocument", "document")
        numbers[kind] += 1
        name = f"{kind}{numbers[kind] if numbers[kind] > 1 else ''}.xml"
        if kind == "image":
            image, part._blob = neutral.clean_picture(part.blob, boxes.get(part, neutral.WHOLE))
            rest.kept["pictures"] += bool(image)
            rest.gone["pictures that cannot be read"] += not image
            part._content_type = f"image/{image or 'png'}"
            name = f"media/image{numbers[kind]}.{image or 'png'}"
        else:
            kind = "document.main" if kind == "document" else kind
            office = "officedocument" if kind == "theme" else "officedocument.wordprocessingml"
            part._content_type = f"application/vnd.openxmlformats-{office}.{kind}+xml"
        part.partname = require("docx.opc.packuri").PackURI(f"/word/{name}")


def _texts(root: Any) -> Iterator[tuple[Any, str]]:
    """Yield the texts that readers see as (element, "text"), the name of the attribute that holds
    them: first those of the pieces in text order, then all instructions of fields."""
    yield from ((piece.place, "text") for piece in _pieces_of(root) if piece.place is not None)
    yield from ((element, "text") for element in root.iter(f"{W}instrText"))


def _value_of(names: neutral.Names, element: Any, attribute: str, value: str) -> str | None:
    """Return the value that an attribute keeps: as it is, if it only says how something looks, or
    "" or a stand-in ("name3") if it is a name or may hold words; None if the attribute has to
    go."""
    space, _, tag = element.tag.rpartition("}")
    if attribute == "hidden":
        return None
    if attribute in _WORDS["emptied"] or (tag in ("docPr", "cNvPr") and attribute == "name"):
        return ""
    if attribute in ("Ignorable", "Requires"):
        known = neutral.namespaces("docx")
        return " ".join(filter(None, (known.get(element.nsmap.get(n)) for n in value.split())))
    if attribute in _WORDS["fonts"] and tag != "lang":
        return value if value in neutral.contents("looks")["fonts"] else None
    if attribute == "style":
        return names.restyle(value)
    if tag == "lvlText":
        bare = neutral.style_value(re.sub(r"%?\d", "", value)) is not None
        shown = "" if bare else "A-Za-z\x7f-\U0010ffff"
        return re.sub(rf"(%[1-9])|[\d{shown}]", r"\1", value)
    return _name_or_look(names, (space, tag, attribute), value)


def _name_or_look(names: neutral.Names, at: tuple[str, str, str], value: str) -> str | None:
    """Return the stand-in ("name3") for the value of an attribute if it is a name, or the value
    itself, numbers and colours rounded, if it only says how something looks; None for others.

    Args:
        names: stand-ins so far.
        at: namespace (with its opening brace) and tag of the element, and the attribute.
        value: of the attribute.
    """
    space, tag, attribute = at
    own = {attribute, tag} if attribute == "val" else {attribute}
    styled = tag in _WORDS["styled"] or (space, tag) == (W[:-1], "name")
    if attribute == "styleId" or (attribute == "val" and styled):
        return value if value.casefold() in _WORDS["built_in"] else names[value]
    if (tag, attribute) in _CHECKED or re.fullmatch(_FIXED, value):
        return value
    if own & _WORDS["renamed"]:
        return names.rename(value)
    if re.fullmatch("[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8}", value) and not _WORDS["colours"].isdisjoint(
        (attribute, tag)
    ):
        return neutral.plain_colour(value)
    if attribute == "path" and space == _VML[:-1]:
        return value if value == _LINE else _BOX
    return value if value in _VALUES else neutral.style_value(value)


def _strip_tree(root: Any, gone: Counter[str], names: neutral.Names) -> None:
    """Remove from a tree, in place, what readers do not see, and accept every tracked change; count
    in ``gone`` what was removed, by nouns in the plural ("comments"). ``names`` gives the stand-ins
    for names in codes of fields."""
    for element in list(root.iter(*_TAGS["deleted"])):
        gone["tracked changes"] += 1
        around = element.getparent()
        _cut(around.getparent() if around.tag == f"{W}trPr" else element)
    gone["tracked changes"] += sum(1 for _ in root.iter(*_TAGS["inserted"]))
    require("lxml.etree").strip_tags(root, *_TAGS["inserted"], *_TAGS["wrappers"])
    for name, tags in _REMOVED.items():
        gone[name] += archive.remove_elements(root, tags)
    _clear_codes(root, gone, names)
    for symbol in root.iter(f"{W}sym"):
        symbol.tag, symbol.text = f"{W}t", _read_symbol(symbol)
        gone["symbols that are no characters"] += not symbol.text
    archive.remove_elements(root, (*_TAGS["controls"], *_WORDS["dropped"]))
    for graphic in list(root.iter(_GRAPHIC)):
        if graphic.get("uri", "") not in _VALUES:
            shown = list(graphic.iterancestors(f"{W}drawing", _ALTERNATIVES))
            if shown:
                _cut(shown[-1] if shown[-1].tag == _ALTERNATIVES else shown[0])


def _clear_codes(root: Any, gone: Counter[str], names: neutral.Names) -> None:
    """Strip the codes of a tree's fields (such as "PAGE"), in place, of what may tell something:
    of a known field its known words and switches stay, other words become stand-ins ("name3"); the
    code of any other field, which may fetch data, is emptied.

    Args:
        root: of the tree; it is changed.
        gone: counts under "fields" those that were emptied, and under "alternative texts" the
            descriptions of pictures and the like that the tree has.
        names: gives the stand-ins.
    """
    full = (name for each in root.iter("*") for name, value in each.attrib.items() if value)
    gone["alternative texts"] += sum(n.rpartition("}")[2] in _WORDS["emptied"] for n in full)
    for element in root.iter(*_TAGS["coded"]):
        simple = element.tag == f"{W}fldSimple"
        words = ((element.get(f"{W}instr") if simple else element.text) or "").split()
        known = bool(words) and words[0].upper() in _WORDS["fields"]
        gone["fields"] += bool(words) and not known
        code = " ".join(["", *words[:1], *(_plain_code(word, names) for word in words[1:]), ""])
        if simple:
            element.set(f"{W}instr", code if known else " QUOTE ")
        else:
            element.text = code if known else ""


def _read_symbol(symbol: Any) -> str:
    """Return the character that a symbol element shows, by its place in its font; "" if it names no
    printable one, or none of a symbol font that our table knows."""
    code, font = (symbol.get(f"{W}{name}") or "" for name in ("char", "font"))
    place = int(code, 16) if re.fullmatch("[0-9A-Fa-f]{1,4}", code) else 0
    place -= _OWN if place >> 8 == _OWN >> 8 else 0
    drawn = place < 0x100 and re.search("symbol|dings", font, re.IGNORECASE)
    known = _WORDS["symbols"].get(font, {}).get(f"{place:02X}", ())
    return "".join(filter(str.isprintable, known if drawn else chr(place)))


def _plain_code(word: str, names: neutral.Names) -> str:
    """Return a word of the code of a field: itself if it is a known word, a switch or a look, else
    its stand-in ("name3")."""
    fixed = word in _WORDS["codes"] or re.fullmatch(r"\\[a-z@*#!]", word)
    return word if fixed else neutral.style_value(word) or names[word]


def _roots(package: Any) -> list[Any]:
    """Return the elements that hold a package's text: the body, then headers, footers and notes in
    the package's order."""
    main = package.main_document_part
    related = (rel for rel in main.rels.values() if not rel.is_external)
    parts = dict.fromkeys(r.target_part for r in related if r.reltype.endswith(_TEXT_PARTS))
    return [element for element in (main.element, *map(_element, parts)) if element is not None]


def _element(part: Any) -> Any:
    """Return the root element of a part, or None if it has none. A part in XML that python-docx
    keeps as bytes is turned, in place, into one with a root."""
    if not hasattr(part, "element") and str(part.content_type).endswith("+xml"):
        part._element = require("docx.oxml.parser").parse_xml(part.blob)
        part.__class__ = require("docx.opc.part").XmlPart  # it is written from its element now
    return getattr(part, "element", None)


def _is_whole(rel: Any, kind: str) -> bool:
    """Tell whether a relation of a Word file leads to what its ``kind`` ("hyperlink", "image",
    "header") says: an address outside the file, a picture, or a part with an element tree."""
    if kind == "hyperlink" or rel.is_external:
        return bool(rel.is_external)
    return kind == "image" or _element(rel.target_part) is not None


def _drop_relations(rels: Any, gone: Counter[str]) -> None:
    """Remove, in place, the relations to parts that are neither read nor made neutral, and count
    them in ``gone`` by kinds of parts, in the plural; the others get the usual address of their
    kind. Parts to which no relation leads are not written."""
    for key, rel in list(rels.items()):
        kind = rel.reltype.rpartition("/")[2]
        if kind in _WORDS["read"] | _WORDS["neutral"] and _is_whole(rel, kind):
            rel._reltype = f"{_RELATION[1:-1]}/{kind}"
            continue
        del rels[key]
        below = {} if rel.is_external else rel.target_part.rels
        gone["embedded fonts"] += sum(each.reltype.endswith("/font") for each in below.values())
        names = (name for name, kinds in _WORDS["parts"].items() if kind in kinds)
        gone[next(names, "further parts")] += kind not in _WORDS["untold"]


def _cut(element: Any) -> None:
    """Remove an element, with all it contains, from its tree; do nothing if it is in none."""
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)
