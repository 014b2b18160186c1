"""A whole review in a real browser: by keyboard, reloaded, in two tabs, killed in the middle."""

import html
import json
import re
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

playwright = pytest.importorskip("playwright.sync_api")
pytest.importorskip("fastapi")
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs a chromium: apt install chromium"),
]
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
HOSTILE = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"
TEXTS = {
    "one.txt": f"Ann Lee moved to Leeds in 1978. {HOSTILE}\n",
    "two.html": "<html><body><p>Bob Ray was born on 3 May 1951 in Bergen.</p></body></html>",
    "three.csv": "id,text\nc1,Carl Moe paid 300 euros in Oslo.\n",
    "four.jsonl": json.dumps({"id": "j1", "text": "Dora Fox speaks Norwegian and likes Siemens."}),
    "five.txt": "Eve Hill lives in York, at number 12.\n",
}
CITIES = "Leeds York Oslo Bergen Paris Lyon Rome Milan Madrid Seville Vienna Graz".split()


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield made
        made.close()


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "in"
    made.mkdir()
    for name, text in TEXTS.items():
        (made / name).write_text(text, "utf-8")
    return made


@contextmanager
def reviewing(folder, *more):
    command = [sys.executable, "-m", "intact", "review", str(folder), *more]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        found = re.search(r"http://\S+", process.stderr.readline())
        yield process, found.group()
    finally:
        process.kill()
        process.communicate()


def opened(browser, address):
    """A page of a new browser profile, with what it asked for."""
    page = browser.new_context().new_page()
    page.set_default_timeout(30_000)
    page.asked = []
    page.on("request", lambda request: page.asked.append(request.url))
    for _ in range(100):
        try:
            page.goto(address)
            break
        except playwright.Error:  # not listening yet
            time.sleep(0.1)
    page.wait_for_selector("#queue button")
    return page


def wait(page, holds):
    """Until a condition holds; not in the page, whose policy forbids to evaluate strings."""
    until = time.monotonic() + 30
    while not page.evaluate(holds):
        assert time.monotonic() < until, holds
        time.sleep(0.02)


def decided(page, count):
    wait(page, f"document.getElementById('progress').textContent.startsWith('{count} of')")


def accept_all(page):
    """Everything that is undecided, over all documents, by two keys."""
    left = "all.queue.filter((one) => !one.decided).length"
    wait(page, "!busy && all.documents.every((one) => one.ready)")
    for _ in range(60):
        count = page.evaluate(left)
        if not count:
            return
        if page.evaluate("Boolean(entity().decided)"):
            page.keyboard.press("n")
            wait(page, "!busy && !entity().decided")
        page.keyboard.press("a")
        wait(page, f"!busy && {left} < {count}")
    raise AssertionError("there is no end to it")


def release(page):
    """Release, after each question was confirmed; return the questions."""
    page.click("#release")
    written = "document.getElementById('message').textContent.includes('Written')"
    wait(page, "!busy && document.getElementById('ask').open")
    boxes = page.query_selector_all("#questions input")
    for box in boxes:
        box.check()
    page.click("#confirm button.main")
    wait(page, written)
    return [box.get_attribute("value") for box in boxes]


SIZES = ((1280, 800), (1024, 600), (390, 844), (900, 420))
IN_VIEW = """(() => {
  const node = document.querySelector('NODE'), box = node.getBoundingClientRect();
  const seen = [[20, 8], [20, box.height - 8]].every(([right, down]) =>
    document.elementFromPoint(box.left + right, box.top + down) === node);
  return box.height > 0 && box.top >= 0 && box.bottom <= innerHeight && seen;
})()"""


def in_view(page, node="#message"):
    """Until nothing covers a node, and nothing of it is cut off."""
    wait(page, IN_VIEW.replace("NODE", node))


