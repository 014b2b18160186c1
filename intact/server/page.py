"""The page that describes the interface, to be tried on it; needs nothing from anywhere else."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:54rem;margin:2rem auto;padding:0 1rem}"
    "pre{background:#f4f4f4;padding:.7rem;overflow:auto}code{font-size:.9em}"
    "h2{margin-top:2.5rem}table{border-collapse:collapse}td,th{border:1px solid #ccc;"
    "padding:.2rem .6rem;text-align:left;vertical-align:top}summary{cursor:pointer}"
    "textarea{width:100%;font:inherit;box-sizing:border-box}#text{white-space:pre-wrap}"
    "table,pre{overflow-wrap:anywhere;max-width:100%}"
)
_SCRIPT = """
const at = (id) => document.getElementById(id);
const make = (tag, more) => Object.assign(document.createElement(tag), more);
const row = (cells) => {
  const line = make("tr");
  const colSpan = cells.length > 1 ? 1 : 4;
  line.append(...cells.map((textContent) => make("td", { textContent, colSpan })));
  return line;
};
at("try").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = at("given").value;
  const headers = { "Content-Type": "application/json" };
  if (at("token").value) headers.Authorization = `Bearer ${at("token").value}`;
  at("text").textContent = "…";
  at("mentions").replaceChildren();
  try {
    const body = JSON.stringify({ text, preset: at("preset").value || null });
    const answer = await fetch("sanitize", { method: "POST", headers, body });
    const made = await answer.json();
    at("text").textContent = made.error || made.text;
    const letters = Array.from(text);
    const rows = (made.mentions || []).map((one) => row([
      one.type, letters.slice(one.start, one.end).join(""), one.replacement ?? "", one.outcome,
    ]));
    at("mentions").replaceChildren(...rows, ...(made.notes || []).map((note) => row([note])));
  } catch {
    at("text").textContent = "The server did not answer.";
  }
});
"""
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
    "/evaluate": {
        "text": "Zelda lives in Riga.",
        "mentions": [{"start": 15, "end": 19, "type": "LOC"}],
        "sanitized_text": "Zelda lives in a city.",
    },
}


def page(schema: Mapping[str, Any], presets: Sequence[str] = ()) -> str:
    """An HTML page of an OpenAPI schema, with a form.

    Args:
        schema: of the interface.
        presets: that a request may name.
    """
    info = schema["info"]
    parts = [
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>",
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        f"<p>{escape(info.get('description', ''))}</p>",
        "<p>Fields, limits and errors: <a href='openapi.json'>openapi.json</a></p>",
        _form(presets),
    ]
    for path, methods in schema["paths"].items():
        parts += [_operation(path, method, item) for method, item in methods.items()]
    return "\n".join([*parts, f"<script>{_SCRIPT}</script></body></html>"])


def _form(presets: Sequence[str]) -> str:
    options = "".join(f"<option>{escape(name)}</option>" for name in presets)
    return (
        "<h2>Try it</h2><form id='try'><p><label>A text<textarea id='given' rows='6' required>"
        f"{escape(str(_EXAMPLES['/detect']['text']))}</textarea></label></p>"
        "<p><label>Preset <select id='preset'><option value=''>the server's settings</option>"
        f"{options}</select></label> <label>Token, if one is asked for <input id='token' "
        "type='password' autocomplete='off'></label> <button>Sanitise</button></p></form>"
        "<pre id='text' role='status'></pre><table id='mentions'></table>"
    )


def _operation(path: str, method: str, item: Mapping[str, Any]) -> str:
    example = ""
    if path in _EXAMPLES:
        body = json.dumps(_EXAMPLES[path], indent=1)
        example = f"<pre>{escape(body)}</pre>"
    return (
        f"<h2><code>{escape(method.upper())} {escape(path)}</code></h2>"
        f"<p>{escape(item.get('description') or item.get('summary', ''))}</p>{example}"
    )
