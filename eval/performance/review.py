"""Measure the review page in a real browser, on one document of 300 spans.

    python eval/performance/review.py [--repeat 3]

Needs playwright and Debian's chromium. First paint: from opening the address, as soon as it is
printed, until the queue stands there. Answer: from a key until the page shows what became of the
document, which was attacked again as a whole; twenty of them. Machines are noisy, so times are also
given as multiples of a loop of a million additions, measured in turn with each of them.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Error, sync_playwright

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
).split()
PLACES = ("Leeds", "Bergen", "Oslo", "York", "Paris", "Turin", "Lyon", "Cork", "Bonn", "Graz")
LINES = [
    f"On {day} May {year} he paid {300 + 7 * day + year} euros in {place}."
    for year in range(1971, 1981)
    for day, place in enumerate(PLACES, start=1)
]
KEYS = {"mask": "m", "accept": "a", "another candidate": "2", "undo": "u", "go on": "n"}
ACTIONS = 20


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args(argv).repeat
    times: dict[str, list[float]] = {}
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        path = Path(folder) / "long.txt"
        path.write_text("\n".join(LINES), "utf-8")
        for _ in range(repeat):
            for name, seconds in measured(browser, path):
                times.setdefault(name, []).append(seconds)
            path.with_name("long.txt.decisions").unlink()
        browser.close()
    times["every action"] = [each for name in KEYS if name != "go on" for each in times[name]]
    loop = statistics.median(times["a loop"])
    print(f"{'seconds':24}{'best':>8}{'median':>8}{'worst':>8}{'x a loop':>16}")
    for name, every in times.items():
        middle = statistics.median(every)
        print(f"{name:24}{min(every):>8.3f}{middle:>8.3f}{max(every):>8.3f}{middle / loop:>16.1f}")


def looped() -> float:
    """Seconds of a million additions."""
    began, total = time.monotonic(), 0
    for number in range(1_000_000):
        total += number
    return time.monotonic() - began


def measured(browser: Any, path: Path) -> Iterator[tuple[str, float]]:
    """Return each action and its seconds, in a fresh review and a fresh profile."""
    command = [sys.executable, "-m", "intact", "review", str(path)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    try:
        found = re.search(r"http://\S+", server.stderr.readline())
        assert found is not None
        page = browser.new_context().new_page()
        page.set_default_timeout(20_000)
        began = time.monotonic()
        while True:
            try:
                page.goto(found.group())
                break
            except Error:  # it is not listening yet
                time.sleep(0.02)
                began = time.monotonic()
        page.wait_for_selector("#queue button")
        yield "first paint", time.monotonic() - began
        for _ in range(ACTIONS // (len(KEYS) - 1)):
            for name, key in KEYS.items():
                yield "a loop", looped()
                yield name, seconds(page, lambda key=key: page.keyboard.press(key))  # type: ignore[misc]
        page.reload()
        page.wait_for_selector("#queue button")
        yield "paint of a reload", page.evaluate("performance.now()") / 1000
    finally:
        server.kill()
        server.communicate()


def seconds(page: Any, act: Callable[[], None]) -> float:
    """Return the seconds that an action takes, as the page reports them, drawing included."""
    page.evaluate(
        "window.once = new Promise((done) => { const from = performance.now(); const look = "
        "new MutationObserver(() => { if (!busy) { look.disconnect(); requestAnimationFrame(() => "
        "done(performance.now() - from)); } }); look.observe(document.body, "
        "{ attributes: true, attributeFilter: ['aria-busy'] }); }), 0"
    )
    act()
    return float(page.evaluate("window.once")) / 1000


if __name__ == "__main__":
    main()