@pytest.mark.parametrize("count", [3, 60, 500])
def test_messages_stay_in_view(browser, tmp_path, count):
    path, certificate = tmp_path / "letter.txt", tmp_path / "page.html"
    days = [f"On {1 + n % 28} May {1960 + n // 28} he wrote.\n" for n in range(count - 2)]
    path.write_text(f"Ann Lee moved to Leeds.\n{''.join(days)}", "utf-8")
    with reviewing(path, "--certificate", str(certificate)) as (_, address):
        page = opened(browser, address)
        assert page.evaluate("queue().length") >= count
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            go_to(page, "Leeds", count + 9)
            press(page, "e", "in Leeds", "Enter")
            assert page.inner_text("#message").endswith(": “Leeds”")
            in_view(page)
            in_view(page, "#detail form input")
            for box in ("nav", "#detail", "#whole"):  # whatever is scrolled
                page.evaluate(f"document.querySelector('{box}').scrollTop = 99999")
            page.evaluate("scrollTo(0, 99999)")
            in_view(page)
            press(page, "Escape", "e", "a rainy place", "Enter")
            assert "on your word alone" in page.inner_text("#message")
            assert page.get_attribute("#message", "class") == "doubt"
            in_view(page)
            asked = release(page)
            assert "Written" in page.inner_text("#message")
            in_view(page)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    told = certificate.read_text("utf-8")
    assert "1 own phrase" in told and "confirmed by nobody" in told and "word alone" in told
    shown = json.loads(html.unescape(re.search(r'<pre id="record">(.*?)</pre>', told, re.S)[1]))
    assert [about for _, about in shown["confirmed"]] == [one.partition(" (/")[0] for one in asked]


