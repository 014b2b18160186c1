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
  dates: "by rules about dates", quantities: "by rules about amounts", knowledge: "from the built-in reference data",
  llm: "from the language model", glossary: "from your glossary", reviewer: "a person's own", label: "label",
};
const ENDS = {
  SAFE: ["not guessed", "good"], CONTEXT: ["given away by the rest of the text", "doubt"], GUESSED: ["guessed", "bad"], UNPARSED: ["could not be tried", "bad"],
  COVERED: ["inside a longer one", "soft"], CLEAR: ["in clear, as decided", "doubt"], DOUBT: ["perhaps missed", "doubt"], UNTESTED: ["not tried", "bad"], LABEL: ["a label", "soft"], "": ["", ""],
};
const PROOFS = {
  VALUE: "True by arithmetic", KNOWLEDGE: "True as far as the built-in reference data go", ENTAILMENT: "Probably true: a program compared it with the sentence",
  MODEL: "Held to be true by a language model that was put to the test",
};
const DONE = {
  accept: "accepted", choose: "chosen", phrase: "own phrase", always: "always so", mask: "masked", keep: "kept as it is", mark: "missed text hidden",
  unmark: "not personal", split: "split off", join: "joined", retype: "another type", clear: "nothing personal",
};

const SHARES = [
  [0.005, "hardly ever"], [0.03, "about one time in fifty"], [0.075, "about one time in twenty"], [0.15, "about one time in ten"], [0.225, "about one time in five"],
  [0.29, "about one time in four"], [0.365, "about one time in three"], [0.45, "about two times in five"], [0.6, "about every other time"], [0.85, "about three times in four"],
  [Infinity, "nearly always"],
];
const TYPES = {
  PERSON: "person", CODE: "number or address", LOC: "place", ORG: "organisation", DEM: "trait: work, faith, health, family", DATETIME: "time or date",
  QUANTITY: "amount", MISC: "something else",
};
const kindOf = (type) => (TYPES[type] ? `${type} – ${TYPES[type]}` : type);
const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

let all = null;      // what there is to review
let number = 0;      // of the document shown
let shown = null;    // the document
let here = "";       // key of the entity shown
let order = [];      // keys as they stood when the document was opened: the queue does not jump
let busy = false;
let wide = false;    // whether the queue is that of all documents
let written = "";    // what the last release said, until something is decided
let refused = "";    // key of the thing that a refusal is about
let typed = [];      // keys that were pressed while something was under way: none is lost

const KEY = "intact-review";  // kept by the browser for this host and port alone, unlike a cookie

async function ask(path, body, read = (answer) => answer.json()) {
  const headers = { Authorization: `Bearer ${localStorage.getItem(KEY)}` };
  const options = body === undefined ? { headers } : {
    method: "POST", body: JSON.stringify(body), headers: { ...headers, "Content-Type": "application/json" },
  };
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error("The review has ended. Start it again: nothing that was decided is lost.");
  }
  if (answer.status === 401) throw new Error("Open the address that intact review printed: it works once, in one browser.");
  if (!answer.ok) throw new Error((await answer.json()).error);
  return read(answer);
}

async function enter() {  // the token of the address is changed for the key; used once, it does no harm
  const given = location.search;
  if (!given) return;
  history.replaceState(null, "", `${location.pathname}${location.hash}`);
  await ask(`open${given}`, {}).then((answer) => localStorage.setItem(KEY, answer.secret), () => {});
}

function say(given, kind = "") {  // what was written stays in view until something is decided
  const text = given || written;
  at("message").textContent = text;
  at("message").className = kind;
  at("message").hidden = !text;
  at("detail").querySelector("form")?.scrollIntoView({ block: "nearest" });  // a message takes room
  refused = kind === "bad" ? here : "";
}

async function busily(what) {
  if (busy) return;
  busy = true;
  document.body.setAttribute("aria-busy", "true");
  try { await what(); } catch (error) { say(error.message, "bad"); typed = []; }
  busy = false;
  document.body.removeAttribute("aria-busy");
  if (typed.length) press(typed.shift());
}

