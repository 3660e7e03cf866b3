"""A server as Python's library makes it, for the tests of the HTTP client: the routes of plain_server.mjs. Prints its
address and ends with its input."""
import gzip
import http.server
import os
import sys
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/echo":
            self.answer(200, body, [("X-Seen", f"{self.command} {len(body)}")])
        elif self.path == "/stream":  # as HTTP/1.0 does: until the connection ends
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            for i in range(100):
                self.wfile.write(b"data: %d\n\n" % i)
        elif self.path == "/gzip":
            self.answer(200, gzip.compress(b"packed " * 10000), [("Content-Encoding", "gzip")])
        elif self.path == "/nothing":
            self.answer(204)
        elif self.path == "/elsewhere":
            self.answer(302, b"moved", [("Location", "/echo")])
        elif self.path == "/hints":
            self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n")
            self.answer(200, b"hinted")
        elif self.path == "/goodbye":
            self.answer(200, b"bye")
            self.close_connection = True
        elif self.path == "/cut":
            self.send_response(200)
            self.send_header("Content-Length", "100")
            self.end_headers()
            self.wfile.write(b"half")
            self.close_connection = True
        else:
            self.answer(404, b"no such thing")

    do_POST = do_GET


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
