// `wright acp`: commands in the editor's terminals, and MCP servers that the editor hands on.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { editor, environment, finish, home, program, sendRaw, prompt, test, tree } from "./harness.mjs";

const on = ["--set", "acp.terminals=true"];
const capabilities = { terminal: true };

// Terminals as an editor has them: real processes. What is released is gone.
function editorTerminals({ onCreate = () => {} } = {}) {
  const all = new Map();
  const released = [];
  const find = ({ terminalId }) => {
    if (!all.has(terminalId)) throw new Error(`no terminal ${terminalId}`);
    return all.get(terminalId);
  };
  return { all, released,
    create: async (params) => {
      await onCreate(params);
      const child = spawn(params.command, params.args, { cwd: params.cwd, stdio: ["ignore", "pipe", "pipe"],
        env: { ...environment, ...Object.fromEntries(params.env.map(({ name, value }) => [name, value])) } });
      const terminal = { params, child, output: "", calls: [] };
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8");
        stream.on("data", (piece) => (terminal.output += piece));
      }
      terminal.exited = new Promise((done) => child.on("close", (exitCode, signal) => done({ exitCode, signal })));
      const terminalId = `term_${all.size + 1}`;
      all.set(terminalId, terminal);
      return { terminalId };
    },
    waitForExit: (params) => find(params).exited,
    output: async (params) => ({ output: find(params).output, truncated: false }),
    kill: (params) => { find(params).child.kill("SIGKILL"); return {}; },
    release: (params) => { released.push(params.terminalId); find(params).child.kill("SIGKILL"); return {}; },
  };
}

const isAlive = (pid) => { try { process.kill(pid, 0); return true; } catch { return false; } };
const gone = async (what) => { while (what()) await new Promise((done) => setTimeout(done, 10)); };

{
  const terminals = editorTerminals();
  await test("runs commands in the editor's terminal, in the same sandbox", () => {
    const outside = join(home, "outside.txt");
    return editor({
      "build it": [
        [["bash", { command: `echo made > made.txt; echo out; echo err >&2; cat .env; echo x > ${outside}; exit 3` }]],
        (messages) => {
          const result = JSON.parse(messages.at(-1).content);
          assert.equal(result.exit_code, 3);
          assert.match(result.stdout, /out/);
          assert.match(result.stdout, /err/);
          assert.doesNotMatch(result.stdout, /SECRET/);
          return "Built.";
        },
      ],
    }, async ({ begin, say, kinds, text, model }) => {
      const place = tree({ "a.txt": "", ".env": "SECRET=1\n" });
      const { sessionId } = await begin(place.folder);
      assert.deepEqual(await say(sessionId, "build it"), { stopReason: "end_turn" });
      assert.deepEqual(model.problems, []);
      assert.equal(text(), "Built.");
      assert.equal(place.read("made.txt"), "made\n");
      assert.ok(!existsSync(outside), "it left the sandbox");
      assert.deepEqual(terminals.released, ["term_1"]);
      const { params } = terminals.all.get("term_1");
      assert.equal(params.cwd, place.folder);
      assert.deepEqual(params.args[0], "confined");
      const updates = kinds("tool_call_update");
      assert.deepEqual(updates.find(({ content }) => content?.[0].type === "terminal").content, [{ type: "terminal", terminalId: "term_1" }]);
      assert.equal(updates.at(-1).content, undefined, "the terminal stays where it is shown");
      // Undone like any other change.
      await say(sessionId, "/undo");
      assert.ok(!existsSync(join(place.folder, "made.txt")));
    }, { capabilities, settings: on, terminals,
      permit: ({ options }) => options.find(({ kind }) => kind === "allow_once").optionId });
  });
}

for (const [name, settings, offered] of [
  ["is not wanted", [], capabilities], ["is not offered", on, {}]]) {
  const terminals = editorTerminals();
  await test(`uses no terminal where that ${name}`, () => editor({
    "build it": [[["bash", { command: "echo out" }]], "Built."],
  }, async ({ begin, say, kinds }) => {
    const { sessionId } = await begin(tree({ "a.txt": "" }).folder);
    await say(sessionId, "build it");
    assert.equal(terminals.all.size, 0);
    assert.match(JSON.stringify(kinds("tool_call_update").at(-1).content), /out/);
  }, { capabilities: offered, settings, terminals }));
}

{
  const terminals = editorTerminals();
  await test("ends and releases the terminal when the prompt is cancelled", () => editor({
    "wait": [[["bash", { command: "echo $$ > pid; sleep 1000 & sleep 1000" }]], "Never said."],
  }, async ({ context, begin, say, until }) => {
    const place = tree({ "a.txt": "" });
    const { sessionId } = await begin(place.folder);
    const turn = say(sessionId, "wait");
    await until(() => existsSync(join(place.folder, "pid")));
    await context.notify(methods.agent.session.cancel, { sessionId });
    assert.deepEqual(await turn, { stopReason: "cancelled" });
    await until(() => terminals.released.length > 0);
    assert.deepEqual(terminals.released, ["term_1"]);
    await terminals.all.get("term_1").exited;
    // Nothing of it is left: a file that it would have open is nobody's.
    const left = execFileSync("sh", ["-c", `ls -l /proc/[0-9]*/cwd 2>/dev/null | grep -c ${place.folder} || true`]).toString().trim();
    assert.equal(left, "0");
  }, { capabilities, settings: on, terminals }));
}