const called = (one) => one.surfaces.slice(0, 3).join(" / ") + (one.surfaces.length > 3 ? " / …" : "");  // by all its names: the first may be a wrong find
const things = (given) => [...given.doubtful, ...given.entities].sort((a, b) => b.concern - a.concern);
const entity = () => things(shown).find((one) => one.key === here);
const mine = () => things(shown).sort((a, b) => {
  const place = (one) => (order.includes(one.key) ? order.indexOf(one.key) : -1);
  return place(a) - place(b);
});
const queue = () => (wide ? all.queue : mine().map((one) => ({ ...one, document: number })));
const urgency = (a, b) => Boolean(a.decided) - Boolean(b.decided) || b.concern - a.concern;
function moved(before, after) {  // what else changed its words, but for the things that were decided on
  const ids = (view) => new Set(view.done.map((one) => one.id));
  const other = (one, two) => one.done.filter(({ id }) => !ids(two).has(id)).flatMap((line) => line.spans);
  const name = ({ start, end }) => `${start}-${end}`;
  const about = new Set([...other(before, after), ...other(after, before)].map(name));
  const then = new Map(before.entities.flatMap((one) => one.places.map((place) => [name(place), one.replacement])));
  const rest = after.entities.filter((one) => !one.places.some((place) => about.has(name(place))));
  return rest.map((one) => ({ before: then.get(name(one.places[0])), after: one.replacement })).filter((one) => one.before && one.before !== one.after);
}

const isHere = (one) => one.key === here && (one.document ?? number) === number;

function take(given) {
  const place = shown ? mine().findIndex((one) => one.key === here) : 0;
  shown = given;
  all.documents[number] = given.summary;
  const left = new Map(things(given).map((one) => [one.key, { ...one, document: number }]));
  all.queue = all.queue.flatMap((one) => {
    if (one.document !== number) return [one];
    const now = left.get(one.key);
    left.delete(one.key);
    return now ? [now] : [];
  });
  for (const one of left.values()) {  // before the first that is less urgent
    const next = all.queue.findIndex((other) => urgency(one, other) < 0);
    all.queue.splice(next < 0 ? all.queue.length : next, 0, one);
  }
  at("detail").told = "";
  if (!entity()) here = (mine()[place] || mine()[0] || { key: "" }).key;
  draw();
}

async function open(next, key = "") {
  say("Reading the document …");
  number = next;
  history.replaceState(null, "", `#${number}`);
  const given = await ask(`api/documents/${number}`);
  say("");
  const all_of_it = things(given);
  order = all_of_it.map((one) => one.key);
  here = key || (all_of_it.find((one) => !one.decided) || all_of_it[0] || { key: "" }).key;
  take(given);
}

async function look() {  // what other documents hold, as far as they are read
  const given = await ask("api/overview");
  const known = new Map((all ? all.queue : []).map((one, at) => [`${one.document} ${one.key}`, at]));
  const place = (one) => known.get(`${one.document} ${one.key}`) ?? Infinity;
  if (known.size) given.queue.sort((a, b) => urgency(a, b) || place(a) - place(b));
  all = given;
  if (shown) draw();
  if (all.documents.some((one) => !one.ready && !one.problem)) setTimeout(() => { look().catch(() => {}); }, 700);
}

function decide(action, text = "", more = {}, go = false) {
  return busily(async () => {
    const key = ["mark", "clear", "undo"].includes(action) ? "" : here;
    const name = key ? called(entity()) : action === "mark" ? text : "";
    const stood = key ? entity().places : [];
    written = "";
    const refuse = (error) => { throw new Error(name ? `“${name}”: ${error.message}` : error.message); };
    const given = await ask(`api/documents/${number}/decide`, { action, key, text, ...more }).catch(refuse);
    const label = (text) => /_\d+$/.test(text) && text.replace(/\d+$/, "");
    const changed = shown.id === given.id ? moved(shown, given) : [];
    const numbered = changed.filter((one) => label(one.before) && label(one.before) === label(one.after)).length;
    const others = changed.filter((one) => !label(one.before) || label(one.before) !== label(one.after)).map((one) => `${one.before} → ${one.after}`);
    if (given.key) here = given.key;
    const old = here;
    const said = [...given.told];
    const chosen = ["phrase", "always"].includes(action) && given.entities.find((one) => one.key === given.key)?.candidates.find((rung) => rung.chosen);
    if (chosen) said.unshift(`${proof(chosen.evidence)}.`);
    const inside = given.entities.some((one) => one.places.some((place) => stood.some((old) => place.start < old.end && old.start < place.end)));
    if (["unmark", "keep"].includes(action)) said.unshift(`“${name}” stays in clear: ${DONE[action]} (u undoes).${inside ? " What is hidden elsewhere stays hidden inside of it." : ""}`);
    else if (name) said.unshift(`“${name}”: ${DONE[action]} (u undoes).`);
    else if (action === "undo" && given.number === number) said.unshift("Taken back.");
    if (action === "undo" && given.number !== number) {  // the last decision was about another document
      number = given.number;
      order = things(given).map((one) => one.key);
      history.replaceState(null, "", `#${number}`);
      said.unshift(`Taken back in ${given.id}.`);
    }
    take(given);
    if (action === "always") await look();
    if (action === "always") said.push(`From now on, in ${all.glossary}: give it to intact sanitize with --glossary.`);
    if (others.length) said.push(`This changed something else, too: ${others.slice(0, 3).join("; ")}${others.length > 3 ? ` and ${others.length - 3} more` : ""}`);
    if (numbered) said.push(`${numbered === 1 ? "One label has" : `${numbered} labels have`} another number now.`);
    if (go && here === old) said.push(await step(true));
    say(said.join("\n").trim(), chosen && isAlone(chosen.evidence) ? "doubt" : "");
  });
}

