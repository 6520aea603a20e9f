"""``python -m examples.assistant --port 0``: the assistant over HTTP on this machine; prints its address."""

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from examples.assistant.answering import answer

_MOST_BYTES = 1_000_000
_LONGEST_QUERY = 1000


class Handler(BaseHTTPRequestHandler):
    """Answers every POST: ``query``, and where given ``role`` and ``passages``."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Read the request, answer it, and say what is wrong where it cannot be answered."""
        length = int(self.headers.get("content-length") or 0)
        try:
            asked = json.loads(self.rfile.read(min(length, _MOST_BYTES)))
            query, role, passages = asked["query"], asked.get("role"), asked.get("passages")
            if not isinstance(query, str) or len(query) > _LONGEST_QUERY:
                raise ValueError(f"query must be text of at most {_LONGEST_QUERY} characters")  # noqa: TRY301 - told below
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            self._send(400, {"error": {"message": f"not a request: {error}"}})
            return
        self._send(200, answer(query, role, passages))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
        """Log nothing: queries are not for the terminal."""

    def _send(self, status: int, content: dict[str, object]) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m examples.assistant", description=__doc__)
    parser.add_argument("--port", type=int, default=8080, help="0 takes any free port")
    server = ThreadingHTTPServer(("127.0.0.1", parser.parse_args().port), Handler)
    print(f"http://127.0.0.1:{server.server_address[1]}/ask", flush=True)  # noqa: T201 - what the caller waits for
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
