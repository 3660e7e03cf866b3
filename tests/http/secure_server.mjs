// A server that speaks HTTP/2 and HTTP/1.1 over TLS, with the key and the certificate that it is
// given, and answers as a model would, with how it was asked: the protocol, and the number of
// connections so far. Prints its port; ends when its standard input does.
import { createSecureServer } from "node:http2";
import { readFileSync } from "node:fs";

const [key, cert] = process.argv.slice(2).map((path) => readFileSync(path));
let connections = 0;
const server = createSecureServer({ key, cert, allowHTTP1: true }, (request, response) => {
  request.resume();
  request.on("end", () => {
    const content = `HTTP/${request.httpVersion} on connection ${connections}`;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] }));
  });
});
server.on("secureConnection", () => { ++connections; });
server.on("sessionError", () => {});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
