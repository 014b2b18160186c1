"""``intact serve``: INTACT over HTTP."""

import os
from functools import partial

import typer

from intact.cli import options
from intact.cli.options import Opt
from intact.config import load_settings, presets
from intact.errors import ConfigError, require
from intact.offline import is_loopback

_SHORTEST = 16
_TOKEN = "INTACT_TOKEN"
_ACCEPTED = 64  # most connections that wait to be accepted


def serve(
    host: str = Opt("127.0.0.1", help="Address to listen at."),
    port: options.Port = 8000,
    config: options.Config = None,
    overrides: options.Overrides = None,
    allow_remote: options.AllowRemote = False,
    max_mib: int = Opt(10, min=1, max=1024, help="Largest request body, in MiB."),
    deadline: float = Opt(120.0, min=0.1, max=86_400, help="Seconds a request may take."),
    workers: options.Workers = 1,
    max_characters: int = Opt(200_000, min=1, help="Longest text to find mentions in."),
) -> None:
    """Serve POST /sanitize and /detect over HTTP; / describes them.

    Only this machine can connect. To let others connect (--host), set the environment variable
    INTACT_TOKEN; clients send it as "Authorization: Bearer TOKEN". There is no encryption: put a
    proxy with TLS in front. Requests are not logged. A request that takes longer than --deadline,
    or whose client hangs up, is given up, and the process working on it is killed. At most 128
    clients can be connected, and never more than half of the open files that the system allows;
    any more are answered 503.

    A request may name a preset instead of --config; --set applies to it all the same.
    """
    token = os.environ.get(_TOKEN, "")
    local = is_loopback(host)
    if token and len(token) < _SHORTEST:
        raise ConfigError(f"the token has fewer than {_SHORTEST} characters", where=_TOKEN)
    if not local and not token:
        problem = "other machines could read what they like without a token"
        raise ConfigError(problem, where=f"--host {host}")
    load = partial(load_settings, overrides=overrides or (), allow_remote=allow_remote)
    settings = {"": load(config)} | {name: load(name) for name in presets()}
    require("uvicorn")
    from intact.server.app import LimitedProtocol, affordable_connections, create_app, run_server
    from intact.server.service import Limits, listen

    limits = Limits(max_mib << 20, max_characters, seconds=deadline, workers=workers or 1)
    most = affordable_connections(limits.connections)
    app = create_app(settings, token=token, local=local, limits=limits)
    shown = f"[{host}]" if ":" in host else host
    http = partial(LimitedProtocol, most=most, seconds=limits.arrival)
    how = {"http": http, "backlog": max(1, min(_ACCEPTED, most // 4)), "log_level": "warning"}
    with listen(host, port) as bound:
        taken = bound.getsockname()[1]
        typer.echo(f"INTACT listens at http://{shown}:{taken} (Ctrl-C ends it).", err=True)
        run_server(app, bound, timeout_graceful_shutdown=10, **how)
