// `wright acp` against the official client library: sessions, prompts, permission, modes, files.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { answerTo, editor, finish, home, prompt, sendRaw, test, tree } from "./harness.mjs";

await test("says what it can do in the shapes that editors want", () => editor({}, async ({ ready }) => {
  assert.equal(ready.agentCapabilities.loadSession, true);
  for (const each of ["list", "resume", "close", "delete"]) {
    assert.deepEqual(ready.agentCapabilities.sessionCapabilities[each], {});
  }
}));

await test("streams text, plans, calls with kinds and places, and diffs", () => editor({
  "edit it": [
    [["update_plan", { plan: [{ step: "Read", status: "completed" }, { step: "Write", status: "in_progress" }] }]],
    [["read_file", { path: "a.txt", offset: 1 }]],
    [["write_file", { path: "a.txt", content: "new\n" }], ["write_file", { path: "made.txt", content: "made\n" }]],
    [["bash", { command: "cat a.txt" }]],
    "All done.",
  ],
}, async ({ begin, say, kinds, text, until }) => {
  const place = tree({ "a.txt": "old\n" });
  const session = await begin(place.folder);
  assert.equal(session.modes.currentModeId, "code");
  assert.deepEqual(session.configOptions.map((option) => option.id), ["mode", "model"]);
  await until(() => kinds("available_commands_update").length > 0);
  assert.ok(kinds("available_commands_update")[0].availableCommands.some(({ name }) => name === "undo"));
  assert.deepEqual(await say(session.sessionId, "edit it"), { stopReason: "end_turn" });
  assert.equal(text(), "All done.");
  assert.equal(place.read("a.txt"), "new\n");
  assert.deepEqual(kinds("plan")[0].entries.map(({ status }) => status), ["completed", "in_progress"]);
  const calls = kinds("tool_call");
  assert.deepEqual(calls.map(({ kind }) => kind), ["read", "edit", "edit", "execute"]);
  assert.equal(calls[0].locations[0].path, join(place.folder, "a.txt"));
  const diffs = kinds("tool_call_update").flatMap(({ content }) => content ?? []).filter(({ type }) => type === "diff");
  assert.deepEqual(diffs.map(({ oldText, newText }) => [oldText, newText]), [["old\n", "new\n"], [null, "made\n"]]);
}));

await test("asks for permission and obeys", () => editor({
  "remove it": [
    [["bash", { command: "rm a.txt" }]],
    [["bash", { command: "rm b.txt" }]],
    "Tried.",
  ],
}, async ({ begin, say, asked, kinds }) => {
  const place = tree({ "a.txt": "a", "b.txt": "b" });
  const { sessionId } = await begin(place.folder);
  assert.equal((await say(sessionId, "remove it")).stopReason, "end_turn");
  assert.equal(asked.length, 2);
  assert.equal(asked[0].toolCall.kind, "execute");
  assert.ok(!existsSync(join(place.folder, "a.txt")));
  assert.ok(existsSync(join(place.folder, "b.txt")));
  assert.ok(kinds("tool_call_update").some(({ status }) => status === "failed"));
}, { permit: (_, count) => (count === 1 ? "once" : "refuse") }));

await test("ends a turn as cancelled when permission is cancelled, and goes on", () => editor({
  "remove it": [[["bash", { command: "rm a.txt" }]], "Never said."],
  "hello": ["Hello."],
}, async ({ begin, say, text }) => {
  const place = tree({ "a.txt": "a" });
  const { sessionId } = await begin(place.folder);
  assert.deepEqual(await say(sessionId, "remove it"), { stopReason: "cancelled" });
  assert.ok(existsSync(join(place.folder, "a.txt")));
  assert.deepEqual(await say(sessionId, "hello"), { stopReason: "end_turn" });
  assert.equal(text(), "Hello.");
}, { permit: () => null }));

