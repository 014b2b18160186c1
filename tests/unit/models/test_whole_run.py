"""``intact sanitize`` with a tiny model: no sockets, and the same bytes."""

import json
import os
import subprocess
import sys

import pytest

from tests.marked import tab_document

pytest.importorskip("llama_cpp")

FORBID = (
    "import sys\n"
    "def forbid(event, args):\n"
    "    measured = event == 'socket.gethostname' and 'coverage' in sys.modules\n"  # names its file
    "    if event.startswith('socket.') and not measured:\n"
    "        raise RuntimeError('a socket: ' + event)\n"
    "sys.addaudithook(forbid)\n"
)
TEXTS = (
    "She moved from Bergen to Trier in 1961 and worked as a nurse for the Trier Choir.",
    "In Bergen a dentist from Malmö met her; he had come from Trier by train.",
)
SPANS = (("Bergen", "LOC"), ("Trier Choir", "ORG"), ("nurse", "DEM"), ("dentist", "DEM"))


@pytest.fixture
def documents(tmp_path):
    records = [
        tab_document(f"d{number}", text, *(each for each in SPANS if each[0] in text))
        for number, text in enumerate(TEXTS)
    ]
    path = tmp_path / "in.json"
    path.write_text(json.dumps(records))
    return path


def sanitize(source, out, model, *sets, hook=None, more=()):
    command = [sys.executable, "-m", "intact", "sanitize", *more]
    command += [str(source), "-o", str(out), "--quiet", "--set", f"model.path={model}"]
    for one in ("model.context=8192", "model.threads=1", *sets):
        command += ["--set", one]
    environment = dict(os.environ, HF_HUB_OFFLINE="1", XDG_CACHE_HOME=str(out.parent / out.stem))
    if hook is not None:
        (hook / "sitecustomize.py").write_text(FORBID)
        environment["PYTHONPATH"] = os.pathsep.join([str(hook), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert not any(text[:20].encode() in done.stderr for text in TEXTS)
    return out.read_bytes()


def test_one_or_several_processes_open_no_socket_and_write_the_same(documents, gguf_file, tmp_path):
    whole = sanitize(documents, tmp_path / "a.json", gguf_file, hook=tmp_path)
    assert whole == sanitize(documents, tmp_path / "b.json", gguf_file)
    first = json.loads(whole)[0]
    assert "Bergen" not in first["sanitized_text"]
    two = ("--workers", "2")
    both = sanitize(documents, tmp_path / "a.json", gguf_file, more=two, hook=tmp_path)
    assert both == sanitize(documents, tmp_path / "b.json", gguf_file)