async function show(one) {
  say("");
  if (one.document !== number) await open(one.document, one.key);
  else { here = one.key; draw(); }
  if (matchMedia("(max-width: 42rem), (max-height: 32rem)").matches) at("detail").scrollIntoView();
}

async function step(undecided, way = 1) {
  if (wide && undecided && all.queue.every((one) => one.decided)) await look();  // the queue has the worst of all only
  const list = queue();
  const from = list.findIndex(isHere);
  for (let far = 1; far <= list.length; far += 1) {
    const one = list[(from + way * far + list.length * far) % list.length];
    if (!undecided || !one.decided) { await show(one); return ""; }
  }
  return undecided ? "All of this queue is decided. Detection misses things: read the texts, then release." : "";
}

// What is drawn

function fill(list, things, drawn) {  // draws again only what has changed: a queue is long
  things.forEach((one, index) => {
    const told = JSON.stringify([one, isHere(one), wide]);
    const old = list.children[index];
    if (old && old.told === told) return;
    const node = Object.assign(drawn(one), { told });
    if (old) old.replaceWith(node);
    else list.append(node);
  });
  while (list.children.length > things.length) list.lastChild.remove();
}

function draw() {
  if (refused && refused !== here) say("");
  const sums = all.documents.filter((one) => one.ready);
  const add = (name) => sums.reduce((sum, one) => sum + one[name], 0);
  const read = sums.length < all.documents.length ? `, ${sums.length} of ${all.documents.length} documents read` : "";
  const whole = all.documents.length > 1 ? `; ${add("chosen")} of ${add("found")} places in all${read}` : "";
  const { chosen, found, seen, doubtful, kept, rows } = shown.summary;
  const given = kept + rows ? `, ${kept + rows} by the glossary` : "";
  const missed = doubtful ? `, ${seen} of ${doubtful} perhaps missed looked at` : "";
  at("progress").textContent = `${chosen} of ${found} places decided${given}${missed}${whole}. You decide as ${all.by}`;
  const names = all.documents.map((one, index) => {
    const state = one.ready ? ` (${one.chosen}/${one.found})` : one.problem ? " (!)" : "";
    const option = make("option", `${one.id}${state}`);
    option.value = index;
    return option;
  });
  at("documents").replaceChildren(...names);
  at("documents").value = number;
  at("scope").hidden = all.documents.length < 2;
  const covers = read ? `, ${sums.length} of ${all.documents.length} read so far` : "";
  const listed = all.found > all.queue.length ? `, the worst ${all.queue.length} of ${all.found}: the others follow when these are decided` : "";
  at("scope").replaceChildren(wide ? `All documents${covers}${listed} ` : "This document ", make("kbd", "q"));
  fill(at("queue"), queue(), item);
  const labels = new Map();
  for (const one of shown.entities.filter((each) => each.outcome === "LABEL")) labels.set(one.replacement, [...(labels.get(one.replacement) || []), ...one.surfaces]);
  at("who").replaceChildren(...[...labels].map(([label, words]) => make("li", `${label}: ${[...new Set(words)].join(" / ")}`)));
  at("done").replaceChildren(...(shown.done.length ? shown.done.map(past) : [make("li", "Nothing yet.", "soft")]));
  const about = JSON.stringify([number, entity()]);
  if (at("detail").told !== about) {  // what is being typed stays while other documents are read
    at("detail").replaceChildren(...detail(entity()));
    Object.assign(at("detail"), { told: about, scrollTop: 0 });
  }
  fill(at("original"), pieces(), piece);
  if (at("original").scrolled !== about) reveal(at("original").querySelector("mark.here"));
  at("original").scrolled = about;
  at("sanitised").textContent = shown.text;
  const told = shown.notes.map(worded);
  if (all.unread.length) told.unshift(`skipped, in no readable format, and not released: ${all.unread.join(", ")}. ${all.remedy}`);
  if (shown.rate) told.push(`Estimate before any review: ${shown.rate.toFixed(1)} details missed per 100 words of this document.`);
  at("notes").hidden = !told.length;
  at("notes").replaceChildren(...told.map((note) => make("li", note, /^(?:not|skipped)\b/.test(note) ? "bad" : "soft")));
  const current = at("queue").querySelector("[aria-current]");
  if (current && at("queue").scrolled !== about) current.scrollIntoView({ block: "nearest" });
  at("queue").scrolled = about;  // what other documents bring scrolls nothing
}

