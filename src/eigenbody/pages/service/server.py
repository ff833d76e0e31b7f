"""The server: Starlette on uvicorn. It passes requests on and computes nothing itself.

Every request must name the server by its own address (no rebinding of names), must not come from a page of another
site, and must carry the token where there is one. What is posted must call itself JSON, which no page can send
elsewhere unasked.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from eigenbody.base.errors import printable, suggest
from eigenbody.base.version import __version__
from eigenbody.pages.service import Budget
from eigenbody.pages.service.connections import Connection
from eigenbody.pages.service.openapi import description
from eigenbody.pages.service.pool import MEGABYTE, Pool, Refused

ANY = "*"  # of a server for all addresses of the machine: then the token alone says who may come in
BODY = 20.0  # seconds for the body of a request
GRACE = 1.0  # seconds that a computation may go on when nobody waits for it: a process is dearer than that
DRAINED, LISTENING = 8, 2.0  # times the largest size, and seconds, of what is too large that are taken and dropped
HELD = 16  # requests of the largest size whose bodies are kept at once
STATUS = {401: "token", 403: "address", 404: "path", 405: "method"}


@dataclass(frozen=True)
class Gate:
    """Who may come in."""

    port: int
    token: str | None
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")

    def check(self, request: Request) -> None:
        """Refused, where someone may not."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if ANY not in self.hosts and host not in {f"{name}:{self.port}" for name in self.hosts}:
            raise Refused(403, "address", "this is not the address of the service.")
        if origin is not None and origin != f"http://{host}":
            raise Refused(403, "address", "pages of other sites are not answered.")
        if self.token is None or request.url.path == "/health":
            return
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(given.strip().encode(), self.token.encode()):
            raise Refused(401, "token", "send the token of the service as `Authorization: Bearer TOKEN`.")


class Desk:
    """What the paths answer."""

    def __init__(self, gate: Gate, budget: Budget) -> None:
        self.gate, self.budget = gate, budget
        self.pool: Pool = None  # type: ignore[assignment]  # when the server runs
        self.held = 0  # bytes of bodies

    async def health(self, request: Request) -> Response:
        """Whether it works, and how much there is to do."""
        pool = self.pool
        document = {
            "status": "stopping" if pool.is_stopping else "ok", "version": __version__, "processes": len(pool.all),
            "idle": len(pool.idle), "waiting": len(pool.waiting), "answered": pool.answered,
            "replaced": pool.replaced, "memory": [worker.memory for worker in pool.all],
        }  # fmt: skip
        return _json(document)

    async def commands(self, request: Request) -> Response:
        """The list of commands and options."""
        return _json(self.pool.catalog)

    async def openapi(self, request: Request) -> Response:
        """The description that programs read."""
        return _json(description(self.pool.catalog, self.gate.token is not None))

    async def command(self, request: Request) -> Response:
        """A command, computed by one of the processes."""
        name = request.path_params["command"]
        known = [command["command"] for command in self.pool.catalog["commands"]]
        if name not in known:
            reason = self.pool.catalog["left_out"].get(name)
            why = f"it is not served: {reason}." if reason else f"there is no such command. {suggest(name, known)}"
            raise Refused(404, "path", f"{printable(name)}: {why}")
        self._check_kind(request)
        body = await self._body(request)
        try:
            return await self._computed(request, name, body)
        finally:
            self.held -= len(body)

    def _check_kind(self, request: Request) -> None:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json" or "content-encoding" in request.headers:
            raise Refused(415, "type", "send plain JSON, with `Content-Type: application/json`.")

    async def _body(self, request: Request) -> bytes:
        """All of it, while it is not too much and does not take too long."""
        most = int(self.budget.size * MEGABYTE)
        said = request.headers.get("content-length", "0")
        if not said.isdecimal() or int(said[:20]) > most:
            await _drained(request, DRAINED * most)
            raise self._too_large()
        parts: list[bytes] = []
        try:
            async with asyncio.timeout(BODY):
                async for part in request.stream():
                    parts.append(part)
                    self.held += len(part)
                    if sum(map(len, parts)) > most:
                        await _drained(request, DRAINED * most)
                        raise self._too_large()
                    if self.held > HELD * most:
                        raise Refused(503, "busy", "too much is being sent at once. Try again in a moment.")
            return b"".join(parts)
        except BaseException as error:
            self.held -= sum(map(len, parts))
            if isinstance(error, TimeoutError):
                raise Refused(408, "time", f"the request did not come within {BODY:g} s.") from None
            raise

    def _too_large(self) -> Refused:
        what = f"a request has at most {self.budget.size:g} MB."
        return Refused(413, "size", f"{what} Send a smaller model, or ask for a larger --size.")

    async def _computed(self, request: Request, name: str, body: bytes) -> Response:
        """The answer, unless the one who asked goes away."""
        job = asyncio.create_task(self.pool.answer(name, body))
        gone = asyncio.create_task(_departure(request))
        try:
            await asyncio.wait({job, gone}, return_when=asyncio.FIRST_COMPLETED)
            if not job.done():
                await asyncio.wait({job}, timeout=GRACE)
            if not job.done():
                raise ClientDisconnect
            answer = job.result()
            return Response(
                answer.content, answer.status, {"Eigenbody-Exit-Code": str(answer.code)}, "application/json"
            )
        finally:
            gone.cancel()
            if not job.done():
                job.cancel()
            with suppress(asyncio.CancelledError, Refused):
                await job


