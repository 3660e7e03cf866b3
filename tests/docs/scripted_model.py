"""A model that says what a script says, over OpenAI's chat protocol, for pages that need a language model.

A script is a list of turns: {"text": "…", "calls": [{"name": "…", "arguments": {…}}]}.
"""
import http.server
import json
import threading


class ScriptedModel:
    def __init__(self, turns):
        self.turns = list(turns)
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream" if request.get("stream") else "application/json")
                self.end_headers()
                self.wfile.write(model.answer(request).encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, request):
        turn = self.turns.pop(0) if self.turns else {"text": "The script has ended."}
        message = {"role": "assistant", "content": turn.get("text")}
        if turn.get("calls"):
            message["tool_calls"] = [
                {"index": at, "id": f"call_{len(self.turns)}_{at}", "type": "function",
                 "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
                for at, call in enumerate(turn["calls"])]
        reason = "tool_calls" if turn.get("calls") else "stop"
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        if not request.get("stream"):
            return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage})
        chunks = [{"choices": [{"index": 0, "delta": message, "finish_reason": None}]},
                  {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
                  {"choices": [], "usage": usage}]
        return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