function pieces() {  // of the original, with the place that is looked at though nothing was found there
  const [start, end] = here.startsWith("?") ? here.slice(1).split("-").map(Number) : [-1, -1];
  let from = 0;
  return shown.original.flatMap((one) => {
    const all_of_it = Array.from(one.text);
    const [low, high] = [start - from, end - from];
    from += all_of_it.length;
    if (low < 0 || high > all_of_it.length) return [one];
    const parts = [[0, low, ""], [low, high, here], [high, all_of_it.length, ""]];
    return parts.filter(([left, right]) => left < right).map(([left, right, key]) => ({ text: all_of_it.slice(left, right).join(""), key }));
  });
}

function reveal(mark) {  // scrolls the boxes that it stands in, never the page
  for (const box of mark ? [at("original"), at("whole")] : []) {
    const [inner, outer] = [mark.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) box.scrollTop += inner.top - outer.top - box.clientHeight / 3;
  }
}

const placed = (one) => [...new Set((one.sentences || []).flatMap(({ after }) => (after || []).filter((_, index) => index % 2)))];  // the words in the text
const plainly = (text) => text.toLowerCase().replace(/^(?:an?|the)\s+/, "");
function standing(one) {  // what is written where it stands
  const words = placed(one);
  return words.some((each) => plainly(each) === plainly(one.replacement)) || !words.length ? one.replacement : words.join(" / ");
}

function item(one) {
  const button = make("button");
  button.type = "button";
  const [word, kind] = one.drifted ? ["text changed since", "bad"] : one.decided ? [`✓ ${DONE[one.decided.action]}`, "good"]
    : one.doubtful ? ["doubtful find", "doubt"] : one.weak ? ["doubtful words", "doubt"] : ending(one);
  const where = wide ? `${all.documents[one.document].id}: ` : "";
  button.append(make("span", called(one), "name"), make("span", word, `tag ${kind}`), make("span", `${where}${standing(one)}`, "now"));
  if (isHere(one)) button.setAttribute("aria-current", "true");
  button.addEventListener("click", () => busily(async () => { await show(one); at("detail").focus(); }));
  const line = make("li");
  line.append(button);
  return line;
}

function past(one) {
  const line = make("li");
  const typed = ["mark", "split", "join", "retype"].includes(one.action);
  const thing = shown.entities.find((each) => each.decided?.id === one.id);  // what it stands for now, in the words of its sentence
  const to = one.phrase ? ` → ${thing ? standing(thing) : one.phrase}` : typed ? ` (${one.entity_type})` : "";
  const back = make("button", "Take back");
  back.type = "button";
  back.addEventListener("click", () => decide("undo", one.id));
  line.append(make("span", one.text, "name"), `: ${DONE[one.action]}${to}`);
  if (one.state !== "in force") line.append(make("span", ` – ${one.state}, look again`, "bad"));
  line.append(make("span", ` by ${one.by}, ${when(one.at)}${one.reason ? `: ${one.reason}` : ""} `, "soft"), back);
  return line;
}

