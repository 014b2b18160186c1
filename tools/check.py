"""The tests of a change, for ``make check``: the files of tests that read a changed module.

    python tools/check.py [BASE]

Prints the test files, one a line. Compared are the working tree, what git does not know yet, and
what was committed since BASE (main). A test file is one that changed, that names a changed module
(``intact.planning.ladder``) or a changed page, prompt, preset or example, or that lies in the
folder of a changed module's package (tests/unit/planning). A module that very many files read
brings only the file of its own name. The tests of shape always belong to it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALWAYS = (
    "test_structure.py",
    "test_pages.py",
    "test_config.py",
    "test_prompts.py",
    "test_bare_install.py",
)
SLOW = ("tests/system", "tests/corpus", "tests/golden")
"""Folders of which a file is only taken if it changed itself."""
MOST_READERS = 25


def changed_files(base: str) -> set[str]:
    """Return the files that differ from ``base``, relative to the project.

    Args:
        base: a branch or commit; where it is unknown, the last commit stands for it.
    """

    def git(*words: str) -> list[str]:
        done = subprocess.run(
            ["git", *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return done.stdout.splitlines() if done.returncode == 0 else []

    common = next(iter(git("merge-base", base, "HEAD")), "HEAD")
    untracked = git("ls-files", "--others", "--exclude-standard")
    return {*git("diff", "--name-only", common), *untracked}


def find_tests(changed: Collection[str], tests: Mapping[str, str]) -> set[str]:
    """Return the test files that belong to some changed files.

    Args:
        changed: files, relative to the project.
        tests: file of tests, relative to the project -> its text.
    """
    found = {name for name in tests if name in changed or name.endswith(ALWAYS)}
    quick = {name: text for name, text in tests.items() if not name.startswith(SLOW)}
    for name in changed:
        path = Path(name)
        said = re.escape(path.name)
        if name.startswith("intact/") and path.suffix == ".py":
            parts = path.with_suffix("").parts
            parts = parts[:-1] if path.stem == "__init__" else parts
            whole, package = ".".join(parts), ".".join(parts[:-1])
            said = rf"{whole}\b(?!\.)|{package} import [^\n]*\b{parts[-1]}\b"
            folder = f"tests/unit/{parts[1]}/" if len(parts) > 2 else "no folder"
            found |= {test for test in quick if test.startswith(folder)}
        readers = {test for test, text in quick.items() if re.search(said, text)}
        if len(readers) > MOST_READERS:
            print(f"{name}: {len(readers)} test files read it, see make test", file=sys.stderr)
            readers = {test for test in readers if Path(test).stem == f"test_{path.stem}"}
        found |= readers
    return found


def main() -> None:
    """Print the test files of the change."""
    changed = changed_files(sys.argv[1] if len(sys.argv) > 1 else "main")
    paths = (ROOT / "tests").rglob("test_*.py")
    tests = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in paths}
    print("\n".join(sorted(find_tests(changed, tests))))


if __name__ == "__main__":
    main()
