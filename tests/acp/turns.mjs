// `wright acp`: prompts that come while another runs, and what requests say of traces.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { methods } from "@agentclientprotocol/sdk";
import { answerTo, editor, environment, finish, home, program, prompt, sendRaw, test, tree } from "./harness.mjs";

// A command that ends when a file is there, so that the test decides how long it takes.
const waiting = "until [ -e go ]; do sleep 0.05; done";

// The prompt before it is in its thread by the time that this is answered, or soon after.
let number = 950;
async function agentHears(agent, sessionId) {
  const id = ++number;
  const answered = answerTo(agent, id);
  sendRaw(agent, { id, method: "session/set_mode", params: { sessionId, modeId: "code" } });
  await answered;
  await new Promise((done) => setTimeout(done, 300));
}

await test("says a prompt to the one that runs, and answers both", () => editor({
  "hurry": [(messages) => { assert.match(JSON.stringify(messages), /first thing/); return "Hurrying."; }],
  "first thing": [[["bash", { command: waiting }], ["read_file", { path: "a.txt" }]], "Never said: it was steered."],
}, async ({ begin, say, kinds, text, until, model, agent }) => {
  const place = tree({ "a.txt": "" });
  const { sessionId } = await begin(place.folder);
  const order = [];
  const first = say(sessionId, "first thing").then((answer) => { order.push("first"); return answer; });
  await until(() => kinds("tool_call").length > 0);
  const second = say(sessionId, "hurry").then((answer) => { order.push("second"); return answer; });
  // Another request shows that the prompt has been read; the command goes on.
  await agentHears(agent, sessionId);
  place.write("go", "");
  assert.deepEqual(await first, { stopReason: "end_turn" });
  assert.deepEqual(await second, { stopReason: "end_turn" });
  assert.deepEqual(order, ["first", "second"]);
  assert.equal(text(), "Hurrying.");
  assert.deepEqual(model.problems, []);
  // Said once, in the place where the model read it.
  const last = model.asked.at(-1).messages;
  assert.equal(last.filter(({ role, content }) => role === "user" && JSON.stringify(content).includes("hurry")).length, 1);
  assert.equal(last.at(-1).role, "user");
}));

await test("takes a prompt that comes while permission is asked", () => {
  let answerNow;
  const asked = new Promise((done) => { answerNow = done; });
  return editor({
    "and b": ["Both."],
    "remove a": [[["bash", { command: "rm a.txt" }]], "Never said: it was steered."],
  }, async ({ begin, say, asked: requests, text, until, agent }) => {
    const place = tree({ "a.txt": "a" });
    const { sessionId } = await begin(place.folder);
    const first = say(sessionId, "remove a");
    await until(() => requests.length > 0);
    const second = say(sessionId, "and b");
    await agentHears(agent, sessionId);
    answerNow("once");
    assert.deepEqual(await first, { stopReason: "end_turn" });
    assert.deepEqual(await second, { stopReason: "end_turn" });
    assert.equal(text(), "Both.");
  }, { permit: () => asked });
});

await test("goes on when somebody else has answered before the editor", () => {
  let answerNow;
  const asked = new Promise((done) => { answerNow = done; });
  return editor({
    "remove a": [[["bash", { command: "rm a.txt" }]], "Removed."],
  }, async ({ begin, say, asked: requests, text, until, agent }) => {
    const place = tree({ "a.txt": "a" });
    const { sessionId } = await begin(place.folder);
    const turn = say(sessionId, "remove a");
    await until(() => requests.length > 0);
    const wright = (...words) => execFileSync(program, words, { env: environment, cwd: home }).toString();
    const [wait] = JSON.parse(wright("waits", "--json"));
    wright("answer", String(wait.session_id), "--approve");
    answerNow("refuse");
    assert.deepEqual(await turn, { stopReason: "end_turn" }, "the first answer counts");
    assert.equal(text(), "Removed.");
    assert.throws(() => place.read("a.txt"));
    assert.match(agent.errors(), /answered/);
  }, { permit: () => asked });
});

await test("takes an answer without a result for a no", () => editor({
  "remove a": [[["bash", { command: "rm a.txt" }]], "Never said."],
  "hello": ["Hello."],
}, async ({ begin, say, text, agent }) => {
  const place = tree({ "a.txt": "a" });
  agent.onLine((line) => {
    if (line.includes("session/request_permission")) sendRaw(agent, { id: JSON.parse(line).id, result: null });
  });
  const { sessionId } = await begin(place.folder);
  assert.deepEqual(await say(sessionId, "remove a"), { stopReason: "cancelled" });
  assert.equal(place.read("a.txt"), "a");
  assert.deepEqual(await say(sessionId, "hello"), { stopReason: "end_turn" });
  assert.equal(text(), "Hello.");
}, { permit: () => new Promise(() => {}) }));