function worded(note) {  // on a decision: who made it, and about what
  const [, why, id] = /^not as decided: (.*) \[[^[]*, (\w+)\]$/.exec(note) || [];
  const line = shown.done.find((one) => one.id === id);
  return line ? `not as decided: ${line.entity_type}${line.text && ` “${line.text}”`}, by ${line.by}: ${why}` : note;
}

const when = (at) => `${at.slice(0, 16).replace("T", " ")} UTC`;
function piece(one) {
  if (!one.key) return make("span", one.text);
  if (one.key === "kept") return Object.assign(make("mark", one.text, "kept"), { title: "kept in clear by the glossary" });
  const mark = make("mark", one.text, one.key === here ? "here" : "");
  mark.addEventListener("click", () => { if (String(getSelection())) return; say(""); here = one.key; draw(); });
  return mark;
}

function detail(one) {
  if (!one) return [make("h2", "Nothing was found"), make("p", "Read the text: detection misses things.")];
  if (one.outcome === "DOUBT") return doubt(one);
  const stands = one.candidates.find((rung) => rung.chosen);
  const [word, kind] = ending(one);
  const times = one.places.length === 1 ? "one place" : `${one.places.length} places`;
  const head = make("p", `${kindOf(one.type)}, ${times}. `, "soft");
  if (one.doubtful) head.append(make("span", "INTACT is not sure that this is personal. ", "doubt"));
  if (one.hedged) head.append(make("span", "It leaves out a word of doubt or denial (“alleges”, “no”): is it still true? ", "doubt"));
  if (one.drifted) head.append(make("span", "The text changed since it was decided: look again. ", "bad"));
  if (word) head.append(make("span", `${word[0].toUpperCase()}${word.slice(1)}. `, kind));
  if (stands) head.append(make("span", `${proof(stands.evidence)}.`, one.weak || isAlone(stands.evidence) ? "doubt" : ""));
  const parts = [make("h2", "Current replacement"), head];
  if (one.decided) {
    const why = one.decided.reason ? `: ${one.decided.reason}` : "";
    parts.push(make("p", `✓ ${DONE[one.decided.action]} by ${one.decided.by}, ${when(one.decided.at)}${why}`, "good"));
  }
  for (const { before, after } of one.sentences) {
    const pair = make("div", "", "pair");
    pair.append(make("h3", "Before"), sentence(before, ""), make("h3", "After"), sentence(after, "new"));
    parts.push(pair);
  }
  parts.push(make("h2", "What could stand there instead"), choices(one), actions(one));
  return parts;
}

function doubt(one) {  // a place where the detector may have missed something
  const guess = one.score < 0.05 ? "Probably not, but look. " : one.score < 0.4 ? "Perhaps not, but look. " : one.score < 1 ? "Quite likely. " : "";
  const parts = [make("h2", "Something may have been missed here"), make("p", `${one.replacement[0].toUpperCase()}${one.replacement.slice(1)}. Does it tell anything about a person? ${guess}`, "soft")];
  if (one.decided) parts.push(make("p", `✓ ${DONE[one.decided.action]} by ${one.decided.by}, ${when(one.decided.at)}`, "good"));
  const box = make("div", "", "pair");
  box.append(sentence(one.sentences[0].before, "unsure"));
  const select = options(all.types.map((type) => [type, kindOf(type)]));
  select.value = all.types.includes(one.type) ? one.type : "MISC";
  const label = make("label", "Type ");
  label.append(select);
  const places = one.places.map((place) => [place.start, place.end]);
  const acts = make("div", "", "actions");
  acts.append(
    button("Nothing personal", "a", () => decide("clear", "", { places }, true), "main"),
    button("Hide it", "m", () => decide("mark", one.surfaces[0], { type: select.value, places })),
    label,
  );
  return [...parts, box, acts, make("p", "Is it longer than what is marked? Select it in the text on the right.", "soft")];
}

function sentence(parts, kind) {  // every second part is a place of the thing
  const line = make("p");
  line.append(...parts.map((text, index) => (index % 2 ? make("mark", text, kind) : text)));
  return line;
}

const FEW = 6;  // places from which on a thing is accepted only where the last one was in view
function accept(one) {
  const bottom = Math.min(innerHeight, at("detail").getBoundingClientRect().bottom);
  const below = [...at("detail").querySelectorAll(".pair mark")].find((mark) => mark.getBoundingClientRect().top >= bottom);
  if (one.places.length <= FEW || !below) { decide("accept", one.replacement, {}, true); return; }
  below.scrollIntoView();
  say(`“${called(one)}” stands at ${one.places.length} places, some of them further down: look at them, then accept.`);
}

const isAlone = (evidence) => evidence?.kind === "PERSON";  // on the word of a person
function proof(evidence) {  // what shows that a phrase is true
  if (!evidence) return "Nothing shows that it is true";
  if (isAlone(evidence)) return "Nothing here could check this: it stands on your word alone";
  if (evidence.p < 0.5) return `Doubtful, perhaps not true: a program that compared it with the sentence gives it ${Math.round(100 * evidence.p)}\u00a0%`;
  return PROOFS[evidence.kind];
}

function odds(risk) {  // that one of the guesses is right
  const [, words] = SHARES.find(([most]) => risk < most);
  const count = shown.most_guesses;
  return `somebody with ${count === 1 ? "one guess" : `${NUMBERS[count] || count} guesses`} would be right ${words}`;
}

const MANY = /^one of (\d+)$/;
function tried(rung, one) {  // what was guessed, and why it does or does not count
  const named = rung.guesses.filter((guess) => !MANY.test(guess));
  const among = rung.guesses.map((guess) => MANY.exec(guess)).find(Boolean);
  const said = among ? [Number(among[1]) > 999 ? "So many values fit that nobody can pick one. " : `Any of ${among[1]} values fits equally well. `] : [];
  if (named.length) said.push(`Guessed: ${named.join(", ")}. `);
  const low = one.surfaces.map((surface) => surface.toLowerCase());
  const hit = rung.outcome === "SAFE" && named.find((guess) => low.some((surface) => ` ${surface} `.includes(` ${guess.toLowerCase()} `)));
  if (hit) {
    const whole = low.includes(hit.toLowerCase());
    said.push(`“${hit}” does not count: ${whole ? "it is one of many that fit as well, and nothing shows which is meant. " : "it is a part only, and does not tell the rest. "}`);
  }
  return [said.join(""), hit];
}

function ending(one) {  // how the attack on what stands ended
  const stands = one.candidates?.find((rung) => rung.chosen);
  return stands && tried(stands, one)[1] ? ["not found out", "good"] : ENDS[one.outcome];
}

function choices(one) {
  const box = make("div", "", "candidates");
  one.candidates.forEach((rung, index) => {
    const button = make("button");
    button.type = "button";
    button.setAttribute("aria-pressed", String(rung.chosen));
    if (index < 9) button.append(make("kbd", String(index + 1)), " ");
    const text = rung.chosen ? standing(one) : rung.text;
    button.append(make("span", text, "text1"), make("span", text === rung.text ? ` ${SOURCES[rung.source] || rung.source}` : ` in the text, for “${rung.text}”`, "soft"));
    const [guesses, hit] = tried(rung, one);
    const [word, kind] = hit ? ["not found out", "good"] : ENDS[rung.outcome];
    const told = make("div", "", "soft");
    if (word) told.append(make("span", word, kind), rung.risk === null ? ". " : `: ${odds(rung.risk)}. `);
    else told.append("Not tried yet: choose it, and it will be. ");
    if (rung.outcome === "UNPARSED") told.append("No program can read this phrase, so nobody knows how easily it is guessed. ");
    told.append(`${proof(rung.evidence)}. `, guesses);
    button.append(told);
    button.addEventListener("click", () => decide("choose", rung.text));
    box.append(button);
  });
  if (one.control !== null) box.append(make("p", `With nothing but the label there, ${odds(one.control)}.`, "soft"));
  if (!one.candidates.length) box.append(make("p", "Only its label is safe by rule. An own phrase may still be true and safe.", "soft"));
  return box;
}

function button(text, letter, act, kind = "") {
  const made = make("button", `${text} `, kind);
  made.type = "button";
  made.append(make("kbd", letter));
  made.dataset.letter = letter;
  made.addEventListener("click", act);
  return made;
}

function actions(one) {
  const box = make("div");
  const [often, seldom] = [make("div", "", "actions"), make("div", "", "actions seldom")];
  const written = (label, action, text = "") => () => {
    const input = make("input");
    Object.assign(input, { maxLength: 300, required: true, autocomplete: "off", value: text });
    const missing = action === "keep" ? "Say why it may stay as it is." : "Write what is to stand there.";
    prompt(box, label, [input], () => (input.value.trim() ? decide(action, input.value) : say(missing, "bad")));
  };
  const all_its = one.surfaces.length > 1 ? `, for all of ${one.surfaces.map((each) => `“${each}”`).join(", ")}` : "";
  const phrase = `as in mid-sentence (“a town in Norway”)${all_its}`;
  often.append(
    button("Accept", "a", () => accept(one), "main"),
    button("Own phrase", "e", written(`Own phrase, ${phrase}`, "phrase")),
    button(`Mask (${one.label})`, "m", () => decide("mask")),
    button("Keep as it is", "x", written("Why may it stay? (required)", "keep")),
    button("Not personal", "d", () => decide("unmark")),
  );
  const present = one.candidates.some((rung) => rung.chosen) ? one.replacement : "";
  seldom.append(button("Always …", "w", written(`Always for that, in every document, ${phrase}`, "always", present)));
  if (one.places.length > 1) seldom.append(button("Split", "s", () => split(box, one)));
  if (shown.entities.length > 1) seldom.append(button("Join", "g", () => join(box, one)));
  seldom.append(button("Type", "t", () => retype(box, one)));
  box.append(often, seldom);
  return box;
}

function split(box, one) {
  const list = make("div", "", "places");
  list.append(...one.places.map((place) => {
    const label = make("label");
    const check = make("input");
    Object.assign(check, { type: "checkbox", value: `${place.start} ${place.end}` });
    label.append(check, `… ${place.words} …`);
    return label;
  }));
  prompt(box, "Which of its places are somebody or something else?", [list], () => {
    const places = [...list.querySelectorAll(":checked")].map((check) => check.value.split(" ").map(Number));
    decide("split", "", { places });
  });
}

function join(box, one) {  // first what has most of its name
  const words = (thing) => new Set(thing.surfaces.join(" ").toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));
  const own = words(one);
  const alike = (other) => [...words(other)].filter((word) => own.has(word)).length;
  const others = mine().filter((other) => other.key !== one.key)
    .sort((a, b) => alike(b) - alike(a) || (b.type === one.type) - (a.type === one.type));
  const select = options(others.map((other) => [other.key, `${called(other)} (${other.type})`]));
  prompt(box, "It is the same as", [select], () => decide("join", select.value));
}

