"""The page that describes the interface, to be tried on it; needs nothing from anywhere else."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_STYLE = """
:root { color-scheme: light dark; --ground: #fbfaf7; --paper: #fff; --ink: #1c1b19; --soft: #5d5a54;
  --line: #dcd8cf; --accent: #14539a; --on-accent: #fff; --bad: #a3231b; }
@media (prefers-color-scheme: dark) { :root { --ground: #151618; --paper: #1e2023; --ink: #eceae6;
  --soft: #a9a69f; --line: #383b40; --accent: #86b7f0; --on-accent: #10233a; --bad: #ff9b90; } }
* { box-sizing: border-box; }
[hidden] { display: none; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem;
  background: var(--ground); color: var(--ink); }
h1 { font-size: 1.3rem; margin: .5rem 0; } h2 { font-size: 1rem; margin: 1.6rem 0 .4rem; }
pre, textarea { width: 100%; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; overflow: auto; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; max-height: 34rem; }
code, pre.code { font: .87em ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; background: var(--paper); overflow-wrap: anywhere; }
td, th { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left;
  vertical-align: top; }
button, select, input { font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--line); border-radius: .35rem; padding: .35rem .7rem;
  min-height: 2.4rem; max-width: 100%; }
button { cursor: pointer; } button:disabled { opacity: .55; cursor: default; }
button.main { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 1px; }
.row { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: end; margin: .8rem 0; }
.row label, .wide { display: grid; gap: .2rem; }
.soft { color: var(--soft); font-size: .9rem; } .bad { color: var(--bad); }
"""
_SCRIPT = """
const at = (id) => document.getElementById(id);
const make = (tag, more) => Object.assign(document.createElement(tag), more);
const row = (cells, tag = "td") => {
  const line = make("tr");
  line.append(...cells.map((textContent) => make(tag, { textContent })));
  return line;
};
let name = "";
function say(textContent, bad = false) {
  Object.assign(at("said"), { textContent, className: bad ? "bad" : "soft" });
}
function working(yes) {
  at("go").disabled = yes;
  at("busy").hidden = !yes;
  document.body.setAttribute("aria-busy", String(yes));
}
at("file").addEventListener("change", async () => {
  const [file] = at("file").files;
  if (!file) return;
  try {
    const bytes = await file.arrayBuffer();
    at("given").value = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    name = file.name;
    say(`Read: ${file.name}`);
  } catch {
    at("file").value = "";
    say(`${file.name} is no plain text in UTF-8. Word, PDF and others: intact review FILE`, true);
  }
});
at("try").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = at("given").value;
  const headers = { "Content-Type": "application/json" };
  if (at("token").value) headers.Authorization = `Bearer ${at("token").value}`;
  at("result").hidden = true;
  working(true);
  say("Working …");
  try {
    const body = JSON.stringify({ text, preset: at("preset").value || null });
    const answer = await fetch("sanitize", { method: "POST", headers, body });
    const made = await answer.json();
    if (made.error) { say(made.error, true); return; }
    say("Done.");
    at("text").textContent = made.text;
    const letters = Array.from(text);
    const rows = (made.mentions || []).map((one) => row([
      one.type, letters.slice(one.start, one.end).join(""), one.replacement ?? "", one.outcome,
    ]));
    at("mentions").replaceChildren(row(["Type", "Before", "After", "Outcome"], "th"), ...rows);
    const notes = (made.notes || []).map((textContent) => make("li", { textContent }));
    at("notes").replaceChildren(...notes);
    at("command").textContent = `intact review ${/^[-\\w.]+$/.test(name) ? name : "FILE"}`;
    at("result").hidden = false;
  } catch {
    say("The server did not answer. Is it running still? Is the token right?", true);
  } finally {
    working(false);
  }
});
at("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(at("text").textContent);
    say("Copied.");
  } catch {
    getSelection().selectAllChildren(at("text"));
    say("The text is selected: copy it with Ctrl-C.");
  }
});
at("download").addEventListener("click", () => {
  const href = URL.createObjectURL(new Blob([at("text").textContent], { type: "text/plain" }));
  make("a", { href, download: `sanitized-${name || "text.txt"}` }).click();
  URL.revokeObjectURL(href);
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
    """Return an HTML page of an OpenAPI schema, with a form."""
    info = schema["info"]
    parts = [
        "<!DOCTYPE html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>",
        f"<title>{escape(info['title'])}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        _form(presets),
        f"<h2>For programs</h2><p>{escape(info.get('description', ''))}</p>",
        "<p>Fields, limits and errors: <a href='openapi.json'>openapi.json</a></p>",
    ]
    for path, methods in schema["paths"].items():
        parts += [_operation(path, method, item) for method, item in methods.items()]
    return "\n".join([*parts, f"<script>{_SCRIPT}</script></body></html>"])


def _form(presets: Sequence[str]) -> str:
    """Return the form that sanitises a text, and where its result is shown."""
    options = "".join(f"<option>{escape(name)}</option>" for name in presets)
    return (
        "<form id='try'><label class='wide'>A text<textarea id='given' rows='8' required>"
        f"{escape(str(_EXAMPLES['/detect']['text']))}</textarea></label>"
        "<div class='row'><label>Or a file of plain text <input id='file' type='file'></label>"
        "<label>Preset <select id='preset'><option value=''>the server's settings</option>"
        f"{options}</select></label><label>Token, if one is asked for <input id='token' "
        "type='password' autocomplete='off'></label>"
        "<button id='go' class='main'>Sanitise</button></div></form>"
        "<p><progress id='busy' aria-label='Working' hidden></progress> "
        "<span id='said' role='status'></span></p>"
        "<section id='result' hidden><h2>After</h2><pre id='text' tabindex='0'></pre>"
        "<div class='row'><button id='copy' type='button'>Copy</button>"
        "<button id='download' type='button'>Download</button></div>"
        "<p>No detector finds everything: let a person decide before it goes out. On this machine, "
        "<code id='command'></code> opens the page for that; it takes Word, PDF and other files, "
        "too.</p><ul id='notes' class='soft'></ul>"
        "<h2>What was replaced</h2><table id='mentions'></table></section>"
    )


def _operation(path: str, method: str, item: Mapping[str, Any]) -> str:
    example = ""
    if path in _EXAMPLES:
        body = json.dumps(_EXAMPLES[path], indent=1)
        example = f"<pre class='code'>{escape(body)}</pre>"
    return (
        f"<h2><code>{escape(method.upper())} {escape(path)}</code></h2>"
        f"<p>{escape(item.get('description') or item.get('summary', ''))}</p>{example}"
    )
