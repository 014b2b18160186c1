"""Make the pictures of docs/first_ten_minutes.md again, from the page as it is now.

    python tools/pictures.py

Sanitises and reviews examples/letter.txt as a Word file in a folder of its own, in
Debian's chromium (``pip install playwright``), and writes docs/first_review.png, first_released.png
and first_certificate.png. Look at each of them afterwards.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import docx
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
SIZE = {"width": 1280, "height": 760}
CERTIFICATE = {"width": 900, "height": 1250}
MOST = 60  # key presses


def make_letter(folder: Path) -> Path:
    """Write the example as a Word file; return its path."""
    made, path = docx.Document(), folder / "letter.docx"
    for paragraph in (ROOT / "examples/letter.txt").read_text("utf-8").split("\n\n"):
        made.add_paragraph(" ".join(paragraph.split()))
    made.save(str(path))
    return path


def settle(page: Page) -> None:
    """Wait until the page has its answer."""
    page.wait_for_selector("body:not([aria-busy])")
    page.wait_for_timeout(300)


def review(page: Page, address: str) -> None:
    """Show the first phrase, accept all, and stop at the dialog of the release."""
    page.goto(address)
    page.wait_for_selector("#queue button")
    settle(page)
    for _ in range(MOST):
        if page.locator("#original mark.here", has_text="Haukeland").count():
            break
        page.keyboard.press("j")
        settle(page)
    page.screenshot(path=DOCS / "first_review.png")
    for _ in range(MOST):
        if "All of this queue" in page.inner_text("#message"):
            break
        page.keyboard.press("n")
        settle(page)
        page.keyboard.press("a")
        settle(page)
    page.click("#release")
    page.wait_for_selector("#ask[open]")
    page.screenshot(path=DOCS / "first_released.png")
    for box in page.query_selector_all("#questions input"):
        box.check()
    page.click("#confirm button.main")
    page.wait_for_selector("#message:has-text('Written')")


def main() -> None:
    """Make the three pictures."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    run = [sys.executable, "-m", "intact"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        letter, certificate = make_letter(Path(folder)), Path(folder) / "certificate.html"
        subprocess.run([*run, "sanitize", letter.name, "-q"], cwd=folder, check=True)
        asked = ["review", letter.name, "--by", "Q. Reviewer", "--certificate", certificate.name]
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with subprocess.Popen(
            [*run, *asked], cwd=folder, stderr=subprocess.PIPE, text=True
        ) as told:
            try:
                assert told.stderr is not None
                found = re.search(r"http://\S+", told.stderr.readline())
                assert found is not None
                review(browser.new_page(viewport=SIZE), found.group())
            finally:
                told.kill()
        page = browser.new_page(viewport=CERTIFICATE)
        page.goto(certificate.as_uri())
        page.screenshot(path=DOCS / "first_certificate.png")
        browser.close()


if __name__ == "__main__":
    main()
