// An editor for tests of `wright acp`: the official client library, and every line of the agent held
// against the protocol's own schema, which the library itself hardly checks.
//
//   node SCRIPT PROGRAM STAND_IN
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import Ajv from "ajv/dist/2020.js";
import { client, methods, ndJsonStream } from "@agentclientprotocol/sdk";

export const [program, standIn] = process.argv.slice(2);
const { startModel } = await import(standIn);
const here = dirname(createRequire(import.meta.url).resolve("@agentclientprotocol/sdk"));
const schema = JSON.parse(readFileSync(join(here, "../../../schema/v1/schema.json"), "utf8"));

// --- every line against the schema ---------------------------------------------------------------

const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(schema, "acp");
function validatorFor(method, side, ending) {
  const name = Object.keys(schema.$defs).find((each) => {
    const def = schema.$defs[each];
    return def["x-method"] === method && def["x-side"] === side && each.endsWith(ending);
  });
  return name && ajv.getSchema(`acp#/$defs/${name}`);
}

const problems = [];
let linesChecked = 0;
function checkLine(line, sent) {
  linesChecked += 1;
  const complain = (why) => problems.push(`${why}: ${line.slice(0, 600)}`);
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return complain("no JSON");
  }
  if (message.jsonrpc !== "2.0") complain("no JSON-RPC 2.0");
  const unknown = Object.keys(message).filter((key) => !["jsonrpc", "id", "method", "params", "result", "error"].includes(key));
  if (unknown.length > 0) complain(`unknown members ${unknown}`);
  if (message.method) {
    const check = validatorFor(message.method, "client", message.id === undefined ? "Notification" : "Request");
    if (!check) return complain("a method that clients do not have");
    if (!check(message.params)) complain(ajv.errorsText(check.errors));
  } else if ("result" in message) {
    if (sent.get(message.id)?.startsWith("_")) return;  // an extension
    const check = validatorFor(sent.get(message.id), "agent", "Response");
    if (!check) return complain("an answer to nothing");
    if (!check(message.result)) complain(ajv.errorsText(check.errors));
  } else if (!(Number.isInteger(message.error?.code) && typeof message.error.message === "string")) {
    complain("neither result nor error");
  }
}

// --- one editor ----------------------------------------------------------------------------------

export const home = mkdtempSync(join(tmpdir(), "wright-acp-"));
export const environment = { PATH: process.env.PATH, HOME: home, STANDIN_API_KEY: "none" };

function startAgent(model, variables = {}) {
  const child = spawn(program, ["acp", ...model.settings], { cwd: home, env: { ...environment, ...variables } });
  const sent = new Map();
  const collect = (each) => {
    let rest = "";
    return (piece) => {
      rest += piece;
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) if (line.trim()) each(line);
    };
  };
  let errors = "";
  child.stderr.on("data", (piece) => (errors += piece));
  child.stdout.setEncoding("utf8");
  // Whole lines: a pipe hands on what it has, which may be a part of one.
  const listeners = [(line) => checkLine(line, sent)];
  child.stdout.on("data", collect((line) => { for (const each of listeners) each(line); }));
  const output = new PassThrough();
  child.stdout.on("data", (piece) => output.write(piece));
  child.stdout.on("end", () => output.end());
  const input = new PassThrough();
  input.setEncoding("utf8");
  input.on("data", collect((line) => {
    const message = JSON.parse(line);
    if (message.method && message.id !== undefined) sent.set(message.id, message.method);
  }));
  input.on("data", (piece) => child.stdin.write(piece));
  input.on("end", () => child.stdin.end());
  const ended = new Promise((done) => child.on("close", (code) => done(code)));
  return { child, sent, errors: () => errors, ended, onLine: (listener) => listeners.push(listener),
    stream: ndJsonStream(Writable.toWeb(input), Readable.toWeb(output)) };
}

// Runs `play` with a connected editor; `answer` decides about permission.
export async function editor(scripts, play, { permit = () => "once", capabilities = {}, elicit, files, terminals, settings = [], variables = {} } = {}) {
  const model = await startModel(scripts);
  const agent = startAgent({ settings: [...model.settings, ...settings] }, variables);
  const updates = [];
  const asked = [];
  const app = client({ name: "test" })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params);
      const choice = await permit(params, asked.length);
      return choice === null ? { outcome: { outcome: "cancelled" } }
        : { outcome: { outcome: "selected", optionId: choice } };
    })
    .onNotification(methods.client.session.update, ({ params }) => { updates.push(params); });
  if (elicit) app.onRequest(methods.client.elicitation.create, ({ params }) => elicit(params));
  if (files) {
    app.onRequest(methods.client.fs.readTextFile, ({ params }) => ({ content: files.read(params.path) }))
      .onRequest(methods.client.fs.writeTextFile, ({ params }) => { files.write(params.path, params.content); return {}; });
  }
  if (terminals) {
    for (const [name, method] of Object.entries(methods.client.terminal)) {
      app.onRequest(method, ({ params }) => terminals[name](params));
    }
  }
  try {
    await app.connectWith(agent.stream, async (context) => {
      const ready = await context.request(methods.agent.initialize, {
        protocolVersion: 1, clientCapabilities: capabilities, clientInfo: { name: "test", version: "1" } });
      assert.equal(ready.protocolVersion, 1);
      const kinds = (kind) => updates.filter(({ update }) => update.sessionUpdate === kind).map(({ update }) => update);
      await play({ context, ready, updates, asked, kinds, model, agent,
        text: () => kinds("agent_message_chunk").map((update) => update.content.text).join(""),
        begin: async (folder) => (await context.request(methods.agent.session.new, { cwd: folder, mcpServers: [] })),
        say: (sessionId, text) => context.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }),
        until: async (what) => { while (!what()) await new Promise((done) => setTimeout(done, 10)); } });
    });
  } finally {
    agent.child.stdin.end();
    model.stop();
  }
  assert.equal(await agent.ended, 0, agent.errors());
  return model;
}

let number = 0;
export function tree(files) {
  const folder = join(home, `tree${++number}`);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return { folder, read: (name) => readFileSync(join(folder, name), "utf8"),
    write: (name, content) => writeFileSync(join(folder, name), content) };
}

let failures = 0;
export async function test(name, body) {
  const before = problems.length;
  const timer = setTimeout(() => { console.log(`HANGS ${name}`); process.exit(1); }, 60_000);
  try {
    await body();
    assert.deepEqual(problems.slice(before), [], "lines that the schema refuses");
    console.log(`ok    ${name}`);
  } catch (problem) {
    failures += 1;
    console.log(`FAILED ${name}: ${problem.stack}`);
  } finally {
    clearTimeout(timer);
  }
}

// Lines as they are, in one write: what the library would send apart.
export function sendRaw(agent, ...messages) {
  for (const { id, method } of messages) if (id !== undefined && method) agent.sent.set(id, method);
  agent.child.stdin.write(messages.map((each) => `${JSON.stringify({ jsonrpc: "2.0", ...each })}\n`).join(""));
}
export const prompt = (id, sessionId, text) => ({ id, method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } });
export const answerTo = (agent, id) => new Promise((done) => agent.onLine((line) => {
  if (line.includes(`"id":${id}`) && line.includes("result")) done(JSON.parse(line).result);
}));

export function finish() {
  rmSync(home, { recursive: true, force: true });
  console.log(`${linesChecked} lines checked against the schema`);
  process.exit(failures > 0 ? 1 : 0);
}
