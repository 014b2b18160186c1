"""Nothing leaves this machine: while the guard is active, connections to other machines fail."""

import ipaddress
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

# Methods of sockets, and the number of arguments from which on the last is an address.
_METHODS = {"connect": 1, "connect_ex": 1, "sendto": 2, "sendmsg": 4}
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
    """Tell whether connections to other machines are refused in this process now, by
    ``offline``."""
    return "connect" in vars(socket.socket)


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine: "localhost", or a loopback address ("127.0.0.1", "::1").
    False for any other name, which is not looked up."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(host: str) -> bool:
    """Tell whether a host is an IP address, of version 4 or 6, and no name."""
    with suppress(ValueError):
        return bool(ipaddress.ip_address(host))
    return False


def _guarded(name: str) -> Any:
    """Return a stand-in for a method of ``socket.socket``, by its name ("connect"): it raises a
    ``ConnectionRefusedError`` if it is given the address of another machine, and else does what the
    method does."""
    real = getattr(socket.socket, name)

    def checked(self: socket.socket, *arguments: Any) -> Any:
        """Refuse an internet address of another machine, else call the method and return its
        result."""
        addressed = len(arguments) >= _METHODS[name] and arguments[-1]
        if addressed and self.family in (socket.AF_INET, socket.AF_INET6):
            _check(arguments[-1][0])
        return real(self, *arguments)

    return checked


def _looked_up(real: Any) -> Any:
    """Return a stand-in for a function that looks up hosts: it raises a ``ConnectionRefusedError``
    for every name but "localhost", and else, also for any address, does what the function does."""

    def checked(host: Any, *arguments: Any, **options: Any) -> Any:
        """Refuse the name of another machine, else look up the host and return the result."""
        name = host.decode() if isinstance(host, bytes) else host
        if name and not _is_address(name):
            _check(name)
        return real(host, *arguments, **options)

    return checked


def _check(host: str) -> None:
    """Raise a ``ConnectionRefusedError`` unless a host is this machine."""
    if not is_loopback(host):
        problem = "a connection to another machine was refused: this command works offline"
        raise ConnectionRefusedError(problem)
