"""Somebody who is told of alerts: takes each message, and keeps it."""

import http.server
import json
import threading


class Receiver(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.messages = messages = []

        class Inbox(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                messages.append(json.loads(body))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Inbox)
        self.start()

    @property
    def place(self):
        return f"127.0.0.1:{self.server.server_port}"

    def run(self):
        self.server.serve_forever()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