function retype(box, one) {
  const select = options(all.types.filter((type) => type !== one.type).map((type) => [type, kindOf(type)]));
  prompt(box, "It is of type", [select], () => decide("retype", "", { type: select.value }));
}

function options(pairs, select = make("select")) {
  select.replaceChildren(...pairs.map(([value, text]) => Object.assign(make("option", text), { value })));
  return select;
}

function prompt(box, label, fields, act) {
  box.querySelector("form")?.remove();
  const form = Object.assign(make("form", "", "ask"), { noValidate: true });  // what is missing is said as any refusal is
  const field = make(fields[0].tagName === "DIV" ? "div" : "label", label);
  field.append(...fields);
  form.append(field, make("button", "Use this", "main"));
  form.addEventListener("submit", (event) => { event.preventDefault(); act(); });
  form.addEventListener("keydown", (event) => { if (event.key === "Escape") form.remove(); });
  box.append(form);
  form.scrollIntoView({ block: "nearest" });
  const first = form.querySelector("input, select");
  first.focus();
  first.select?.();
}

// Missed text

const letters = (text) => Array.from(text).length;  // offsets are code points

function places(part) {
  const whole = shown.original.map((one) => one.text).join("");
  const found = [];
  for (let from = whole.indexOf(part); part && from >= 0; from = whole.indexOf(part, from + 1)) {
    const [before, after] = [whole.slice(0, from), whole.slice(from + part.length)];
    if (/[\p{L}\p{N}_]$/u.test(before) || /^[\p{L}\p{N}_]/u.test(after)) continue;
    const start = letters(before);
    found.push([`${start} ${start + letters(part)}`, `only here: … ${before.slice(-25)}${part}${after.slice(0, 25)} …`]);
  }
  return found;
}

