"""A model provider over real HTTP on loopback that answers by script, in OpenAI's and in Anthropic's protocol.

With steps made by ``responding`` it is an assistant with an address of its own instead, at any path.

``with ScriptedServer([...]) as server:`` runs it in a thread; each request takes the next step of the script, and the
last step goes on for ever. ``python tests/servers/scripted.py [DELAY]`` runs it until it is stopped and prints its
port; an answer takes DELAY seconds on average, half of that at least.
"""

import asyncio
import itertools
import json
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

GOOD = '{"accuracy_score": 2, "faithfulness_score": 1, "rationale": "Correct, with one small inference."}'
MODEL = "scripted-2025-01-01"
FINGERPRINT = "fp_scripted"
INPUT_TOKENS, OUTPUT_TOKENS = 321, 21


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """How one request is answered."""

    text: str | None = GOOD  # the model's reply
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str | None = "application/json"
    usage: bool = True
    body: bytes | None = None  # in place of the protocol's own
    delay_s: float = 0.0
    after: int = 0  # answered once there have been so many requests
    byte_every_s: float | None = None  # the body in single bytes, each after this time
    reset: bool = False  # the connection breaks before an answer
    finish_reason: str | None = "stop"  # in OpenAI's words
    cut_at: int | None = None  # the connection ends after so many bytes of the body


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)

    @property
    def prompt(self) -> str:
        """Return the user's message."""
        text: str = self.json["messages"][-1]["content"]
        return text


Script = Sequence[Step] | Callable[[Request], Step]


class ScriptedServer:
    """Answers by its script and remembers every request."""

    def __init__(self, script: Script | None = None, *, port: int = 0, certificate: Path | None = None) -> None:
        self.requests: list[Request] = []
        self.held = 0  # requests that wait while the test holds them
        self.allowed: int | None = None  # how many more are answered; None: all
        self.accepted = 0  # connections
        self._open: set[asyncio.StreamWriter] = set()
        self._script = script if script is not None else [Step()]
        self._certificate = certificate  # with its key: the server then speaks TLS
        self._loop = asyncio.new_event_loop()
        self._socket = socket.create_server(("127.0.0.1", port))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._stop = asyncio.Event()

    def base_url(self, protocol: str) -> str:
        """Return the address to give a client of this protocol."""
        return f"http://127.0.0.1:{self.port}" + ("/v1" if protocol == "openai" else "")

    @property
    def open(self) -> int:
        """Return how many connections neither side has closed."""
        return len(self._open)

    def close_connections(self) -> None:
        """Close all connections, as a server does with those that are idle."""
        for writer in tuple(self._open):
            self._loop.call_soon_threadsafe(writer.close)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._run())

    async def _run(self) -> None:
        tls = None
        if self._certificate is not None:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.load_cert_chain(self._certificate)
        server = await asyncio.start_server(self._connected, sock=self._socket, limit=2**24, backlog=4096, ssl=tls)
        await self._stop.wait()
        server.close()  # the runner cancels what is still being answered

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.accepted += 1
        self._open.add(writer)
        try:
            while (request := await _read(reader)) is not None:
                self.requests.append(request)
                step = self._next(request)
                self.held += 1
                while len(self.requests) < step.after or self.allowed == 0:
                    await asyncio.sleep(0.01)
                self.held -= 1
                if self.allowed is not None:
                    self.allowed -= 1
                if not await _answer(step, request, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away, or the server stops
        finally:
            writer.close()
            self._open.discard(writer)

    def _next(self, request: Request) -> Step:
        if callable(self._script):
            return self._script(request)
        return self._script[min(len(self.requests), len(self._script)) - 1]


def responding(content: object, **options: Any) -> Step:
    """Return the step that answers with this JSON, as an assistant's endpoint does."""
    return Step(body=json.dumps(content).encode(), **options)


async def _read(reader: asyncio.StreamReader) -> Request | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    except asyncio.IncompleteReadError:
        return None
    pairs = (line.partition(":") for line in head[1:] if line)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(path=head[0].split(" ")[1], headers=headers, body=body)


async def _answer(step: Step, request: Request, writer: asyncio.StreamWriter) -> bool:
    """Write the answer; tell whether the connection may be used again."""
    await asyncio.sleep(step.delay_s)
    if step.reset:
        # a socket that does not linger is closed with a reset
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
        return False
    body = step.body if step.body is not None else envelope(step, request)
    headers = {"content-length": str(len(body)), **step.headers}
    if step.content_type is not None:
        headers["content-type"] = step.content_type
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"HTTP/1.1 {step.status} Scripted\r\n{head}\r\n".encode("latin-1"))
    if step.byte_every_s is not None:
        for byte in body:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(step.byte_every_s)
        return True
    writer.write(body[: step.cut_at])
    await writer.drain()
    return step.cut_at is None


def envelope(step: Step, request: Request) -> bytes:
    """Return the model's reply in the protocol that the path speaks."""
    if step.status >= 400:
        return json.dumps({"error": {"type": "scripted", "message": "Scripted trouble."}}).encode()
    if request.path.partition("?")[0].endswith("/chat/completions"):
        message = {"role": "assistant", "content": step.text}
        content: dict[str, Any] = {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "model": MODEL,
            "system_fingerprint": FINGERPRINT,
            "choices": [{"index": 0, "message": message, "finish_reason": step.finish_reason}],
        }
        usage = {"prompt_tokens": INPUT_TOKENS, "completion_tokens": OUTPUT_TOKENS}
    else:
        blocks = [] if step.text is None else [{"type": "text", "text": step.text}]
        content = {"id": "msg_1", "type": "message", "role": "assistant", "model": MODEL, "content": blocks}
        content["stop_reason"] = {"stop": "end_turn", "length": "max_tokens"}.get(step.finish_reason or "")
        usage = {"input_tokens": INPUT_TOKENS, "output_tokens": OUTPUT_TOKENS}
    return json.dumps(content | ({"usage": usage} if step.usage else {})).encode()


if __name__ == "__main__":
    delay_s = float(sys.argv[1]) if sys.argv[1:] else 0.0
    turns = itertools.count()
    with ScriptedServer(lambda _: Step(delay_s=delay_s * (0.5 + next(turns) * 37 % 101 / 100))) as running:
        sys.stdout.write(f"{running.port}\n")
        sys.stdout.flush()
        threading.Event().wait()
