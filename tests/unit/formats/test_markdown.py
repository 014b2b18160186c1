"""Markdown: words are sanitised, structure stays."""

from intact.formats.base import by_name
from tests.unit.formats.files import sanitize_with

SOURCE = """# Ann Lee

See [her page](https://x.org/ann-lee) and [the rules](https://x.org/rules "by Ann Lee").
<!-- Ann Lee
--> ![Ann](data:image/png;base64,QW5u) <https://x.org>

```python
# <!-- Ann Lee [a](b) -->
```
~~~ann
```
~~~
[1]: mailto:ann@x.org
"""
RESULT = """# PERSON_1

See [her page](#) and [the rules](# "by PERSON_1").
 ![PERSON_1](#) <https://x.org>

```python
# <!-- PERSON_1 [a](b) -->
```
~~~PERSON_1
```
~~~
[1]: #
"""


def test_markdown_keeps_its_structure():
    kind = by_name("markdown")
    ((made, loaded),) = sanitize_with(kind, SOURCE.encode(), ("[Aa]nn(?: Lee)?", "PERSON_1"))
    assert made == RESULT
    assert loaded.warnings == ("removed: comments (1), targets of links (4)",)
    ((same, _),) = sanitize_with(kind, RESULT.encode())
    assert same == RESULT


def test_marks_of_notes_are_not_read_and_stay():
    source = "Ann Lee[^1] paid £600[^lee]\nand `[^abc]`.\n\n[^1]: Born in Riga.\n[^lee]: Ann Lee.\n"
    kind = by_name("markdown")
    ((made, loaded),) = sanitize_with(kind, source.encode(), ("Ann Lee", "PERSON_1"))
    assert loaded.document.text == (
        "Ann Lee paid £600\nand `[^abc]`.\n\n Born in Riga.\n Ann Lee.\n"
    )
    text, notes = made.split("\n\n")
    assert text == "PERSON_1[^1] paid £600[^name1]\nand `[^abc]`."
    assert notes == "[^1]: Born in Riga.\n[^name1]: PERSON_1.\n"