function wheres() {
  const found = places(at("missed").value.trim());
  const count = found.length === 1 ? "1 place" : `${found.length} places`;
  options([["", `everywhere (${count})`], ...(found.length > 1 ? found.slice(0, 200) : [])], at("where"));
}

// What a person does

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || !shown || at("keys").open || at("ask").open) return;
  if (event.target.matches("input, select")) {
    if (event.key === "Enter" && event.target.form && event.target.matches("select, [type=checkbox]")) {
      event.preventDefault();
      event.target.form.requestSubmit();
    }
    if (event.key === "Escape") { event.target.blur(); at("detail").focus(); }
    return;
  }
  if (event.repeat && /^[a-z1-9]$/.test(event.key) && !"jkn".includes(event.key)) { event.preventDefault(); return; }
  if (busy) {
    if (/^[a-z1-9?[\]]$/.test(event.key)) { typed.push(event.key); event.preventDefault(); }
    return;
  }
  if (press(event.key)) event.preventDefault();
}

function press(letter) {  // whether it is one of our keys
  const there = at("detail").querySelector(`[data-letter="${CSS.escape(letter)}"]`);
  if (there) {
    there.click();
    if (document.activeElement.matches("input, select")) typed = [];  // what was typed ahead is no text
    return true;
  }
  if (/^[1-9]$/.test(letter)) at("detail").querySelectorAll(".candidates button")[letter - 1]?.click();
  else if (letter === "j") busily(() => step(false));
  else if (letter === "k") busily(() => step(false, -1));
  else if (letter === "n") busily(async () => say(await step(true)));
  else if (letter === "q") at("scope").click();
  else if (letter === "u") decide("undo");
  else if (letter === "f") at("missed").focus();
  else if (letter === "?") at("keys").showModal();
  else if (letter === "]" && number + 1 < all.documents.length) busily(() => open(number + 1));
  else if (letter === "[" && number > 0) busily(() => open(number - 1));
  else return false;
  return true;
}