await test("cancels a command that runs", () => editor({
  "wait": [[["bash", { command: "sleep 100" }]], "Never said."],
}, async ({ context, begin, say, kinds, until }) => {
  const { sessionId } = await begin(tree({ "a.txt": "" }).folder);
  const turn = say(sessionId, "wait");
  await until(() => kinds("tool_call").length > 0);
  await context.notify(methods.agent.session.cancel, { sessionId });
  assert.deepEqual(await turn, { stopReason: "cancelled" });
}));

await test("changes nothing in plan mode", () => editor({
  "edit it": [[["write_file", { path: "a.txt", content: "new" }]], [["bash", { command: "touch b.txt" }]], "Planned."],
}, async ({ context, begin, say }) => {
  const place = tree({ "a.txt": "old" });
  const { sessionId } = await begin(place.folder);
  await context.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
  await say(sessionId, "edit it");
  assert.equal(place.read("a.txt"), "old");
  assert.ok(!existsSync(join(place.folder, "b.txt")));
  const back = await context.request(methods.agent.session.setConfigOption, { sessionId, configId: "mode", value: "code" });
  assert.equal(back.configOptions.find(({ id }) => id === "mode").currentValue, "code");
  await say(sessionId, "edit it");
  assert.equal(place.read("a.txt"), "new");
}, { permit: () => "refuse" }));

await test("hears what cancels a prompt right behind it", () => editor({
  "edit it": [[["write_file", { path: "a.txt", content: "new" }]], "Done."],
}, async ({ begin, agent }) => {
  const place = tree({ "a.txt": "old" });
  const { sessionId } = await begin(place.folder);
  for (const [id, cancel] of [[901, { method: "session/cancel", params: { sessionId } }],
    [902, { method: "$/cancel_request", params: { requestId: 902 } }]]) {
    const answer = answerTo(agent, id);
    sendRaw(agent, prompt(id, sessionId, "edit it"), cancel);
    assert.deepEqual(await answer, { stopReason: "cancelled" });
  }
  assert.equal(place.read("a.txt"), "old");
}));

await test("does nothing for an editor that is gone", async () => {
  const place = tree({ "a.txt": "old" });
  await editor({ "edit it": [[["write_file", { path: "a.txt", content: "new" }]], "Done."] }, async ({ begin, agent }) => {
    const { sessionId } = await begin(place.folder);
    sendRaw(agent, prompt(903, sessionId, "edit it"));
    agent.child.stdin.end();
    assert.equal(await agent.ended, 0);
  }).catch((problem) => assert.match(String(problem), /connection closed/));
  assert.equal(place.read("a.txt"), "old");
});

await test("takes the first answer about permission only", () => editor({
  "remove it": [[["bash", { command: "rm a.txt" }]], "Tried."],
}, async ({ begin, agent }) => {
  const place = tree({ "a.txt": "a" });
  const { sessionId } = await begin(place.folder);
  agent.onLine((line) => {
    if (!line.includes("session/request_permission")) return;
    const { id } = JSON.parse(line);
    const chosen = (optionId) => ({ id, result: { outcome: { outcome: "selected", optionId } } });
    sendRaw(agent, chosen("refuse"), chosen("once"));
  });
  const answer = answerTo(agent, 904);
  sendRaw(agent, prompt(904, sessionId, "remove it"));
  await answer;
  assert.ok(existsSync(join(place.folder, "a.txt")));
}));

{
  let planNow;
  await test("changes nothing from the moment on that the mode is plan", () => editor({
    "edit it": [[["bash", { command: "rm a.txt" }]], [["write_file", { path: "b.txt", content: "new" }]],
      [["bash", { command: "cat a.txt" }]], "Planned."],
  }, async ({ context, begin, say, kinds }) => {
    const place = tree({ "a.txt": "old" });
    const { sessionId } = await begin(place.folder);
    planNow = () => context.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    assert.equal((await say(sessionId, "edit it")).stopReason, "end_turn");
    assert.ok(existsSync(join(place.folder, "a.txt")));
    assert.ok(!existsSync(join(place.folder, "b.txt")));
    const ends = kinds("tool_call_update").map(({ status }) => status).filter((each) => each === "failed" || each === "completed");
    assert.deepEqual(ends, ["failed", "failed", "completed"]);
  }, { permit: async () => { await planNow(); return "once"; } }));
}

