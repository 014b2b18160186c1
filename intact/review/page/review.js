"use strict";
// Text of documents only ever enters the page as text (textContent), never as HTML.

const at = (id) => document.getElementById(id);
const make = (tag, text = "", kind = "") => {
  const node = document.createElement(tag);
  if (text) node.textContent = text;
  if (kind) node.className = kind;
  return node;
};
const SOURCES = {
  dates: "by rules about dates", quantities: "by rules about amounts", knowledge: "from the knowledge base",
  llm: "from the language model", glossary: "from your glossary", reviewer: "a person's own", label: "label",
};
const ENDS = {
  SAFE: ["not guessed", "good"], CONTEXT: ["told by the context, whatever stands here", "doubt"], GUESSED: ["guessed", "bad"], UNPARSED: ["not readable, so not safe", "bad"],
  COVERED: ["inside a longer one", "soft"], UNTESTED: ["not attacked", "bad"], LABEL: ["label", "soft"], "": ["", ""],
};
const DONE = { accept: "accepted", choose: "chosen", phrase: "own phrase", mask: "masked", keep: "kept", mark: "marked" };

let all = null;      // what there is to review
let number = 0;      // of the document shown
let shown = null;    // the document
let here = "";       // key of the entity shown
let order = [];      // keys as they stood when the document was opened: the queue does not jump
let busy = false;

async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", "X-Intact": "review" },
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The review has ended. Start it again: nothing that was decided is lost.");
  }
  const given = await answer.json();
  if (!answer.ok) throw new Error(given.error);
  return given;
}

function say(text, bad = false) {
  at("message").textContent = text;
  at("message").className = bad ? "bad" : "";
  at("message").hidden = !text;
}

async function busily(what) {
  if (busy) return;
  busy = true;
  document.body.setAttribute("aria-busy", "true");
  try { await what(); } catch (error) { say(error.message, true); }
  document.body.removeAttribute("aria-busy");
  busy = false;
}

const entity = () => shown.entities.find((one) => one.key === here);
const queue = () => [...shown.entities].sort((a, b) => {
  const place = (one) => (order.includes(one.key) ? order.indexOf(one.key) : -1);
  return place(a) - place(b);
});

function take(given) {
  shown = given;
  if (all) all.documents[number] = given.summary;
  if (!entity()) here = (queue()[0] || { key: "" }).key;
  draw();
}

async function open(next) {
  say("Reading the document …");
  number = next;
  history.replaceState(null, "", `#${number}`);
  const given = await ask(`api/documents/${number}`);
  say("");
  order = given.entities.map((one) => one.key);
  here = (given.entities.find((one) => !one.decided) || given.entities[0] || { key: "" }).key;
  take(given);
}

function decide(action, text = "", type = "", go = false) {
  return busily(async () => {
    const key = action === "mark" || action === "undo" ? "" : here;
    const given = await ask(`api/documents/${number}/decide`, { action, key, text, type });
    const moved = given.moved.map((one) => `${one.before} → ${one.after}`);
    const old = here;
    take(given);
    say(moved.length ? `This moved something else, too:\n${moved.join("\n")}` : "");
    if (go && here === old) next(true);
  });
}

function next(undecided, step = 1) {
  const list = queue();
  const from = list.findIndex((one) => one.key === here);
  for (let far = 1; far <= list.length; far += 1) {
    const one = list[(from + step * far + list.length * far) % list.length];
    if (!undecided || !one.decided) { here = one.key; draw(); scrollTo(0, 0); return; }
  }
}

// What is drawn

function draw() {
  const { entities, decided } = shown.summary;
  at("progress").textContent = `${decided} of ${entities} decided here, by ${all.by}`;
  const names = all.documents.map((one, index) => {
    const state = one.ready ? ` (${one.decided}/${one.entities})` : "";
    const option = make("option", `${one.id}${state}`);
    option.value = index;
    return option;
  });
  at("documents").replaceChildren(...names);
  at("documents").value = number;
  at("queue").replaceChildren(...queue().map(item));
  at("aside").replaceChildren(...setAside());
  at("detail").replaceChildren(...detail(entity()));
  at("original").replaceChildren(...shown.original.map(piece));
  at("sanitised").textContent = shown.text;
  at("notes").replaceChildren(...shown.notes.map((note) => make("li", note)));
  const current = at("queue").querySelector("[aria-current]");
  if (current) current.scrollIntoView({ block: "nearest" });
}

function item(one) {
  const button = make("button");
  button.type = "button";
  const [word, kind] = one.decided ? [`✓ ${DONE[one.decided.action]}`, "good"]
    : one.doubtful ? ["doubtful find", "doubt"] : ENDS[one.outcome];
  button.append(make("span", one.surfaces[0], "name"), make("span", word, `tag ${kind}`), make("span", one.replacement, "now"));
  if (one.key === here) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => { here = one.key; draw(); at("detail").focus(); });
  const line = make("li");
  line.append(button);
  return line;
}

function setAside() {
  if (!shown.aside.length) return [];
  const list = make("ul");
  list.append(...shown.aside.map((one) => {
    const what = one.action === "keep" ? "kept as it is" : "not personal";
    return make("li", `${one.text}: ${what}, by ${one.by}${one.why ? ` (${one.why})` : ""}`);
  }));
  return [make("h2", "Not replaced"), list];
}

function piece(one) {
  if (!one.key) return document.createTextNode(one.text);
  const mark = make("mark", one.text, one.key === here ? "here" : "");
  mark.addEventListener("click", () => { if (String(getSelection())) return; here = one.key; draw(); });
  return mark;
}