{
  let create;
  const created = new Promise((done) => { create = done; });
  const terminals = editorTerminals({ onCreate: () => created });
  await test("closes a terminal that is opened after the prompt was cancelled", () => editor({
    "wait": [[["bash", { command: "sleep 1000" }]], "Never said."],
  }, async ({ context, begin, say, kinds, until }) => {
    const { sessionId } = await begin(tree({ "a.txt": "" }).folder);
    const turn = say(sessionId, "wait");
    await until(() => kinds("tool_call").length > 0);
    await new Promise((done) => setTimeout(done, 300));
    await context.notify(methods.agent.session.cancel, { sessionId });
    assert.deepEqual(await turn, { stopReason: "cancelled" });
    create();
    await until(() => terminals.released.length > 0);
    await terminals.all.get("term_1").exited;
  }, { capabilities, settings: on, terminals }));
}

await test("says that nobody knows what became of a command when the editor dies", async () => {
  const place = tree({ "a.txt": "" });
  const terminals = editorTerminals();
  await editor({ "wait": [[["bash", { command: "echo x >> ran; sleep 1000" }]], "Never said."] }, async ({ begin, agent, until }) => {
    const { sessionId } = await begin(place.folder);
    sendRaw(agent, prompt(910, sessionId, "wait"));
    await until(() => existsSync(join(place.folder, "ran")));
    agent.child.stdin.end();
    assert.equal(await agent.ended, 0);
  }, { capabilities, settings: on, terminals }).catch((problem) => assert.match(String(problem), /connection closed/));
  for (const { child } of terminals.all.values()) child.kill("SIGKILL");
  const wright = (...words) => execFileSync(program, words, { env: environment, cwd: home }).toString();
  const id = JSON.parse(wright("sessions", "list", "--json", "--limit", "1"))[0].id;
  const session = JSON.parse(wright("sessions", "show", String(id), "--json"));
  assert.deepEqual(session.tool_calls.map(({ status }) => status), ["unknown"]);
  assert.equal(place.read("ran"), "x\n");
});

// --- MCP servers ---------------------------------------------------------------------------------

// Says its tool's name, writes its process id into a file, and goes when its input ends.
const server = (name, folder) => ({ name, command: process.execPath, env: [{ name: "OWN", value: name }], args: ["-e", `
  require("node:fs").appendFileSync(${JSON.stringify(join(folder, `${name}.pid`))}, process.pid + "\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = method === "initialize" ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
      : method === "tools/list" ? { tools: [{ name: "look", description: "looks", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] }
      : { content: [{ type: "text", text: "own " + process.env.OWN }] };
    console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });`] });

await test("gives each session its own servers, and closes them with it", async () => {
  const place = tree({ "a.txt": "" });
  const pids = (name) => readFileSync(join(place.folder, `${name}.pid`), "utf8").trim().split("\n").map(Number);
  const toolsOf = ({ tools }) => tools.map((tool) => tool.function.name).filter((name) => name.includes("__")).sort();
  await editor({ "hello": ["Hello."], "use one": [[["one__look", {}]], (messages) => messages.at(-1).content] },
    async ({ context, say, text, model }) => {
      const open = async (...names) => (await context.request(methods.agent.session.new,
        { cwd: place.folder, mcpServers: names.map((name) => server(name, place.folder)) })).sessionId;
      const first = await open("one", "two");
      const second = await open("three");
      const third = await open();
      for (const session of [first, second, third]) await say(session, "hello");
      assert.deepEqual(model.asked.map(toolsOf), [["one__look", "two__look"], ["three__look"], []]);
      await say(first, "use one");
      assert.match(text(), /own one/);
      // Another model is no other list: they stay connected.
      await context.request(methods.agent.session.setConfigOption, { sessionId: second, configId: "model", value: "offline" });
      assert.equal(pids("three").length, 1);
      await context.request(methods.agent.session.close, { sessionId: first });
      await gone(() => [...pids("one"), ...pids("two")].some(isAlive));
      assert.ok(pids("three").every(isAlive));
      // Loaded anew, it has the list that comes with the request.
      await context.request(methods.agent.session.load, { sessionId: first, cwd: place.folder, mcpServers: [server("four", place.folder)] });
      await say(first, "hello");
      assert.deepEqual(toolsOf(model.asked.at(-1)), ["four__look"]);
    });
  assert.ok(![...pids("three"), ...pids("four")].some(isAlive), "servers outlive the agent");
});

await test("uses servers behind HTTP with the headers that the editor says", async () => {
  const seen = [];
  const http = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      seen.push(request.headers["x-own"]);
      if (request.method !== "POST") { response.statusCode = 405; return response.end(); }
      const { id, method, params } = JSON.parse(body);
      if (id === undefined) { response.statusCode = 202; return response.end(); }
      const result = method === "initialize" ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }
        : method === "tools/list" ? { tools: [{ name: "look", description: "looks", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] }
        : { content: [{ type: "text", text: "from afar" }] };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
  });
  await new Promise((done) => http.listen(0, "127.0.0.1", done));
  await editor({ "use it": [[["far__look", {}]], (messages) => messages.at(-1).content] }, async ({ context, say, text }) => {
    const { sessionId } = await context.request(methods.agent.session.new, { cwd: tree({ "a.txt": "" }).folder, mcpServers: [
      { type: "http", name: "far", url: `http://127.0.0.1:${http.address().port}/mcp`, headers: [{ name: "X-Own", value: "yes" }] }] });
    await say(sessionId, "use it");
    assert.match(text(), /from afar/);
  });
  http.close();
  assert.deepEqual([...new Set(seen)], ["yes"]);
});

finish();
