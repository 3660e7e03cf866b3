// A stand-in for Amazon Bedrock that signs every request again with AWS's own signer and refuses one
// whose signature differs. Below /sts it exchanges tokens of a web identity for the keys, each token
// once. Prints its address; ends when its standard input does.
import { createServer } from "node:http";
import { Sha256 } from "@aws-crypto/sha256-js";
import { HttpRequest } from "@smithy/protocol-http";
import { SignatureV4 } from "@smithy/signature-v4";

const signer = new SignatureV4({
  service: "bedrock", region: "eu-central-1", sha256: Sha256, applyChecksum: false,
  credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "a/secret+key",
                 sessionToken: "a//session==" } });

const dateOf = (text) => new Date(text.replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

async function expected(request, body) {
  const names = /SignedHeaders=([^,]+)/.exec(request.headers.authorization ?? "")?.[1] ?? "";
  const headers = Object.fromEntries(
      names.split(";").filter((name) => !name.startsWith("x-amz-"))
          .map((name) => [name, request.headers[name]]));
  const [path, query] = request.url.split("?");
  const signed = await signer.sign(
      new HttpRequest({ method: request.method, protocol: "http:", hostname: "127.0.0.1", path,
                        query: Object.fromEntries(new URLSearchParams(query)), headers, body }),
      { signingDate: dateOf(request.headers["x-amz-date"] ?? "") });
  return signed.headers.authorization;
}

const exchanged = new Set();

// AssumeRoleWithWebIdentity: a token that begins with "json" is answered in JSON, others in XML.
function exchange(request, body, response) {
  const form = new URLSearchParams(body);
  const token = form.get("WebIdentityToken") ?? "";
  const isRight = request.headers.authorization === undefined
    && form.get("Action") === "AssumeRoleWithWebIdentity" && form.get("Version") === "2011-06-15"
    && form.get("RoleArn") === "arn:aws:iam::123456789012:role/agent"
    && /^[\w+=,.@-]{2,64}$/.test(form.get("RoleSessionName") ?? "");
  const isNew = !exchanged.has(token);
  exchanged.add(token);
  const keys = { AccessKeyId: "AKIDEXAMPLE", SecretAccessKey: "a/secret+key", SessionToken: "a//session==" };
  const end = new Date(Date.now() + 3.6e6);
  const isJson = token.startsWith("json");
  response.writeHead(isRight && isNew ? 200 : 400, { "content-type": isJson ? "application/json" : "text/xml" });
  if (!isRight || !isNew) {
    const message = isRight ? "The token was exchanged before" : "The request is wrong";
    return response.end(`<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>${message}</Message></Error></ErrorResponse>`);
  }
  if (isJson) {
    return response.end(JSON.stringify({ AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: {
      Credentials: { ...keys, Expiration: end.getTime() / 1000 } } } }));
  }
  const elements = Object.entries({ ...keys, Expiration: end.toISOString() })
    .map(([name, value]) => `<${name}>${value}</${name}>`).join("\n");
  return response.end(`<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
<AssumeRoleWithWebIdentityResult><Credentials>${elements}</Credentials></AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>`);
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  if (request.url === "/sts") return exchange(request, body, response);
  const answer = (status, json) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(json));
  };
  try {
    const wanted = await expected(request, body);
    if (wanted !== request.headers.authorization ||
        request.headers["x-amz-security-token"] !== "a//session==") {
      answer(403, { message: `The signature is ${request.headers.authorization}, not ${wanted}` });
    } else if (request.url.endsWith("/foundation-models")) {
      answer(200, { modelSummaries: [{ modelId: "amazon.nova-lite-v1:0" }] });
    } else {
      answer(200, { output: { message: { role: "assistant", content: [{ text: "Well signed." }] } },
                    stopReason: "end_turn",
                    usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } });
    }
  } catch (problem) {
    answer(500, { message: String(problem) });
  }
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
