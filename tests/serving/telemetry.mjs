// node telemetry.mjs WRIGHT: a collector of traces, a model and an MCP server that note what they are
// sent, and the real program between them.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Home, Noticed, json, listening, model } from './wright.mjs';

const home = new Home();
const spans = [];
const noticed = new Noticed();
const plain = (value) => value.stringValue ?? value.boolValue ??
  (value.intValue !== undefined ? Number(value.intValue) : value.doubleValue) ??
  value.arrayValue?.values.map(plain);
let requests = 0;
const collector = await listening((body, request) => {
  assert.equal(request.headers.authorization, 'Bearer of-the-collector');
  if (requests++ === 0) return [503, {}];  // it is not ready yet: nothing may be lost
  assert.equal(request.url, '/v1/traces');
  for (const group of JSON.parse(body).resourceSpans) {
    const resource = Object.fromEntries(group.resource.attributes.map((a) => [a.key, plain(a.value)]));
    for (const span of group.scopeSpans[0].spans) {
      spans.push({ ...span, resource,
        attributes: Object.fromEntries(span.attributes.map((a) => [a.key, plain(a.value)])) });
    }
  }
  noticed.notice();
  return [200, {}];
});

const last = (messages) => messages.at(-1);
const llm = await model((messages) => {
  const system = JSON.stringify(messages[0]);
  if (system.includes('You help')) return 'the helper says 42';
  if (last(messages).role !== 'tool') return { calls: [['helper', { message: 'a secret question' }]] };
  if (messages.filter((m) => m.role === 'tool').length === 1) return { calls: [['notes__note', { text: 'x' }]] };
  return 'all is done';
});

// An MCP server that writes down the _meta of calls.
const notes = join(home.folder, 'meta.json');
writeFileSync(join(home.folder, 'notes.mjs'), `
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'notes', version: '1' } });
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'note', description: 'Notes', inputSchema: { type: 'object', properties: { text: { type: 'string' } } } }] });
  else if (method === 'tools/call') { writeFileSync(${JSON.stringify(notes)}, JSON.stringify(params._meta ?? {})); answer(id, { content: [{ type: 'text', text: 'noted' }] }); }
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
}`);
home.agents(llm.url, {
  chief: 'description = "Leads the helper."\ninstructions = "You lead."\nmodel = "fake:m"\nspecialists = ["helper"]\n',
  helper: 'instructions = "You help."\nmodel = "fake:m"\n',
}, `[mcp.servers.notes]\ncommand = "${process.execPath}"\nargs = ["${join(home.folder, 'notes.mjs')}"]\nagents = ["chief"]\neffects = { "*" = "read" }\n`);

const trace = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = '00f067aa0ba902b7';
const env = {
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
  OTEL_SERVICE_NAME: 'the-test',
  OTEL_BSP_SCHEDULE_DELAY: '50',
};

function checkTree(all, above) {
  const named = (name) => all.filter((span) => span.name === name);
  const [root] = named('invoke_agent chief');
  const [child] = named('invoke_agent helper');
  const [helper] = named('execute_tool helper');
  const [note] = named('execute_tool notes__note');
  const chats = named('chat m');
  assert.equal(all.length, 8, all.map((span) => span.name).join());
  assert.equal(chats.length, 4);
  assert.equal(root.parentSpanId, above);
  assert.equal(helper.parentSpanId, root.spanId);
  assert.equal(note.parentSpanId, root.spanId);
  assert.equal(child.parentSpanId, helper.spanId, 'a specialist stands below the call that it answers');
  for (const span of all) {
    assert.equal(span.traceId, root.traceId);
    assert.ok(BigInt(span.startTimeUnixNano) <= BigInt(span.endTimeUnixNano));
    assert.ok(BigInt(span.startTimeUnixNano) >= BigInt(root.startTimeUnixNano));
    assert.ok(BigInt(span.endTimeUnixNano) <= BigInt(root.endTimeUnixNano));
    assert.equal(span.resource['service.name'], 'the-test');
    assert.ok(!JSON.stringify(span).includes('secret'), 'no content unless it is wanted');
  }
  for (const chat of chats) {
    assert.equal(chat.kind, 3);
    assert.equal(chat.attributes['gen_ai.operation.name'], 'chat');
    assert.equal(chat.attributes['gen_ai.provider.name'], 'fake');
    assert.equal(chat.attributes['gen_ai.response.model'], 'm-2026');
    assert.equal(chat.attributes['gen_ai.usage.input_tokens'], 10);
    assert.equal(chat.attributes['gen_ai.response.id'], 'x');
    assert.equal(chat.attributes['gen_ai.request.max_tokens'] > 0, true);
    assert.equal(chat.attributes['server.address'], '127.0.0.1');
    assert.equal(chat.attributes['server.port'], Number(new URL(llm.url).port));
    const agent = chat.attributes['gen_ai.agent.name'];
    assert.equal(chat.parentSpanId, agent === 'chief' ? root.spanId : child.spanId);
  }
  assert.equal(root.attributes['gen_ai.usage.output_tokens'], 9);
  assert.equal(note.attributes['gen_ai.tool.name'], 'notes__note');
  assert.match(note.attributes['gen_ai.tool.description'], /Notes/);
  assert.equal(root.attributes['gen_ai.agent.description'], 'Leads the helper.');
  return { root, chats, note };
}

