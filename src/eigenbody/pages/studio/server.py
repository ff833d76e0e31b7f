"""The server of the studio: Starlette on uvicorn, for this machine alone unless asked for.

Every request must name the server by its own address (no rebinding of names), carry the token of the address that was
printed (in the address once, then in a cookie that other sites cannot send), and a socket must come from the page
itself. Nothing but reading is done by HTTP.
"""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from eigenbody.base.errors import InputError, in_one_line
from eigenbody.pages.studio.carried import own, served
from eigenbody.pages.studio.desk import Desk
from eigenbody.pages.studio.protocol import LARGEST, as_text, read_message

KINDS = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".json": "application/json"}
REFUSED = "This address needs the token that the studio printed when it was started."
ANY = "*"  # of a server for all addresses of the machine: then the token alone says who may come in
WAITING = 1000  # messages that a page may be behind before older ones are dropped


@dataclass(frozen=True)
class Gate:
    """Who may come in: by the addresses of this server, and by the token."""

    port: int
    token: str
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")

    @property
    def cookie(self) -> str:
        """Cookies of all ports of a machine are one: the name tells them apart."""
        return f"eigenbody-studio-{self.port}"

    def is_own_address(self, connection: HTTPConnection) -> bool:
        named = connection.headers.get("host", "")
        return ANY in self.hosts or named in {f"{host}:{self.port}" for host in self.hosts}

    def has_token(self, connection: HTTPConnection) -> bool:
        given = (connection.query_params.get("token", ""), connection.cookies.get(self.cookie, ""))
        return any(hmac.compare_digest(one.encode(), self.token.encode()) for one in given)

    def is_from_page(self, connection: HTTPConnection) -> bool:
        """Whether a browser says that the page of this server asks."""
        return connection.headers.get("origin", "") == f"http://{connection.headers.get('host', '')}"

    def policy(self, connection: HTTPConnection) -> str:
        host = connection.headers.get("host", "")
        return (
            f"default-src 'none'; script-src 'self'; connect-src 'self' ws://{host}; style-src 'self' 'unsafe-inline';"
            " img-src 'self' data: blob:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )


def application(desk: Desk, gate: Gate) -> Starlette:
    """The server of a desk."""

    def guarded(answer: Callable[[Request], Response]) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            if not gate.is_own_address(request) or not gate.has_token(request):
                found: Response = PlainTextResponse(REFUSED, status_code=403)
            else:
                found = answer(request)
            found.headers.setdefault("Content-Security-Policy", gate.policy(request))
            found.headers["X-Content-Type-Options"] = "nosniff"
            found.headers["Referrer-Policy"] = "no-referrer"
            found.headers["Cross-Origin-Resource-Policy"] = "same-origin"
            found.headers["Cache-Control"] = "no-store"
            return found

        return endpoint

    def page(request: Request) -> Response:
        found = HTMLResponse(own("studio.html"))
        found.set_cookie(gate.cookie, gate.token, httponly=True, samesite="strict", path="/")
        return found  # the page takes the token out of the address bar

    def file(request: Request) -> Response:
        name = request.path_params["name"]
        text = served().get(name)
        if text is None:
            return PlainTextResponse("There is no such file.", status_code=404)
        return Response(text, media_type=KINDS[name[name.rindex(".") :]])

    def report(request: Request) -> Response:
        if not desk.report:
            return PlainTextResponse("No report has been made.", status_code=404)
        found = HTMLResponse(desk.report, headers={"Content-Security-Policy": "sandbox allow-scripts"})
        found.headers["Content-Disposition"] = 'attachment; filename="report.html"'
        return found

    async def socket(connection: WebSocket) -> None:
        if not (gate.is_own_address(connection) and gate.has_token(connection) and gate.is_from_page(connection)):
            await connection.close(code=4403)
            return
        await connection.accept()
        await converse(connection, desk)

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(desk.watch())
        try:
            yield
        finally:
            watching.cancel()
            desk.close()

    routes = [
        Route("/", guarded(page)), Route("/report", guarded(report)), Route("/assets/{name}", guarded(file)),
        WebSocketRoute("/socket", socket),
    ]  # fmt: skip
    return Starlette(routes=routes, lifespan=life)


async def converse(connection: WebSocket, desk: Desk) -> None:
    """Messages of one page, both ways, until it is closed."""
    outbox: asyncio.Queue[str] = asyncio.Queue()

    def send(text: str) -> None:
        if outbox.qsize() < WAITING:
            outbox.put_nowait(text)

    async def deliver() -> None:
        while True:
            await connection.send_text(await outbox.get())

    number = desk.join(send)
    sender = asyncio.create_task(deliver())
    try:
        while True:
            text = await connection.receive_text()
            try:
                kind, fields = read_message(text)
            except InputError as error:
                send(as_text("failed", {"what": "message", "message": in_one_line(error)}))
                continue
            desk.take(number, kind, fields)
    except (WebSocketDisconnect, RuntimeError):
        pass  # the page was closed
    finally:
        desk.leave(number)
        sender.cancel()
        with suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
            await sender


def uvicorn_server(app: Starlette) -> Any:
    """uvicorn as the studio runs it."""
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(
            app, log_level="error", lifespan="on", ws="websockets-sansio", ws_max_size=LARGEST,
            ws_per_message_deflate=False,  # on one machine packing takes longer than sending
            timeout_graceful_shutdown=1, server_header=False,
        )
    )  # fmt: skip
