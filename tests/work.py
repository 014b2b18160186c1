"""The work that code does, counted instead of timed, and limits under which it works."""

import gc
import resource
import sys
from contextlib import contextmanager


def count_calls(work):
    """Return how many functions are called, those of C included, while ``work`` runs; what other
    tests left in the caches of English does not count."""
    for name in [name for name in sys.modules if name.startswith("intact.english.")]:
        for cached in vars(sys.modules[name]).values():
            getattr(cached, "cache_clear", int)()
    calls = 0

    def count(_frame, event, _argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # what is called after a collection is not the work's
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
    return calls


@contextmanager
def limited(kind, most):
    """Run under a soft limit of the system, such as ``resource.RLIMIT_FSIZE``."""
    before = resource.getrlimit(kind)
    resource.setrlimit(kind, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(kind, before)
