(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const body = document.getElementById("body");
  const panel = document.getElementById("panel");
  const why = document.getElementById("why");
  const filters = document.getElementById("filters");
  const said = JSON.parse(document.getElementById("said").textContent);
  let pinned = null;
  let lit = [];

  const make = (tag, text, style) => {
    const node = document.createElement(tag);
    if (text !== undefined && text !== null) node.textContent = text;
    if (style) node.className = style;
    return node;
  };
  const percent = (p) => p === null || p === undefined ? "" : ` ${(100 * p).toFixed(p < 0.1 ? 1 : 0)} %`;

  function pair(list, name, value) {
    if (value === "" || value === null || value === undefined) return;
    list.append(make("dt", name), make("dd", value));
  }

  function rungOf(rung) {
    const item = make("li", null, `${rung.outcome || ""}${rung.chosen ? " chosen" : ""}`);
    item.append(make("b", rung.text));
    const parts = [rung.chosen ? "taken" : "", rung.source, rung.entry ? `entry: ${rung.entry}` : "",
      rung.outcome ? said[rung.outcome] || rung.outcome : "", rung.rule ? `rule: ${rung.rule}` : "",
      rung.risk === null || rung.risk === undefined ? "" : `risk ${Number(rung.risk).toFixed(3)}`];
    item.append(make("span", parts.filter(Boolean).join(" · "), "meta"));
    if (rung.risk) {
      const meter = make("div", null, "meter");
      const fill = make("i");
      fill.style.width = `${Math.min(100, 100 * rung.risk)}%`;
      meter.append(fill);
      item.append(meter);
    }
    if (rung.guesses && rung.guesses.length) {
      const list = make("ol", null, "guesses");
      list.setAttribute("aria-label", "guesses, likeliest first");
      for (const { text, p } of rung.guesses) list.append(make("li", text + percent(p)));
      item.append(list);
    }
    return item;
  }

  function show(span) {
    for (const node of lit) node.classList.remove("on", "twin");
    const entry = data[span.dataset.d];
    const [at, original] = entry.places[span.dataset.p];
    const story = entry.stories[at];
    lit = [...document.querySelectorAll(`#doc-${span.dataset.d} .s[data-p="${span.dataset.p}"]`)];
    for (const node of lit) node.classList.add(node === span ? "on" : "twin");
    const facts = make("dl");
    pair(facts, "Original", original);
    const after = lit.find((node) => node.closest(".after"));
    pair(facts, "Now", after ? after.textContent : "(part of another replacement, or gone)");
    pair(facts, "Type", story.kind);
    pair(facts, "Outcome", said[story.outcome] || story.outcome);
    const ladder = make("ol", null, "rungs");
    for (const rung of story.rungs) ladder.append(rungOf(rung));
    why.replaceChildren(facts);
    if (story.rungs.length) why.append(make("h3", "Candidates, most specific first"), ladder);
    panel.classList.remove("empty");
  }

  function release() {
    pinned = null;
    for (const node of lit) node.classList.remove("on", "twin");
    lit = [];
    panel.classList.add("empty");
  }

  const spanOf = (event) => {
    const span = event.target.closest ? event.target.closest(".s") : null;
    return span && !span.classList.contains("off") ? span : null;
  };
  body.addEventListener("pointerover", (event) => {
    const span = spanOf(event);
    if (span && !pinned && event.pointerType === "mouse") show(span);
  });
  body.addEventListener("click", (event) => {
    const span = spanOf(event);
    if (!span) return;
    if (pinned === span) { pinned = null; return; }
    pinned = span;
    show(span);
  });
  body.addEventListener("focusin", (event) => {
    const span = spanOf(event);
    if (span) show(span);
  });
  document.getElementById("close").addEventListener("click", release);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { release(); return; }
    const span = document.activeElement.closest ? document.activeElement.closest(".s") : null;
    if (!span) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      pinned = pinned === span ? null : span;
      show(span);
    }
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (step) {
      const side = span.closest(".text");
      const open = [...side.querySelectorAll(".s:not(.off)")];
      const next = open[open.indexOf(span) + step];
      if (next) { event.preventDefault(); pinned = null; next.focus(); }
    }
  });

  function apply() {
    const on = (name) => new Set([...filters.querySelectorAll(`input[name="${name}"]:checked`)].map((box) => box.value));
    const outcomes = on("outcome"), kinds = on("kind");
    const least = Number(document.getElementById("risk").value);
    document.getElementById("risk-said").textContent = least.toFixed(2);
    const view = filters.querySelector('input[name="view"]:checked');
    if (view) body.dataset.view = view.value;
    body.dataset.colour = document.getElementById("colour").value;
    let shown = 0, all = 0;
    for (const span of body.querySelectorAll(".s")) {
      const match = outcomes.has(span.dataset.o) && kinds.has(span.dataset.k) && Number(span.dataset.r) >= least;
      span.classList.toggle("off", !match);
      span.tabIndex = match ? 0 : -1;
      if (span.closest(".after")) { all += 1; if (match) shown += 1; }
    }
    document.getElementById("count").textContent = `${shown.toLocaleString("en")} of ${all.toLocaleString("en")} places`;
  }
  filters.addEventListener("input", apply);
  filters.addEventListener("submit", (event) => event.preventDefault());
  const go = document.getElementById("go");
  if (go) go.addEventListener("change", () => document.getElementById(go.value).scrollIntoView());
  apply();
})();