await test("runs no tool of a server in plan mode that can do more than read", () => editor({
  "use it": [[["ev__destroy", {}], ["ev__look", {}]], "Done."],
}, async ({ context, say }) => {
  const place = tree({ "a.txt": "" });
  const log = join(place.folder, "called");
  const server = `const { appendFileSync } = require("node:fs");
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const tool = (name, more) => ({ name, description: name, inputSchema: { type: "object" }, ...more });
      const result = method === "initialize" ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "ev", version: "1" } }
        : method === "tools/list" ? { tools: [tool("destroy"), tool("look", { annotations: { readOnlyHint: true } })] }
        : method === "tools/call" ? (appendFileSync(${JSON.stringify(log)}, params.name + "\\n"), { content: [{ type: "text", text: "done" }] }) : {};
      console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });`;
  const { sessionId } = await context.request(methods.agent.session.new, { cwd: place.folder,
    mcpServers: [{ name: "ev", command: process.execPath, args: ["-e", server], env: [] }] });
  await context.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
  await say(sessionId, "use it");
  assert.equal(readFileSync(log, "utf8"), "look\n");
}));

await test("keeps the mode of a session", async () => {
  const place = tree({ "a.txt": "old" });
  const scripts = { "edit it": [[["write_file", { path: "a.txt", content: "new" }]], "Done."], "hello": ["Hello."] };
  let sessionId;
  await editor(scripts, async ({ context, begin, say }) => {
    sessionId = (await begin(place.folder)).sessionId;
    await context.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    await say(sessionId, "hello");
  });
  await editor(scripts, async ({ context, say }) => {
    const loaded = await context.request(methods.agent.session.load, { sessionId, cwd: place.folder, mcpServers: [] });
    assert.equal(loaded.modes.currentModeId, "plan");
    await say(sessionId, "edit it");
    assert.equal(place.read("a.txt"), "old");
    await context.request(methods.agent.session.setMode, { sessionId, modeId: "code" });
    await say(sessionId, "edit it");
    assert.equal(place.read("a.txt"), "new");
  });
});

await test("shows what would run, and tells the hooks of sessions", async () => {
  const place = tree({ "old.txt": "", "new.txt": "" });
  const own = join(home, ".config", "wright");
  const log = join(home, "hooks.log");
  const changed = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "rm new.txt" } } });
  // They write outside of the folder.
  const hook = (command) => [{ hooks: [{ type: "command", command, sandbox: false }] }];
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, "hooks.json"), JSON.stringify({ hooks: {
    PreToolUse: [{ matcher: "bash", ...hook(`echo '${changed}'`)[0] }],
    SessionStart: hook(`echo start >> ${log}`), Stop: hook(`echo stop >> ${log}`), Notification: hook(`echo notify >> ${log}`) } }));
  try {
    await editor({ "remove it": [[["bash", { command: "rm old.txt" }]], "Done."] }, async ({ begin, say, asked, kinds }) => {
      const { sessionId } = await begin(place.folder);
      await say(sessionId, "remove it");
      assert.equal(asked[0].toolCall.title, "rm new.txt");
      assert.deepEqual(asked[0].toolCall.rawInput.command, "rm new.txt");
      assert.match(asked[0].toolCall.content[0].content.text, /rm new\.txt/);
      assert.ok(kinds("tool_call_update").some(({ rawInput }) => rawInput?.command === "rm new.txt"));
      assert.ok(existsSync(join(place.folder, "old.txt")) && !existsSync(join(place.folder, "new.txt")));
    });
  } finally {
    rmSync(join(own, "hooks.json"));
  }
  // It starts again when it goes on after the answer.
  assert.deepEqual(readFileSync(log, "utf8").trim().split("\n"), ["start", "notify", "start", "stop"]);
});

