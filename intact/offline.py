"""Nothing leaves this machine: while the guard is active, connections to other machines fail."""

import ipaddress
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_METHODS = {"connect": 1, "connect_ex": 1, "sendto": 2, "sendmsg": 4}
"""Methods of sockets, and the number of arguments from which on the last is an address."""
_LOOK_UPS = ("getaddrinfo", "gethostbyname", "gethostbyname_ex")


@contextmanager
def offline() -> Iterator[None]:
    """Refuse, with a ``ConnectionRefusedError``, what this process's Python code sends or connects
    to all but loopback, and every look-up of a host's name but "localhost", until the block ends.
    Native code that opens sockets itself is not caught. If the guard is active already, change
    nothing."""
    if is_offline():
        yield
        return
    looked_up = {name: getattr(socket, name) for name in _LOOK_UPS}
    for name in _METHODS:
        setattr(socket.socket, name, _guarded(name))
    for name, real in looked_up.items():
        setattr(socket, name, _looked_up(real))
    try:
        yield
    finally:
        for name, real in looked_up.items():
            setattr(socket, name, real)
        for name in _METHODS:
            delattr(socket.socket, name)


def is_offline() -> bool:
    """Tell whether the guard is active in this process."""
    return "connect" in vars(socket.socket)


def is_loopback(host: str) -> bool:
    """Tell whether ``host`` is this machine, by its name ("localhost") or address."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    with suppress(ValueError):
        return bool(ipaddress.ip_address(host))
    return False


def _guarded(name: str) -> Any:
    """Return the method of sockets with a name, as one that refuses other machines."""
    real = getattr(socket.socket, name)

    def checked(self: socket.socket, *arguments: Any) -> Any:
        addressed = len(arguments) >= _METHODS[name] and arguments[-1]
        if addressed and self.family in (socket.AF_INET, socket.AF_INET6):
            _check(arguments[-1][0])
        return real(self, *arguments)

    return checked


def _looked_up(real: Any) -> Any:
    """Return a function that looks up hosts as one that refuses the names of other machines."""

    def checked(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name and not _is_address(name):
            _check(name)
        return real(host, *arguments, **options)

    return checked


def _check(host: str) -> None:
    if not is_loopback(host):
        problem = "a connection to another machine was refused: this command works offline"
        raise ConnectionRefusedError(problem)
