// A stand-in for Google Cloud: gives tokens for assertions whose signature, claims and age are right,
// and for the tokens of another provider, and answers as Gemini and as Claude do there. Writes
// FOLDER/service_account.json and FOLDER/federated.json, which name it. Prints its address; ends when
// its standard input does.
import { generateKeyPairSync, verify } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [folder] = process.argv.slice(2);
const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const email = "robot@project.iam.gserviceaccount.com";
const scope = "https://www.googleapis.com/auth/cloud-platform";
const token = "ya29.a-token";
let place = "";

const decoded = (part) => JSON.parse(Buffer.from(part, "base64url"));

// What is wrong with an assertion (RFC 7523); null: nothing.
function fault(assertion) {
  const [head, claims, signature] = assertion.split(".");
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify("RSA-SHA256", signed, publicKey, Buffer.from(signature ?? "", "base64url"))) return "signature";
  const { alg, kid } = decoded(head);
  if (alg !== "RS256" || kid !== "key-1") return "head";
  const { iss, aud, iat, exp, scope: wanted } = decoded(claims);
  const now = Date.now() / 1000;
  if (iss !== email || aud !== `${place}/token` || wanted !== scope) return "claims";
  return iat <= now + 1 && iat > now - 60 && exp > now && exp - iat <= 3600 ? null : "age";
}

function granted(path, form) {
  if (path === "/token") {
    if (form.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") return "grant_type";
    return fault(form.get("assertion") ?? "");
  }
  const isRight = form.get("grant_type") === "urn:ietf:params:oauth:grant-type:token-exchange"
    && form.get("audience") === "//iam.googleapis.com/pool" && form.get("scope") === scope
    && form.get("requested_token_type") === "urn:ietf:params:oauth:token-type:access_token"
    && form.get("subject_token_type") === "urn:ietf:params:oauth:token-type:jwt"
    && form.get("subject_token") === "a.pods/token+";
  return isRight ? null : "subject";
}

const claude = { type: "message", role: "assistant", model: "claude", stop_reason: "end_turn",
  content: [{ type: "text", text: "Well known." }], usage: { input_tokens: 1, output_tokens: 2 } };
const claudeEvents = [
  { type: "message_start", message: { ...claude, content: [], stop_reason: null } },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Well known." } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
  { type: "message_stop" }];
const gemini = { candidates: [{ content: { role: "model", parts: [{ text: "Well known." }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 } };

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  const { pathname: path } = new URL(request.url, place);
  const answer = (status, json) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(json));
  };
  const stream = (events) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(events.map((event) => `event: ${event.type ?? "message"}\ndata: ${JSON.stringify(event)}\n\n`).join(""));
  };
  if (path === "/token" || path === "/sts") {
    const wrong = granted(path, new URLSearchParams(body));
    if (wrong) return answer(400, { error: "invalid_grant", error_description: `The ${wrong} is wrong` });
    return answer(200, { access_token: path === "/sts" ? "halfway" : token, expires_in: 3600, token_type: "Bearer" });
  }
  const proof = request.headers.authorization;
  if (path === "/impersonate") {
    const { scope: wanted, lifetime } = JSON.parse(body);
    const isRight = proof === "Bearer halfway" && wanted?.[0] === scope && lifetime === "3600s";
    return isRight ? answer(200, { accessToken: token, expireTime: new Date(Date.now() + 3.6e6).toISOString() })
      : answer(403, { error: { code: 403, message: "Not allowed to impersonate" } });
  }
  if (proof !== `Bearer ${token}`) return answer(401, { error: { code: 401, message: `Unknown: ${proof}` } });
  const sent = JSON.parse(body);
  if (/publishers\/anthropic\/models\/[^/]+:(rawPredict|streamRawPredict)$/.test(path)) {
    if (sent.anthropic_version !== "vertex-2023-10-16" || "model" in sent) {
      return answer(400, { error: { code: 400, message: "The body is not Vertex's" } });
    }
    return path.endsWith(":streamRawPredict") ? stream(claudeEvents) : answer(200, claude);
  }
  if (/publishers\/google\/models\/[^/]+:generateContent$/.test(path)) return answer(200, gemini);
  if (/publishers\/google\/models\/[^/]+:streamGenerateContent$/.test(path)) return stream([gemini]);
  return answer(404, { error: { code: 404, message: `No ${path} here` } });
});

server.listen(0, "127.0.0.1", () => {
  place = `http://127.0.0.1:${server.address().port}`;
  const write = (name, json) => writeFileSync(join(folder, name), JSON.stringify(json));
  write("service_account.json", { type: "service_account", project_id: "p", private_key_id: "key-1",
    private_key: privateKey.export({ type: "pkcs8", format: "pem" }), client_email: email, token_uri: `${place}/token` });
  write("subject.json", { token: "a.pods/token+" });
  write("federated.json", { type: "external_account", audience: "//iam.googleapis.com/pool",
    subject_token_type: "urn:ietf:params:oauth:token-type:jwt", token_url: `${place}/sts`,
    service_account_impersonation_url: `${place}/impersonate`,
    credential_source: { file: join(folder, "subject.json"), format: { type: "json", subject_token_field_name: "token" } } });
  console.log(place);
});
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