await test("changes the model", () => editor({}, async ({ context, begin, say, text }) => {
  const { sessionId } = await begin(tree({ "README.md": "# A thing\n" }).folder);
  const changed = await context.request(methods.agent.session.setConfigOption, { sessionId, configId: "model", value: "offline" });
  assert.equal(changed.configOptions.find(({ id }) => id === "model").currentValue, "offline");
  await say(sessionId, "Summarise this project");
  assert.ok(text().length > 0);
}));

await test("lists, loads, resumes, closes and deletes sessions", async () => {
  const place = tree({ "a.txt": "old\n" });
  const scripts = { "edit it": [[["write_file", { path: "a.txt", content: "new\n" }]], "Done."], "again": ["Again."] };
  let sessionId;
  await editor(scripts, async ({ begin, say }) => {
    sessionId = (await begin(place.folder)).sessionId;
    await say(sessionId, "edit it");
  });
  await editor(scripts, async ({ context, say, kinds, text, updates, until }) => {
    const listed = await context.request(methods.agent.session.list, { cwd: place.folder });
    assert.deepEqual(listed.sessions.map((each) => [each.sessionId, each.cwd, each.title]), [[sessionId, place.folder, "edit it"]]);
    await context.request(methods.agent.session.load, { sessionId, cwd: place.folder, mcpServers: [] });
    assert.deepEqual(kinds("user_message_chunk").map((update) => update.content.text), ["edit it"]);
    assert.equal(text(), "Done.");
    assert.equal(kinds("tool_call").length, 1);
    assert.equal((await say(sessionId, "again")).stopReason, "end_turn");
    assert.equal(text(), "Done.Again.");
    await say(sessionId, "/diff");
    assert.match(text(), /\+new/);
    await context.request(methods.agent.session.close, { sessionId });
    const before = updates.length;
    await context.request(methods.agent.session.resume, { sessionId, cwd: place.folder, mcpServers: [] });
    await until(() => updates.length > before);
    assert.deepEqual(updates.slice(before).map(({ update }) => update.sessionUpdate), ["available_commands_update"]);
    await context.request(methods.agent.session.delete, { sessionId });
    await context.request(methods.agent.session.delete, { sessionId });
    assert.deepEqual((await context.request(methods.agent.session.list, { cwd: place.folder })).sessions, []);
  });
});

await test("takes back what the last prompt changed", () => editor({
  "edit it": [[["write_file", { path: "a.txt", content: "new\n" }]], "Done."],
  "begin": ["Begun."],
  "what now": ["Nothing."],
}, async ({ context, begin, say, text, asked, kinds, model }) => {
  const place = tree({ "a.txt": "old\n" });
  const { sessionId } = await begin(place.folder);
  await say(sessionId, "begin");
  await say(sessionId, "edit it");
  assert.equal(place.read("a.txt"), "new\n");
  await say(sessionId, "/undo");
  assert.equal(place.read("a.txt"), "new\n", "a refusal leaves the file");
  assert.match(text(), /Nothing was taken back/);
  await say(sessionId, "/undo");
  assert.equal(place.read("a.txt"), "old\n");
  assert.match(text(), /Taken back/);
  assert.match(asked[0].toolCall.content[0].content.text, /restore .*a\.txt/, "the plan is shown first");
  assert.deepEqual(asked[0].options.map(({ kind }) => kind), ["allow_once", "reject_once"]);
  // The model does not know of it any more, nor does who loads the session.
  await say(sessionId, "what now");
  assert.doesNotMatch(JSON.stringify(model.asked.at(-1).messages), /edit it/);
  const { sessions } = await context.request(methods.agent.session.list, { cwd: place.folder });
  assert.equal(sessions.filter((each) => each.sessionId === sessionId).length, 1);
  await context.request(methods.agent.session.close, { sessionId });
  const before = kinds("user_message_chunk").length;
  await context.request(methods.agent.session.load, { sessionId, cwd: place.folder, mcpServers: [] });
  assert.deepEqual(kinds("user_message_chunk").slice(before).map(({ content }) => content.text), ["begin", "what now"]);
  // One that an editor knows by its number stays so.
  const old = sessions.find((each) => /^\d+$/.test(each.sessionId)).sessionId;
  const again = { sessionId: old, cwd: place.folder, mcpServers: [] };
  await context.request(methods.agent.session.load, again);
  await say(old, "/undo");
  const listed = (await context.request(methods.agent.session.list, { cwd: place.folder })).sessions;
  assert.equal(listed.filter((each) => each.sessionId === old).length, 1);
  await context.request(methods.agent.session.close, { sessionId: old });
  const loaded = kinds("user_message_chunk").length;
  await context.request(methods.agent.session.load, again);
  assert.deepEqual(kinds("user_message_chunk").slice(loaded).map(({ content }) => content.text), ["begin"]);
}, { permit: (params, count) => (count === 1 ? "leave" : "take_back") }));

