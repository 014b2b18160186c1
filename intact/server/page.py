"""The page that describes the interface, to be tried on it; needs nothing from anywhere else."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

_FOLDER = Path(__file__).with_name("templates")
_PAGE, _STYLE, _SCRIPT = (
    (_FOLDER / name).read_text("utf-8") for name in ("page.html", "style.css", "script.js")
)
_HASHES = [
    f"'sha256-{b64encode(hashlib.sha256(part.encode('utf-8')).digest()).decode('ascii')}'"
    for part in (_STYLE, _SCRIPT)
]
POLICY = (
    f"default-src 'none'; style-src {_HASHES[0]}; script-src {_HASHES[1]}; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Of the page: it runs its own script, and asks nobody but the server."""
_EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "/sanitize": {
        "text": "Zelda Quimby lives in Riga.",
        "mentions": [
            {"start": 0, "end": 12, "type": "PERSON", "identifier_type": "DIRECT"},
            {"start": 22, "end": 26, "type": "LOC"},
        ],
    },
    "/detect": {"text": "Zelda Quimby lives in Riga."},
}


def page(schema: Mapping[str, Any], presets: Sequence[str] = ()) -> str:
    """Return an HTML page of an OpenAPI schema, with a form that sanitises a text.

    Args:
        presets: that a request may name.
    """
    info, operations = schema["info"], []
    for path, methods in schema["paths"].items():
        for method, item in methods.items():
            operations.append(f"<h2><code>{escape(method.upper())} {escape(path)}</code></h2>")
            said = item.get("description") or item.get("summary", "")
            operations.append(f"<p>{escape(said)}</p>")
            if path in _EXAMPLES:
                example = escape(json.dumps(_EXAMPLES[path], indent=1))
                operations.append(f"<pre class='code'>{example}</pre>")
    return Template(_PAGE).substitute(
        title=escape(info["title"]),
        version=escape(info["version"]),
        description=escape(info.get("description", "")),
        presets="".join(f"<option>{escape(name)}</option>" for name in presets),
        example=escape(_EXAMPLES["/detect"]["text"]),
        operations="\n".join(operations),
        style=_STYLE,
        script=_SCRIPT,
    )
