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
    at("command").textContent = `intact review ${/^[-\w.]+$/.test(name) ? name : "FILE"}`;
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