await test("asks questions in a form where the editor has one", () => editor({
  "ask me": [
    [["ask_user", { questions: [{ id: "colour", question: "Which?", type: "select", options: ["red", "green"] }] }]],
    (messages) => { assert.match(messages.at(-1).content, /green/); return "Green it is."; },
  ],
}, async ({ begin, say, text, model }) => {
  const { sessionId } = await begin(tree({ "a.txt": "" }).folder);
  await say(sessionId, "ask me");
  assert.deepEqual(model.problems, []);
  assert.equal(text(), "Green it is.");
}, { capabilities: { elicitation: { form: {} } },
  elicit: (params) => { assert.deepEqual(params.requestedSchema.properties.colour.enum, ["red", "green"]); return { action: "accept", content: { colour: "green" } }; } }));

const token = "token-of-the-editors-server";
await test("hides the secrets of servers that the editor names", () => editor({
  "use it": [[["ev__look", {}]], "Done."],
}, async ({ context, say, updates, model }) => {
  // It asks in the middle of the call, and repeats its token in whatever it says.
  const server = `const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const words = "I am " + process.env.API_TOKEN;
    let call;
    require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === "tools/call") {
        call = id;
        send({ id: "q", method: "elicitation/create", params: { message: words,
          requestedSchema: { type: "object", properties: { name: { type: "string", description: words } } } } });
      } else if (id === "q") send({ id: call, result: { content: [{ type: "text", text: words }] } });
      else if (method === "initialize") send({ id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "ev", version: "1" } } });
      else if (method === "tools/list") send({ id, result: { tools: [{ name: "look", description: words, inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] } });
      else if (id !== undefined) send({ id, error: { code: -32601, message: words } });
    });`;
  const { sessionId } = await context.request(methods.agent.session.new, { cwd: tree({ "a.txt": "" }).folder,
    mcpServers: [{ name: "ev", command: process.execPath, args: ["-e", server], env: [{ name: "API_TOKEN", value: token }] }] });
  await say(sessionId, `use it, not ${token}`);
  const told = JSON.stringify(model.asked);
  assert.match(told, /use it, not \[REDACTED\]/);
  assert.match(told, /I am \[REDACTED\]/);
  assert.ok(!told.includes(token));
  assert.ok(!JSON.stringify(updates).includes(token));
}, { capabilities: { elicitation: { form: {} } },
  elicit: (params) => { assert.ok(!JSON.stringify(params).includes(token)); return { action: "accept", content: { name: "Ada" } }; } }));