async def _drained(request: Request, most: int) -> None:
    """Take some of what is still being sent: who is cut off while sending does not read why."""
    with suppress(TimeoutError, ClientDisconnect):
        async with asyncio.timeout(LISTENING):
            while most > 0:
                message = await request.receive()
                if message["type"] == "http.disconnect" or not message.get("more_body"):
                    return
                most -= len(message["body"])


async def _departure(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _json(document: Any, status: int = 200, **headers: str) -> Response:
    return Response(json.dumps(document), status, headers, "application/json")


def application(desk: Desk, folder: Path | None, place: Any) -> Starlette:
    """The paths and the life of a desk."""

    def guarded(answer: Any) -> Any:
        async def endpoint(request: Request) -> Response:
            try:
                desk.gate.check(request)
                found = await answer(request)
            except Refused as refused:
                found = refusal(refused)
            except ClientDisconnect:
                return Response(status_code=499)  # nobody reads it
            found.headers["Cache-Control"] = "no-store"
            found.headers["X-Content-Type-Options"] = "nosniff"
            return found

        return endpoint

    async def lost(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        words = {404: "there is nothing here. See /openapi.json.", 405: "this path is not asked so. See /openapi.json."}
        return refusal(Refused(status, STATUS.get(status, "internal"), words.get(status, "this did not work.")))

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        desk.pool = Pool(desk.budget, folder, Path(place()))
        try:
            await desk.pool.start()
            yield
        finally:
            await desk.pool.close()

    routes = [
        Route("/health", guarded(desk.health)),
        Route("/openapi.json", guarded(desk.openapi)),
        Route("/v1/commands", guarded(desk.commands)),
        Route("/v1/{command}", guarded(desk.command), methods=["POST"]),
    ]
    return Starlette(routes=routes, lifespan=life, exception_handlers={HTTPException: lost, Exception: lost})


def refusal(refused: Refused) -> Response:
    """What is said where there is no answer of a command."""
    headers = {"Retry-After": "1"} if refused.status == 503 else {}
    if refused.status in (408, 413):
        headers["Connection"] = "close"  # what is still being sent is not read
    if refused.status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return _json({"error": refused.kind, "message": printable(refused.message)}, refused.status, **headers)


class Server(uvicorn.Server):
    """uvicorn as the service runs it: when it is told to end, requests that wait are told, others are answered."""

    def __init__(self, gate: Gate, budget: Budget, folder: Path | None) -> None:
        self.desk = Desk(gate, budget)
        self._place = ""
        super().__init__(
            uvicorn.Config(
                application(self.desk, folder, lambda: self._place), log_level="critical", lifespan="on", ws="none",
                http=Connection, server_header=False, timeout_keep_alive=15,
                timeout_graceful_shutdown=int(budget.seconds) + 10,
            )
        )  # fmt: skip

    def place(self, folder: str) -> None:
        """Where the processes may keep their files."""
        self._place = folder

    def finish(self) -> None:
        """Begin to end; from any thread."""
        self.should_exit = True

    async def shutdown(self, sockets: Any = None) -> None:
        self.desk.pool.finish()
        await super().shutdown(sockets)