def test_a_thing_of_many_places_is_accepted_when_they_were_in_view(browser, tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text(
        "".join(f"In {year} he moved to Leeds.\n" for year in range(1960, 1980)), "utf-8"
    )
    with reviewing(path) as (_, address):
        page = opened(browser, address)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            go_to(page, "Leeds")
            for _ in range(20):
                press(page, "a")
                if page.evaluate("shown.done.length"):
                    break
                assert "look at them, then accept" in page.inner_text("#message")
                in_view(page)
            assert page.evaluate("shown.done.length") == 1, (width, height)
            press(page, "u")


def test_the_queue_of_all_documents_stays_worst_first(browser, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("one", "two"):
        days = [f"On {1 + n % 28} May {1960 + n // 28} he wrote.\n" for n in range(200)]
        (folder / f"{name}.txt").write_text(f"Ann Lee moved to Leeds.\n{''.join(days)}", "utf-8")
    urgency = "all.queue.map((one) => [Boolean(one.decided), -one.concern].map(Number))"
    with reviewing(folder) as (_, address):
        page = opened(browser, address)
        wait(page, "!busy && all.documents.every((one) => one.ready)")
        for number in (1, 0):
            page.evaluate(f"busily(() => open({number}))")
            wait(page, f"!busy && number === {number}")
            shown = page.evaluate(urgency)
            assert len(shown) > 300 and shown == sorted(shown)
            assert page.evaluate("all.queue.some(isHere)")


def test_undo_goes_back_in_time_from_document_to_document(browser, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.txt").write_text(f"Ann Lee moved to Leeds, {name}.\n", "utf-8")
    with reviewing(folder) as (_, address):
        page = opened(browser, address)
        for number in (0, 1):
            page.evaluate(f"busily(() => open({number}))")
            wait(page, f"!busy && number === {number}")
            press(page, "m")
        page.evaluate("busily(() => open(0))")
        wait(page, "!busy && number === 0")
        press(page, "u")
        assert page.evaluate("shown.id") == "two" and "two" in page.inner_text("#message")
        press(page, "u")
        assert page.evaluate("shown.id") == "one" and not page.evaluate("shown.done.length")


def test_keys_pressed_faster_than_they_are_answered_are_all_done(browser, tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("".join(f"Ann Lee moved to {c}.\n" for c in CITIES), "utf-8")
    with reviewing(path) as (_, address):
        page = opened(browser, address)
        page.evaluate(
            "for (let i = 0; i < 10; i += 1) "
            "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }))"
        )
        wait(page, "!busy && !typed.length && shown.done.length >= 10")
        assert len(lines_of(tmp_path / "letter.txt.decisions")) == 10


def test_a_whole_review_by_keyboard(browser, folder, tmp_path):
    decisions, out = tmp_path / "in.decisions", tmp_path / "in.sanitized"
    with reviewing(folder) as (process, address):
        page = opened(browser, address)
        assert "token" not in page.url
        number = page.evaluate("all.documents.findIndex((one) => one.id === 'one')")
        page.evaluate(f"busily(() => open({number}))")
        wait(page, "shown.id === 'one' && !busy")
        assert "<script>" in page.inner_text("#original") and page.title() == "Review"
        page.keyboard.press("m")
        decided(page, 1)
        page.reload()
        decided(page, 1)
        tab = page.context.new_page()
        tab.goto(page.url)
        tab.wait_for_selector("#queue button")
        decided(tab, 1)
        process.kill()
        page.keyboard.press("a")
        page.wait_for_selector("#message.bad")
        assert "nothing that was decided is lost" in page.inner_text("#message")
    lines = decisions.read_text("utf-8").splitlines()
    assert len(lines) == 1
    with reviewing(folder) as (process, address):
        page = opened(browser, address)
        accept_all(page)
        assert page.title() == "Review"
        assert "read the texts" in page.inner_text("#message")
        press(page, "f", "nothing like that", "Enter")
        assert page.is_hidden("#message.bad")  # first a type is asked for
        press(page, "MISC", "Enter")
        page.wait_for_selector("#message.bad")
        release(page)
        assert {re.match(r"\w+://[^/]+", url).group() for url in page.asked} == {
            re.match(r"\w+://[^/]+", address).group()
        }
        process.kill()
        said = "".join(process.communicate())
    assert not any(name in said for name in ("Ann", "Bergen", "Norwegian"))
    assert decisions.read_text("utf-8").splitlines()[0] == lines[0]
    again = tmp_path / "again"
    command = ["sanitize", str(folder), "-o", str(again), "--decisions", str(decisions), "-q"]
    command += ["--no-original"]  # a release holds no originals
    subprocess.run([sys.executable, "-m", "intact", *command], check=True)
    for name in TEXTS:
        assert (again / name).read_bytes() == (out / name).read_bytes()
    assert "Lee" not in (out / "one.txt").read_text("utf-8")


def lines_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def press(page, *keys):
    """Keys, each when what the one before it asked for is there."""
    for key in keys:
        page.keyboard.press(key) if len(key) < 2 or key.istitle() else page.keyboard.type(key)
        wait(page, "!busy")


def go_to(page, surface, most=30):
    for _ in range(most):
        if page.evaluate(f"entity().surfaces.includes('{surface}')"):
            return
        press(page, "j")
    raise AssertionError(surface)


def test_every_action_by_keyboard(browser, tmp_path):
    path = tmp_path / "letter.txt"
    text = (
        "Ann Lee met Bob Ray in Leeds. Ms Lee liked a blue kite, any blue kite. So did Ray in York."
    )
    path.write_text(text, "utf-8")
    decisions = tmp_path / "letter.txt.decisions"
    with reviewing(path, "--by", "Q") as (_, address):
        page = opened(browser, address)
        go_to(page, "Ann Lee")
        press(page, "s", "Tab", "Space", "Enter")  # the second of its places
        assert lines_of(decisions)[-1]["surfaces"] == ["Ms Lee"]
        assert "PERSON_1: Ann Lee" in page.text_content("#who").replace("PERSON_2", "\n")
        go_to(page, "Ms Lee")
        press(page, "g", "Enter")  # the one of the same name stands there already
        assert sorted(lines_of(decisions)[-1]["surfaces"]) == ["Ann Lee", "Ms Lee"]
        assert page.evaluate("entity().surfaces.length") == 2
        press(page, "u")
        assert page.evaluate("entity().surfaces") == ["Ms Lee"]
        assert "Ms Lee" not in page.inner_text("#message")
        press(page, "g", "Enter")
        go_to(page, "Leeds")
        press(page, "e", "in Leeds", "Enter")
        assert page.inner_text("#message").startswith("“Leeds”: ")
        press(page, "Escape", "j")
        assert page.is_hidden("#message")
        go_to(page, "Leeds")
        press(page, "t")
        page.keyboard.type("ORG")
        press(page, "Enter")
        assert lines_of(decisions)[-1]["entity_type"] == "ORG"
        press(page, "u")
        for letter, missing in (("x", "Say why it may stay"), ("e", "Write what is to stand")):
            press(page, letter, "Enter")
            assert page.inner_text("#message").startswith(missing) and page.is_visible("form.ask")
            press(page, "Escape")
        press(page, "x", "everybody knows", "Enter")
        press(page, "f", "blue kite", "Tab")
        page.keyboard.type("MISC")
        assert page.evaluate("document.getElementById('where').selectedIndex") == 0  # everywhere
        press(page, "Tab", "only here", "Enter")
        assert page.evaluate("entity().surfaces") == ["blue kite"]  # the card follows
        last = lines_of(decisions)[-1]
        assert last["action"] == "mark" and len(last["spans"]) == len(last["left"]) == 1
        go_to(page, "York")
        press(page, "w")
        page.keyboard.press("Control+a")
        press(page, "a pretty place <b>", "Enter")
        assert "a pretty place <b>" in page.inner_text("#sanitised")
        assert "--glossary" in page.inner_text("#message")
        assert (tmp_path / "letter.txt.glossary").read_text("utf-8").count("\n") == 2
        done = [line["action"] for line in lines_of(decisions)]
        undone = ["join", "undo", "join", "retype", "undo"]
        assert done == ["split", *undone, "keep", "mark", "always"]
        for _ in undone:
            press(page, "u")
        assert not page.evaluate("shown.done.length")
        with page.expect_download() as download:
            page.click("#audit")
        assert "Leeds" not in Path(download.value.path()).read_text("utf-8")
        go_to(page, "Leeds")
        press(page, "d")
        release(page)
        places = re.search(r"Of its places: (.*)\.", page.inner_text("#message"))[1]
        assert "1 in clear, as decided" in places
        counts = map(int, re.findall(r"(?:^|, )(\d+)", places))
        assert sum(counts) == page.evaluate("shown.summary.found")


def test_the_card_says_what_stands_in_the_text_and_the_text_follows(browser, tmp_path):
    path = tmp_path / "letter.txt"
    filler = "".join(f"Line {n} says nothing of note.\n" for n in range(60))
    path.write_text(
        f"We will mend the fan within ten days. She came in 2008.\n{filler}Dear Ann Lee.\n"
    )
    with reviewing(path) as (_, address):
        page = opened(browser, address)
        for width, height in ((1366, 768), (1024, 600)):
            page.set_viewport_size({"width": width, "height": height})
            for surface in ("ten days", "Ann Lee", "2008"):
                go_to(page, surface)
                in_view(page, "#original mark.here")
                card = (
                    page.inner_text(".candidates [aria-pressed=true]")
                    if surface != "Ann Lee"
                    else ""
                )
                after = page.inner_text("#detail mark.new")
                assert not card or after in card.splitlines()[0]
                assert not re.search(r"one of \d{4}|attack|entail", page.inner_text("#detail"))
        go_to(page, "ten days")
        after = page.inner_text("#detail mark.new")
        press(page, "a")
        decided(page, 1)
        assert f"accepted → {after} by" in page.text_content("#done li")
        go_to(page, "2008")
        assert "2008" not in page.inner_text("#sanitised")
        press(page, "e", "in 2008", "Enter")
        assert page.inner_text("#message").startswith("“2008”: ")
        press(page, "Escape", "m")
        assert page.inner_text("#message") == "“2008”: masked (u undoes)."
        count = page.evaluate("shown.summary")
        assert page.inner_text("#progress").startswith(f"{count['chosen']} of {count['found']} ")
        said = [one for one in release(page) if one.startswith("Places: ")]
        assert said[0].startswith(f"Places: {count['found']};")


def test_the_server_is_tried_on_its_page(browser, tmp_path):
    command = [sys.executable, "-m", "intact", "serve", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = re.search(r"http://\S+", process.stderr.readline())
            page = browser.new_context().new_page()
            page.goto(found.group())
            page.fill("#given", f"Ann Lee moved to Leeds in 1978. {HOSTILE}")
            page.select_option("#preset", "strict")
            page.click("#go")
            wait(page, "document.querySelectorAll('#mentions tr').length > 2")
            assert page.is_hidden("#busy") and page.inner_text("#command").startswith("intact rev")
            with page.expect_download() as download:
                page.click("#download")
            saved = Path(download.value.path()).read_text("utf-8")
            assert saved == page.inner_text("#text")
            assert "PERSON_1 moved to" in page.inner_text("#text")
            assert "document.title" in page.inner_text("#text") and page.title() == "INTACT"
            assert "Leeds" in page.inner_text("#mentions")
            (tmp_path / "letter.txt").write_text("Bob Ray lives in York.", "utf-8")
            page.set_input_files("#file", tmp_path / "letter.txt")
            wait(page, "document.getElementById('given').value.startsWith('Bob Ray')")
            page.click("#go")
            wait(page, "document.getElementById('command').textContent.endsWith('letter.txt')")
            (tmp_path / "letter.docx").write_bytes(b"PK\x03\x04\xff")
            page.set_input_files("#file", tmp_path / "letter.docx")
            wait(page, "document.getElementById('said').textContent.includes('intact review')")
        finally:
            process.kill()
