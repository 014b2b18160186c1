"""The page that describes the interface; needs nothing from anywhere else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem}"
    "pre{background:#f4f4f4;padding:.7rem;overflow:auto}code{font-size:.9em}"
    "h2{margin-top:2.5rem}table{border-collapse:collapse}td,th{border:1px solid #ccc;"
    "padding:.2rem .6rem;text-align:left;vertical-align:top}summary{cursor:pointer}"
)
_EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "/sanitize": {
        "text": "Zelda Quimby lives in Riga.",
        "mentions": [
            {"start": 0, "end": 12, "type": "PERSON", "identifier_type": "DIRECT"},
            {"start": 22, "end": 26, "type": "LOC"},
        ],
    },
    "/detect": {"text": "Zelda Quimby lives in Riga."},
    "/evaluate": {
        "text": "Zelda lives in Riga.",
        "mentions": [{"start": 15, "end": 19, "type": "LOC"}],
        "sanitized_text": "Zelda lives in a city.",
    },
}


def page(schema: Mapping[str, Any]) -> str:
    """An HTML page of an OpenAPI schema."""
    info = schema["info"]
    parts = [
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>",
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        f"<p>{escape(info.get('description', ''))}</p>",
        "<p>The schema: <a href='openapi.json'>openapi.json</a></p>",
    ]
    for path, methods in schema["paths"].items():
        parts += [_operation(path, method, item) for method, item in methods.items()]
    parts.append("<h2>Types</h2>")
    for name, item in schema.get("components", {}).get("schemas", {}).items():
        parts.append(_type(name, item))
    return "\n".join([*parts, "</body></html>"])


def _operation(path: str, method: str, item: Mapping[str, Any]) -> str:
    rows = "".join(
        f"<tr><td>{escape(code)}</td><td>{escape(answer.get('description', ''))}</td></tr>"
        for code, answer in item.get("responses", {}).items()
    )
    example = ""
    if path in _EXAMPLES:
        body = json.dumps(_EXAMPLES[path], indent=1)
        example = f"<pre>{escape(body)}</pre>"
    return (
        f"<h2><code>{escape(method.upper())} {escape(path)}</code></h2>"
        f"<p>{escape(item.get('description') or item.get('summary', ''))}</p>{example}"
        f"<table><tr><th>status</th><th>meaning</th></tr>{rows}</table>"
    )


def _type(name: str, item: Mapping[str, Any]) -> str:
    return (
        f"<details><summary><code>{escape(name)}</code> {escape(item.get('description', ''))}"
        f"</summary><pre>{escape(json.dumps(item, indent=1))}</pre></details>"
    )