async function askOverMcp(url, method, params, meta, headers) {
  const version = '2026-07-28';
  const response = await fetch(`${url}/mcp`, { method: 'POST', headers: {
    'content-type': 'application/json', accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version, 'mcp-method': method, ...(params.name ? { 'mcp-name': params.name } : {}), ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'r-7', method, params: { ...params, _meta: {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientCapabilities': {}, ...meta } } }) });
  return response.text();
}

// What an MCP client asks for stands below its request, and that below whoever asked, as `_meta` says;
// without it, as the headers do.
async function checkMcp(url) {
  const carrier = { traceparent: '00-11111111111111111111111111111111-2222222222222222-01' };
  const ask = (...words) => askOverMcp(url, ...words);
  const inMeta = { traceparent: `00-${trace}-${parent}-01`, tracestate: 'vendor=3' };
  const isRequest = (span) => span.kind === 2;
  const checkRequest = (span, name) => {
    assert.equal(span.name, name);
    assert.equal(span.attributes['mcp.method.name'], name.split(' ')[0]);
    assert.equal(span.attributes['jsonrpc.request.id'], 'r-7');
    assert.equal(span.attributes['mcp.protocol.version'], '2026-07-28');
    assert.equal(span.attributes['network.transport'], 'tcp');
    assert.ok(!JSON.stringify(span).includes('secret'), 'no content unless it is wanted');
  };
  for (const [meta, headers] of [[inMeta, {}], [inMeta, carrier], [{}, inMeta]]) {
    llm.heads.length = 0;
    const answer = await ask('tools/call', { name: 'ask_chief', arguments: { prompt: 'a secret' } }, meta, headers);
    assert.match(answer, /all is done/);
    const all = await take(9);
    const [request] = all.filter(isRequest);
    checkRequest(request, 'tools/call ask_chief');
    assert.equal(request.attributes['gen_ai.operation.name'], 'execute_tool');
    assert.equal(request.attributes['gen_ai.tool.name'], 'ask_chief');
    assert.equal(request.traceId, trace);
    assert.equal(request.parentSpanId, parent);
    assert.equal(request.traceState, 'vendor=3');
    assert.deepEqual((request.links ?? []).map((link) => link.spanId),
      headers === carrier ? ['2222222222222222'] : []);
    const { root, chats } = checkTree(all.filter((span) => !isRequest(span)), request.spanId);
    assert.equal(root.traceId, trace);
    assert.deepEqual(llm.heads.map((head) => head.traceparent).toSorted(),
      chats.map((chat) => `00-${trace}-${chat.spanId}-01`).toSorted());
  }
  // A tool of the server itself, and what cannot be done.
  await ask('tools/call', { name: 'read_file', arguments: { path: 'main.py' } }, inMeta);
  const [own] = await take(1);
  checkRequest(own, 'tools/call read_file');
  assert.equal(own.parentSpanId, parent);
  assert.equal(own.status.code, undefined);
  await ask('tools/call', { name: 'read_file', arguments: { path: 'a-secret.txt' } }, inMeta);
  const [failed] = await take(1);
  checkRequest(failed, 'tools/call read_file');
  assert.equal(failed.status.code, 2);
  assert.equal(failed.attributes['error.type'], 'tool_error');
  await ask('tools/call', { name: 'nobody' }, {});
  const [refused] = await take(1);
  checkRequest(refused, 'tools/call nobody');
  assert.equal(refused.attributes['error.type'], '-32602');
  assert.equal(refused.attributes['rpc.response.status_code'], '-32602');
  assert.equal(refused.parentSpanId, undefined);
  await ask('tools/list', {}, inMeta);
  const [listed] = await take(1);
  checkRequest(listed, 'tools/list');
  assert.equal(listed.attributes['gen_ai.operation.name'], undefined);
}

const take = (count) => noticed.until(() => spans.length >= count && spans.splice(0));

try {
  // A run in the trace of whoever started it.
  const log = join(home.folder, 'log.json');
  const run = await home.run(['run', 'chief', 'go', '--log-file', log, '--log-format', 'json'], {
    env: { ...env, TRACEPARENT: `00-${trace}-${parent}-01`, TRACESTATE: 'vendor=1' } });
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.stdout, 'all is done\n');
  const { chats, note } = checkTree(await take(8), parent);
  assert.equal(chats[0].traceId, trace);
  assert.equal(chats[0].traceState, 'vendor=1');
  // What models and MCP servers were told is where the spans are.
  const told = llm.heads.map((head) => head.traceparent);
  assert.deepEqual(told.toSorted(), chats.map((chat) => `00-${trace}-${chat.spanId}-01`).toSorted());
  assert.ok(llm.heads.every((head) => head.tracestate === 'vendor=1'));
  assert.equal(JSON.parse(readFileSync(notes)).traceparent, `00-${trace}-${note.spanId}-01`);
  const lines = readFileSync(log, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(lines.some((line) => line.trace_id === trace && line.span_id === note.spanId),
    'what is logged of a call names its span');

  // A server takes the trace of a request, and keeps it with the session.
  const server = await home.serve([], env);
  const begun = await json(`${server.url}/api/v1/sessions`, { agent: 'chief', prompt: 'go' },
    { traceparent: `00-${trace}-${parent}-01` });
  assert.equal(begun.status, 201, JSON.stringify(begun.body));
  assert.equal(checkTree(await take(8), parent).root.traceId, trace);
  const shown = await json(`${server.url}/api/v1/sessions/${begun.body.id}?details=all`);
  assert.equal(shown.body.config.traceparent, `00-${trace}-${parent}-01`);
  // Nonsense begins a trace of its own.
  await json(`${server.url}/api/v1/sessions`, { agent: 'chief', prompt: 'go' }, { traceparent: 'nonsense' });
  assert.notEqual(checkTree(await take(8), undefined).root.traceId, trace);
  // Requests in the vendors' protocols, too, whole and streamed.
  const vendors = {
    'chat/completions': { messages: [{ role: 'user', content: 'go' }] },
    responses: { input: 'go' },
    messages: { max_tokens: 1000, messages: [{ role: 'user', content: 'go' }] },
  };
  for (const [path, body] of Object.entries(vendors)) {
    for (const stream of [false, true]) {
      const response = await fetch(`${server.url}/v1/${path}`, { method: 'POST',
        headers: { traceparent: `00-${trace}-${parent}-01`, tracestate: 'vendor=2' },
        body: JSON.stringify({ model: 'chief', stream, ...body }) });
      assert.equal(response.status, 200, path);
      assert.match(await response.text(), /all is done/, path);
      const { root } = checkTree(await take(8), parent);
      assert.equal(root.traceId, trace, path);
      assert.equal(root.traceState, 'vendor=2', path);
    }
  }
  await checkMcp(server.url);
  await server.endWell();

  // With content: what every model reads, a specialist's too. What does not count is said once.
  const spoken = await home.run(['run', 'chief', 'go'], { env: { ...env,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' } });
  assert.equal(spoken.code, 0, spoken.stderr);
  assert.equal(spoken.stderr.match(/OTEL_EXPORTER_OTLP_COMPRESSION/g)?.length, 1, spoken.stderr);
  const asked = (await take(8)).filter((span) => span.name === 'chat m');
  for (const { attributes } of asked) {
    const input = JSON.parse(attributes['gen_ai.input.messages']);
    assert.equal(input[0].role, 'user');
    assert.ok(JSON.parse(attributes['gen_ai.system_instructions'])[0].content.length > 0);
    assert.equal(JSON.parse(attributes['gen_ai.output.messages'])[0].role, 'assistant');
    const isHelper = attributes['gen_ai.agent.name'] === 'helper';
    assert.equal(input[0].parts[0].content, isHelper ? 'a secret question' : 'go');
    if (isHelper) continue;
    const tools = JSON.parse(attributes['gen_ai.tool.definitions']).map((tool) => tool.name);
    assert.ok(tools.includes('helper'), tools.join());
  }
  assert.equal(asked.length, 4);
  const final = asked.map(({ attributes }) => JSON.parse(attributes['gen_ai.input.messages']))
    .find((messages) => messages.length === 5);
  assert.equal(final.at(-1).parts[0].type, 'tool_call_response');

  // Switched off, nothing goes out and nothing is passed on.
  const before = requests;
  llm.heads.length = 0;
  const off = await home.run(['run', 'chief', 'go'], { env: { ...env, OTEL_SDK_DISABLED: 'true' } });
  assert.equal(off.code, 0);
  assert.equal(requests, before);
  assert.ok(llm.heads.every((head) => head.traceparent === undefined));

  // A server that records nothing passes on what an MCP client says, and nothing that is no trace.
  const passing = await home.serve([], { OTEL_SDK_DISABLED: 'true' });
  for (const traceparent of [`00-${trace}-${parent}-01`, 'x\r\nx-injected: 1']) {
    llm.heads.length = 0;
    assert.match(await askOverMcp(passing.url, 'tools/call',
      { name: 'ask_helper', arguments: { prompt: 'go' } }, { traceparent }), /42/);
    assert.equal(llm.heads.length, 1);
    assert.equal(llm.heads[0].traceparent, traceparent.startsWith('00') ? traceparent : undefined);
    assert.equal(llm.heads[0]['x-injected'], undefined);
  }
  await passing.endWell();

  // A collector that is away holds nobody up.
  collector.server.close();
  collector.server.closeAllConnections();
  const away = await home.run(['run', 'chief', 'go'], { env });
  assert.equal(away.code, 0, away.stderr);
  assert.equal(away.stdout, 'all is done\n');
} finally {
  collector.server.close();
  llm.server.close();
  home.remove();
}