await test("reads resources that come with a prompt", () => editor({
  "look": [(messages) => { assert.match(JSON.stringify(messages.at(-1)), /unsaved words/); return "Seen."; }],
}, async ({ context, begin, model }) => {
  const place = tree({ "a.txt": "" });
  const { sessionId } = await begin(place.folder);
  await context.request(methods.agent.session.prompt, { sessionId, prompt: [
    { type: "text", text: "look at " },
    { type: "resource", resource: { uri: `file://${place.folder}/a.txt`, text: "unsaved words" } },
    { type: "resource_link", uri: `file://${place.folder}/a.txt`, name: "a.txt" }] });
  assert.deepEqual(model.problems, []);
}));

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
await test("shows the model images of prompts, and replays them", () => editor({
  "look": [(messages) => {
    const parts = messages.at(-1).content;
    assert.deepEqual(parts.filter((part) => part.type === "image_url").map((part) => part.image_url.url),
      [`data:image/png;base64,${pixel}`, `data:image/png;base64,${pixel}`]);
    return "Two pixels.";
  }],
}, async ({ context, ready, begin, text, kinds, model }) => {
  assert.equal(ready.agentCapabilities.promptCapabilities.image, true);
  const place = tree({ "a.txt": "" });
  const { sessionId } = await begin(place.folder);
  await context.request(methods.agent.session.prompt, { sessionId, prompt: [
    { type: "text", text: "look" }, { type: "image", mimeType: "image/png", data: pixel },
    { type: "resource", resource: { uri: "file:///b.png", mimeType: "image/png", blob: pixel } }] });
  assert.deepEqual(model.problems, []);
  assert.equal(text(), "Two pixels.");
  await context.request(methods.agent.session.load, { sessionId, cwd: place.folder, mcpServers: [] });
  assert.equal(kinds("user_message_chunk").filter((update) => update.content.type === "image").length, 2);
  const problem = await context.request(methods.agent.session.prompt, { sessionId, prompt: [
    { type: "image", mimeType: "image/png", data: "no base64" }] }).then(() => null, (error) => error);
  assert.equal(problem?.code, -32602);
}));

await test("sees what is not saved in the editor, never writes over it, and shows what it wrote", async () => {
  const place = tree({ "a.txt": "saved\n", "b.txt": "old\n" });
  const buffers = { [join(place.folder, "a.txt")]: "saved\ntyped\n" };
  const written = {};
  await editor({
    "edit": [
      [["read_file", { path: "a.txt" }]],
      (messages) => { assert.match(messages.at(-1).content, /not saved yet/); assert.match(messages.at(-1).content, /\+typed/);
        return [["write_file", { path: "a.txt", content: "lost\n" }]]; },
      (messages) => { assert.match(messages.at(-1).content, /would be lost/);
        return [["write_file", { path: "b.txt", content: "new\n" }]]; },
      "Done.",
    ],
  }, async ({ begin, say, text, model }) => {
    const { sessionId } = await begin(place.folder);
    await say(sessionId, "edit");
    assert.deepEqual(model.problems, []);
    assert.equal(text(), "Done.");
    assert.equal(place.read("a.txt"), "saved\n");
    assert.equal(place.read("b.txt"), "new\n");
    assert.deepEqual(written, { [join(place.folder, "b.txt")]: "new\n" });
  }, { capabilities: { fs: { readTextFile: true, writeTextFile: true } },
    files: { read: (path) => buffers[path] ?? readFileSync(path, "utf8"),
      write: (path, content) => { written[path] = content; } } });
});

await test("refuses what makes no sense, and goes on", () => editor({ "hello": ["Hello."] }, async ({ context, begin, say, text, agent }) => {
  const { sessionId } = await begin(tree({ "a.txt": "" }).folder);
  const refused = async (method, params, code) => {
    const problem = await context.request(method, params).then(() => null, (error) => error);
    assert.equal(problem?.code, code, `${method}: ${problem}`);
  };
  await refused("session/prompt", { sessionId: "nobody", prompt: [{ type: "text", text: "x" }] }, -32002);
  await refused("session/new", { cwd: "relative", mcpServers: [] }, -32602);
  await refused("session/new", { cwd: "/does/not/exist", mcpServers: [] }, -32602);
  await refused("session/new", { cwd: "/tmp\0/x", mcpServers: [] }, -32602);
  await refused("session/load", { sessionId: "nobody", cwd: home, mcpServers: [] }, -32002);
  await refused("session/set_mode", { sessionId, modeId: "wild" }, -32602);
  await refused("_own/method", {}, -32601);
  agent.child.stdin.write("no json\n[]\n{\"jsonrpc\":\"2.0\"}\n\xff\xfe\n");
  agent.child.stdin.write(`${"x".repeat(1 << 20)}\n`);
  await say(sessionId, "hello");
  assert.equal(text(), "Hello.");
}));

finish();