function detail(one) {
  if (!one) return [make("h2", "Nothing was found"), make("p", "Read the text: detection misses things.")];
  const [word, kind] = ENDS[one.outcome];
  const times = one.mentions === 1 ? "one place" : `${one.mentions} places`;
  const head = make("p", `${one.type}, ${times}. `, "soft");
  if (one.doubtful) head.append(make("span", `The detector is not sure of it (${one.score}). `, "doubt"));
  if (word) head.append(make("span", one.outcome === "LABEL" ? "Now a label." : `Now ${word}.`, kind));
  const parts = [make("h2", "What stands there"), head];
  if (one.decided) {
    const why = one.decided.reason ? `: ${one.decided.reason}` : "";
    parts.push(make("p", `✓ ${DONE[one.decided.action]} by ${one.decided.by}, ${one.decided.at.slice(0, 16).replace("T", " ")} UTC${why}`, "good"));
  }
  for (const { before, after } of one.sentences) {
    const pair = make("div", "", "pair");
    pair.append(sentence(before, ""), sentence(after, "new"));
    parts.push(pair);
  }
  parts.push(make("h2", "What may stand there"), choices(one), actions(one));
  return parts;
}

function sentence([before, text, after], kind) {
  const line = make("p");
  line.append(before, make("mark", text, kind), after);
  return line;
}

function choices(one) {
  const box = make("div", "", "candidates");
  one.candidates.forEach((rung, index) => {
    const button = make("button");
    button.type = "button";
    button.setAttribute("aria-pressed", String(rung.chosen));
    if (index < 9) button.append(make("kbd", String(index + 1)), " ");
    button.append(make("span", rung.text, "text1"), make("span", ` ${SOURCES[rung.source] || rung.source}`, "soft"));
    const [word, kind] = ENDS[rung.outcome];
    const told = make("div", "", "soft");
    if (word) told.append(make("span", word, kind), rung.risk ? `: ${rung.risk}. ` : ". ");
    else told.append("Not attacked yet. ");
    if (rung.guesses.length) told.append(`Guesses: ${rung.guesses.join(", ")}`);
    button.append(told);
    button.addEventListener("click", () => decide("choose", rung.text));
    box.append(button);
  });
  if (one.control) box.append(make("p", `The label alone: ${one.control}.`, "soft"));
  if (!one.candidates.length) box.append(make("p", "Only its label is safe by rule. An own phrase may still be true and safe.", "soft"));
  return box;
}

function actions(one) {
  const box = make("div");
  const row = make("div", "", "actions");
  const add = (text, letter, act, kind = "") => {
    const button = make("button", `${text} `, kind);
    button.type = "button";
    button.append(make("kbd", letter));
    button.dataset.letter = letter;
    button.addEventListener("click", act);
    row.append(button);
  };
  add("Accept", "a", () => decide("accept", "", "", true), "main");
  add("Own phrase", "e", () => prompt(box, "Own phrase, as in mid-sentence (“a town in Norway”)", "phrase"));
  add(`Mask (${one.label})`, "m", () => decide("mask"));
  add("Keep as it is", "x", () => prompt(box, "Why may it stay? (required)", "keep"));
  add("Not personal", "d", () => decide("unmark"));
  box.append(row);
  return box;
}

function prompt(box, label, action) {
  box.querySelector("form")?.remove();
  const form = make("form", "", "ask");
  const field = make("label", label);
  const input = make("input");
  input.maxLength = 300;
  input.required = true;
  input.autocomplete = "off";
  field.append(input);
  form.append(field, make("button", "Do it", "main"));
  form.addEventListener("submit", (event) => { event.preventDefault(); decide(action, input.value); });
  input.addEventListener("keydown", (event) => { if (event.key === "Escape") { form.remove(); at("detail").focus(); } });
  box.append(form);
  input.focus();
}

// What a person does

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !shown) return;
  if (event.target.matches("input, select")) return;
  const letter = event.key;
  const button = at("detail").querySelector(`[data-letter="${CSS.escape(letter)}"]`);
  if (button) { event.preventDefault(); button.click(); return; }
  if (/^[1-9]$/.test(letter)) at("detail").querySelectorAll(".candidates button")[letter - 1]?.click();
  else if (letter === "j") next(false);
  else if (letter === "k") next(false, -1);
  else if (letter === "n") next(true);
  else if (letter === "u") decide("undo");
  else if (letter === "f") at("missed").focus();
  else if (letter === "]" && number + 1 < all.documents.length) busily(() => open(number + 1));
  else if (letter === "[" && number > 0) busily(() => open(number - 1));
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", key);
at("undo").addEventListener("click", () => decide("undo"));
at("documents").addEventListener("change", (event) => busily(() => open(Number(event.target.value))));
at("original").addEventListener("mouseup", () => {
  const text = String(getSelection()).trim();
  if (text) at("missed").value = text.slice(0, 300);
});
at("mark").addEventListener("submit", (event) => {
  event.preventDefault();
  decide("mark", at("missed").value, at("type").value).then(() => { if (at("message").hidden) at("missed").value = ""; });
});
at("missed").addEventListener("keydown", (event) => { if (event.key === "Escape") event.target.blur(); });
at("release").addEventListener("click", () => busily(async () => {
  say("Releasing …");
  const given = await ask("api/release", {});
  const outcomes = Object.entries(given.outcomes).map(([name, count]) => `${count} ${(ENDS[name] || [name.toLowerCase()])[0]}`);
  say([`Written: ${given.out}`, outcomes.join(", "), ...given.notes].join("\n"));
}));

busily(async () => {
  all = await ask("api/overview");
  at("type").replaceChildren(...all.types.map((name) => make("option", name)));
  const wanted = Number(location.hash.slice(1)) || 0;
  await open(wanted < all.documents.length ? wanted : 0);
});
