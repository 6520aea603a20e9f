"""A scripted provider without a network, for tests in counted time: its delays are counted on the client's clock."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from tests.servers.scripted import Request, Script, Step, envelope


class CountedServer:
    """Takes the place of the connection below the real client; knows the steps that answer, late or slowly."""

    address = "http://127.0.0.1:9"  # nothing listens there, and nothing is sent there

    def __init__(self, script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
        self.requests: list[Request] = []
        self._script = script

        async def handle(_: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
            return await self._answer(request)

        monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", handle)

    def base_url(self, protocol: str) -> str:
        """Return the address to give a client of this protocol."""
        return self.address + ("/v1" if protocol == "openai" else "")

    async def _answer(self, came: httpx.Request) -> httpx.Response:
        request = Request(path=came.url.path, headers=dict(came.headers), body=await came.aread())
        self.requests.append(request)
        if callable(self._script):
            step = self._script(request)
        else:
            step = self._script[min(len(self.requests), len(self._script)) - 1]
        await asyncio.sleep(step.delay_s)
        headers = {"content-type": step.content_type or "", **step.headers}
        return httpx.Response(step.status, headers=headers, stream=_Body(step, request))


class _Body(httpx.AsyncByteStream):
    def __init__(self, step: Step, request: Request) -> None:
        self._step = step
        self._content = step.body if step.body is not None else envelope(step, request)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        if self._step.byte_every_s is None:
            yield self._content
            return
        for byte in self._content:
            yield bytes([byte])
            await asyncio.sleep(self._step.byte_every_s)
