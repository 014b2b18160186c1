"""The guard that keeps connections on this machine."""

import socket

import pytest

from intact.offline import is_offline, offline

ELSEWHERE = ("192.0.2.1", 9)
LOOK_UPS = ("getaddrinfo", "gethostbyname", "gethostbyname_ex")


@pytest.mark.parametrize(
    "send",
    [
        lambda one: one.connect(ELSEWHERE),
        lambda one: one.connect_ex(ELSEWHERE),
        lambda one: one.sendto(b"x", ELSEWHERE),
        lambda one: one.sendto(b"x", 0, ELSEWHERE),
        lambda one: one.sendmsg([b"x"], [], 0, ELSEWHERE),
        lambda _: socket.gethostbyname("example.org"),
        lambda _: socket.gethostbyname_ex("example.org"),
        lambda _: socket.getaddrinfo("example.org", 80),
    ],
)
def test_nothing_is_sent_to_another_machine(send):
    refused = pytest.raises(ConnectionRefusedError, match="works offline")
    with offline(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, refused:
        send(one)
    assert not is_offline()


def test_this_machine_is_reached_and_the_guard_leaves_nothing_behind():
    real = [getattr(socket, name) for name in LOOK_UPS]
    with offline(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.bind(("127.0.0.1", 0))
        one.sendto(b"ab", one.getsockname())
        one.connect(one.getsockname())
        one.sendmsg([b"cd"])
        assert [one.recv(2), one.recv(2)] == [b"ab", b"cd"]
        assert socket.gethostbyname("localhost") == "127.0.0.1"
    assert [getattr(socket, name) for name in LOOK_UPS] == real
    assert "sendmsg" not in vars(socket.socket)
