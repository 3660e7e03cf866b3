// A server for the tests of crashes whose calls are tasks. It keeps them in files, writes down whenever it acts, tells
// where it is (an HTTP request for each moment, which is when the test kills somebody), and goes on. In both
// revisions, over both ways:
//
//   MOMENTS=URL ACTS=FILE TASKS=FOLDER REVISION=2025-11-25|2026-07-28 [PORT=…] node task_server.mjs [http]
//
// `do_write` and `do_look` act when they are called and once more when they are asked after for the second time;
// `ask_…` ask a person for a name before that.
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { MOMENTS, ACTS, TASKS, REVISION, PORT } = process.env;
const modern = REVISION === '2026-07-28';
const extension = 'io.modelcontextprotocol/tasks';
const at = moment => new Promise(done => get(`${MOMENTS}/${moment}`, answer => {
  answer.resume();
  answer.on('end', done);
}).on('error', done));
const act = word => appendFileSync(ACTS, `${word}\n`);
const said = text => ({ content: [{ type: 'text', text }] });
const inputSchema = { type: 'object' };
const execution = { taskSupport: 'required' };
const tools = ['do_', 'ask_'].flatMap(kind => [{ name: `${kind}write`, inputSchema, execution },
  { name: `${kind}look`, inputSchema, execution, annotations: { readOnlyHint: true } }]);
const question = { mode: 'form', message: 'Who?', requestedSchema: {
  type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } };

// Whole or not at all: whoever comes after a kill reads one or the other.
const place = id => join(TASKS, `${id}.json`);
const save = task => {
  writeFileSync(`${place(task.id)}.new`, JSON.stringify(task));
  renameSync(`${place(task.id)}.new`, place(task.id));
};
const load = id => existsSync(place(id)) ? JSON.parse(readFileSync(place(id), 'utf8')) : undefined;
const shown = task => ({ taskId: task.id, status: task.status, createdAt: '2026-07-28T10:00:00Z', lastUpdatedAt: '2026-07-28T10:00:00Z',
  ...(modern ? { ttlMs: null, pollIntervalMs: 20 } : { ttl: null, pollInterval: 20 }) });

let last = 0;
const asked = new Map();  // questions that are open, by their ids

async function end(task) {
  if (task.status === 'completed') return;
  act(`${task.name} with ${task.word ?? 'nobody'}`);
  task.status = 'completed';
  task.result = said(`it is done with ${task.word ?? 'nobody'}`);
  save(task);
  await at('finished');
}

// `send` goes to whoever made the request.
async function handle({ id, method, params }, send) {
  const answer = result => send({ id, result: modern ? { resultType: 'complete', ...result } : result });
  const refuse = (code, message) => send({ id, error: { code, message } });
  const capabilities = modern ? { tools: {}, extensions: { [extension]: {} } }
    : { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } };
  const greeting = { capabilities, serverInfo: { name: 'tasks', version: '1' } };
  if (method === 'server/discover' && modern) {
    return answer({ supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private', ...greeting });
  }
  if (method === 'initialize') return answer({ protocolVersion: '2025-11-25', ...greeting });
  if (method === 'tools/list') return answer({ tools, ttlMs: 0, cacheScope: 'private' });
  if (method === 'tools/call') {
    const knows = modern ? params._meta?.['io.modelcontextprotocol/clientCapabilities']?.extensions?.[extension] : params.task;
    if (!knows) return refuse(-32601, 'only as a task');
    await at('called');
    act(params.name);
    await at('acted');
    const task = { id: `task-${Date.now()}-${process.pid}`, name: params.name, status: 'working', looks: 0 };
    save(task);
    await send({ id, result: modern ? { resultType: 'task', ...shown(task) } : { task: shown(task) } });
    return at('created');
  }
  const task = load(params?.taskId);
  if (!method.startsWith('tasks/')) return refuse(-32601, 'no');
  if (!task) return refuse(-32602, 'there is no such task');
  if (method === 'tasks/get') {
    task.looks += 1;
    if (task.looks === 1) await at('looked');
    const asks = task.name.startsWith('ask_') && task.word === undefined;
    if (task.looks > 1 && task.status !== 'completed') {
      if (asks) task.status = 'input_required';
      else if (modern || !task.name.startsWith('ask_')) await end(task);
    }
    save(task);
    const all = shown(task);
    if (modern && task.status === 'input_required') all.inputRequests = { q: { method: 'elicitation/create', params: question } };
    if (modern && task.status === 'completed') all.result = task.result;
    await answer(all);
    if (task.status === 'input_required' && modern) return at('asked');
    return task.status === 'completed' ? at('fetched') : undefined;
  }
  if (method === 'tasks/update') {
    await at('told');
    task.word ??= params.inputResponses.q.content.name;
    task.status = 'working';
    save(task);
    return answer({});
  }
  if (method === 'tasks/result') {
    if (task.status === 'input_required') {
      const own = `q${++last}`;
      const reply = new Promise(done => asked.set(own, done));
      await send({ id: own, method: 'elicitation/create', params: { ...question,
        _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.id } } } });
      await at('asked');
      const given = (await reply).result?.content?.name;
      await at('told');
      const now = load(task.id);
      now.word ??= given;
      await end(now);
      task.result = now.result;
    }
    await answer({ ...task.result, _meta: { 'io.modelcontextprotocol/related-task': { taskId: task.id } } });
    return at('fetched');
  }
  return answer({});
}

function receive(message, send) {
  if (message.method && message.id !== undefined) return handle(message, send);
  asked.get(message.id)?.(message);
}

if (process.argv[2] !== 'http') {
  const send = message => new Promise(done => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n', done));
  for await (const line of createInterface({ input: process.stdin })) receive(JSON.parse(line), send);
} else {
  // Whoever started it may fail: then it goes, too.
  process.stdin.resume().on('end', () => process.exit());
  const server = createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end();
    const message = JSON.parse(Buffer.concat(await request.toArray()));
    if (!message.method || message.id === undefined) {
      receive(message);
      return response.writeHead(202).end();
    }
    // The older revision asks on the stream of the request for the result.
    const streams = message.method === 'tasks/result';
    if (streams) response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const send = each => new Promise(done => {
      const text = JSON.stringify({ jsonrpc: '2.0', ...each });
      if (streams) return response.write(`data: ${text}\n\n`, done);
      const status = each.error?.code === -32601 ? 404 : 200;
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(text, done);
    });
    response.on('error', () => {});
    await receive(message, send);
    if (streams) response.end();
  }).listen(Number(PORT ?? 0), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}
