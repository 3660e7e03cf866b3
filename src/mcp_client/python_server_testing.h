// What servers of tests that are written in Python have in common: how they speak, and what they
// answer when a client comes. What a test wants of its own follows behind.
#pragma once

#include <string_view>

namespace wright::mcp_client {

// The first argument is the revision, "modern" or "legacy". CAPABLE, what the server can do, is the
// program's to say before the first line is read; `greeted` answers what a client asks first.
constexpr std::string_view kPythonServer = R"(
import json, os, sys
modern = sys.argv[1] == "modern"
def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"); sys.stdout.flush()
def answer(id, result): send({"id": id, "result": {"resultType": "complete", **result} if modern else result})
def problem(id, code, message): send({"id": id, "error": {"code": code, "message": message}})
def text(words): return {"content": [{"type": "text", "text": words}]}
FORM = {"message": "Who pays?", "requestedSchema": {"type": "object",
        "properties": {"name": {"type": "string"}}, "required": ["name"]}}
def greeted(method, id):
    if method == "server/discover" and modern:
        answer(id, {"supportedVersions": ["2026-07-28"], "capabilities": CAPABLE})
    elif method == "server/discover":
        problem(id, -32601, "unknown method")
    elif method == "initialize":
        answer(id, {"protocolVersion": "2025-11-25", "capabilities": CAPABLE})
    else: return False
    return True
)";

}  // namespace wright::mcp_client