await test("cancels what runs and what was said to it, and reads neither later", () => editor({
  "first thing": [[["bash", { command: "sleep 100" }]], "Never said."],
  "hello": [(messages) => { assert.doesNotMatch(JSON.stringify(messages), /hurry/); return "Hello."; }],
}, async ({ context, begin, say, kinds, text, until, model, agent }) => {
  const { sessionId } = await begin(tree({ "a.txt": "" }).folder);
  const turns = [say(sessionId, "first thing")];
  await until(() => kinds("tool_call").length > 0);
  turns.push(say(sessionId, "hurry"));
  await agentHears(agent, sessionId);
  await context.notify(methods.agent.session.cancel, { sessionId });
  assert.deepEqual(await Promise.all(turns), [{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
  assert.deepEqual(await say(sessionId, "hello"), { stopReason: "end_turn" });
  assert.deepEqual(model.problems, []);
  assert.equal(text(), "Hello.");
}));

await test("runs a prompt that comes right behind a cancellation by itself", () => editor({
  "first thing": [[["bash", { command: "sleep 100" }]], "Never said."],
  "hello": ["Hello."],
}, async ({ begin, say, kinds, text, until, agent }) => {
  const { sessionId } = await begin(tree({ "a.txt": "" }).folder);
  const first = say(sessionId, "first thing");
  await until(() => kinds("tool_call").length > 0);
  const answer = answerTo(agent, 905);
  sendRaw(agent, { method: "session/cancel", params: { sessionId } }, prompt(905, sessionId, "hello"));
  assert.deepEqual(await first, { stopReason: "cancelled" });
  assert.deepEqual(await answer, { stopReason: "end_turn" });
  await until(() => text() !== "");  // the library may hand on later what was sent before the answer
  assert.equal(text(), "Hello.");
}));

await test("runs prompts in the order in which they came", () => editor({
  "first thing": [[["bash", { command: waiting }]], "First."],
  "third": ["Third."],
}, async ({ begin, say, kinds, text, until, agent }) => {
  const place = tree({ "a.txt": "" });
  const { sessionId } = await begin(place.folder);
  const first = say(sessionId, "first thing");
  await until(() => kinds("tool_call").length > 0);
  // A command of the editor's waits for its turn, and what comes behind it waits, too.
  const second = say(sessionId, "/diff");
  const third = say(sessionId, "third");
  await agentHears(agent, sessionId);
  place.write("go", "");
  assert.deepEqual(await Promise.all([first, second, third]), Array(3).fill({ stopReason: "end_turn" }));
  assert.match(text(), /^First\.[^]*changed[^]*Third\.$|^First\.[^]*diff[^]*Third\.$/);
}));

await test("is steered by the extension for it, without a turn of its own", () => editor({
  "hurry": ["Hurrying."],
  "first thing": [[["bash", { command: waiting }]], "Never said: it was steered."],
}, async ({ ready, begin, say, kinds, text, until, agent }) => {
  assert.deepEqual(ready._meta, { steering: { supported: true } });
  const place = tree({ "a.txt": "" });
  const { sessionId } = await begin(place.folder);
  const steer = (id) => {
    const answer = answerTo(agent, id);
    sendRaw(agent, { id, method: "_session/steering", params: { sessionId, idleBehavior: "promptRequired", prompt: [{ type: "text", text: "hurry" }] } });
    return answer;
  };
  assert.deepEqual(await steer(961), { outcome: "promptRequired", reason: "noRunningTurn" });
  const turn = say(sessionId, "first thing");
  await until(() => kinds("tool_call").length > 0);
  assert.deepEqual(await steer(962), { outcome: "injected" });
  place.write("go", "");
  assert.deepEqual(await turn, { stopReason: "end_turn" });
  assert.equal(text(), "Hurrying.");
}));

const parent = (digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`;

await test("stands in the trace that a request says, and hands it on", async () => {
  const traces = [];
  await editor({
    "look": [[["bash", { command: "rm a.txt; echo parent=$TRACEPARENT state=$TRACESTATE" }]],
      (messages) => { traces.push(messages.at(-1).content); return "Seen."; }],
  }, async ({ context, say, asked, model, agent }) => {
    const place = tree({ "a.txt": "" });
    const { sessionId } = await context.request(methods.agent.session.new, { cwd: place.folder, mcpServers: [],
      _meta: { traceparent: parent("a"), other: { nested: [1] } }, unknownField: { of: "a later version" } });
    const ask = (_meta) => context.request(methods.agent.session.prompt, { sessionId, _meta, unknownField: 7,
      prompt: [{ type: "text", text: "look", _meta: { x: 1 }, unknownField: true }] });
    await ask({ traceparent: parent("b"), tracestate: "vendor=1" });
    await ask(undefined);
    await ask({ traceparent: "nonsense" });
    assert.deepEqual(model.problems, []);
    assert.match(traces[0], new RegExp(`parent=${parent("b")} state=vendor=1`));
    assert.match(traces[1], new RegExp(`parent=${parent("a")} state=`));
    assert.match(traces[2], /parent= state=/);
    assert.deepEqual(asked.map(({ _meta }) => _meta), [
      { traceparent: parent("b"), tracestate: "vendor=1" }, { traceparent: parent("a") }, undefined]);
  });
});

await test("records its spans in the trace of the prompt", async () => {
  const spans = [];
  const collector = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      for (const resource of JSON.parse(body).resourceSpans ?? []) {
        for (const scope of resource.scopeSpans) spans.push(...scope.spans);
      }
      response.setHeader("content-type", "application/json");
      response.end("{}");
    });
  });
  await new Promise((done) => collector.listen(0, "127.0.0.1", done));
  await editor({ "hello": ["Hello."] }, async ({ context, begin }) => {
    const { sessionId } = await begin(tree({ "a.txt": "" }).folder);
    await context.request(methods.agent.session.prompt, { sessionId, _meta: { traceparent: parent("c") },
      prompt: [{ type: "text", text: "hello" }] });
  }, { variables: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.address().port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" } });
  collector.close();
  assert.ok(spans.length > 0, "no spans came");
  assert.deepEqual([...new Set(spans.map(({ traceId }) => traceId))], ["c".repeat(32)]);
  assert.ok(spans.some(({ parentSpanId }) => parentSpanId === "c".repeat(16)));
});

finish();