document.addEventListener("keydown", key);
at("undo").addEventListener("click", () => decide("undo"));
at("help").addEventListener("click", () => at("keys").showModal());
at("scope").addEventListener("click", () => { wide = !wide && all.documents.length > 1; draw(); });
at("documents").addEventListener("change", (event) => busily(() => open(Number(event.target.value))));
at("original").addEventListener("mouseup", () => {
  const text = String(getSelection()).trim();
  if (text) { at("missed").value = text.slice(0, 300); wheres(); }
});
at("missed").addEventListener("input", wheres);
at("mark").addEventListener("submit", (event) => {
  event.preventDefault();
  const only = at("where").value;
  const more = { type: at("type").value, places: only ? [only.split(" ").map(Number)] : [] };
  decide("mark", at("missed").value, more).then(() => {
    if (at("message").className !== "bad") { at("missed").value = at("type").value = ""; wheres(); at("detail").focus(); }
  });
});
document.addEventListener("visibilitychange", () => {  // another tab may have decided something
  if (!document.hidden && shown && !at("detail").querySelector("form")) busily(async () => { take(await ask(`api/documents/${number}`)); await look(); });
});
function release(confirmed, state) {
  return busily(async () => {
    written = "";
    say("Releasing …");
    let given;
    try {
      given = await ask("api/release", { confirmed, state });
    } catch (error) {  // what is decided may be other than what is shown
      take(await ask(`api/documents/${number}`));
      await look();
      throw error;
    }
    if (given.questions) { say(""); question(given.questions, given.state); return; }
    const outcomes = Object.entries(given.outcomes).filter(([, count]) => count).map(([name, count]) => `${count} ${(ENDS[name] || [name.toLowerCase()])[0]}`);
    written = [`Written: ${given.out}`, ...(outcomes.length ? [`Of its places: ${outcomes.join(", ")}.`] : []), ...given.notes, "The decisions hold originals."].join("\n");
    say("");
  });
}

function question(lines, state) {
  at("confirm").dataset.state = state;
  at("questions").replaceChildren(...lines.map((line) => {
    const label = make("label");
    label.append(Object.assign(make("input"), { type: "checkbox", required: true, value: line }), line);
    const node = make("li");
    node.append(label);
    return node;
  }));
  at("ask").showModal();
}

at("release").addEventListener("click", () => release([], ""));
at("not-yet").addEventListener("click", () => at("ask").close());
at("confirm").addEventListener("submit", (event) => {
  event.preventDefault();
  at("ask").close();
  release([...at("questions").querySelectorAll("input")].map((one) => one.value), at("confirm").dataset.state);
});

at("audit").addEventListener("click", (event) => {
  event.preventDefault();
  busily(async () => {
    const href = URL.createObjectURL(await ask("api/audit", undefined, (answer) => answer.blob()));
    Object.assign(make("a"), { href, download: "decisions.csv" }).click();
  });
});

busily(async () => {
  await enter();
  await look();
  options([["", "choose …"], ...all.types.map((name) => [name, kindOf(name)])], at("type"));
  at("where").append(make("option", "everywhere"));
  wide = all.documents.length > 1;
  const wanted = Number(location.hash.slice(1)) || 0;
  const [worst] = wide && !location.hash ? all.queue : [];
  if (worst) await open(worst.document, worst.key);
  else await open(wanted < all.documents.length ? wanted : 0);
});
