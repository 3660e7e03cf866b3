// A tools/call at our server and at the official TypeScript SDK's, by the same client, over standard
// streams and over HTTP: the CPU that the server's process takes for one call, the time that the
// client waits for it, and the memory of an idle connection. Then the clients: the time between an answer of
// a server and the next call that comes to it, of the SDK's client in a loop, and of an agent whose model
// wants many calls in one turn, which are checked, recorded and sent one after the other.
//
//   node bench/mcp_compare.mjs WRIGHT FOLDER_WITH_NODE_MODULES [CALLS]
//
// Both tools do nearly nothing: the SDK's says a word, ours reads a line of a file.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const [binary, modules, count = '5000'] = process.argv.slice(2);
const wright = resolve(binary);
const calls = Number(count);
const home = mkdtempSync(join(tmpdir(), 'wright-bench-'));
const env = { HOME: home, PATH: process.env.PATH };
const file = (name, text) => { writeFileSync(join(home, name), text); return join(home, name); };
const sdk = `
import { createRequire } from 'node:module';
const require = createRequire(${JSON.stringify(resolve(modules, 'from-here.js'))});
const { McpServer } = require('@modelcontextprotocol/sdk/server/mcp.js');
const made = () => { const server = new McpServer({ name: 'sdk', version: '1' });
  server.registerTool('echo', { description: 'Says a word' }, async () => ({ content: [{ type: 'text', text: 'word' }] }));
  return server; };`;
const sdkStdio = file('stdio.mjs', `${sdk}
const { StdioServerTransport } = require('@modelcontextprotocol/sdk/server/stdio.js');
await made().connect(new StdioServerTransport());`);
const sdkHttp = file('http.mjs', `${sdk}
const { StreamableHTTPServerTransport } = require('@modelcontextprotocol/sdk/server/streamableHttp.js');
import { createServer } from 'node:http';
const server = createServer(async (request, response) => {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await made().connect(transport);
  await transport.handleRequest(request, response);
}).listen(0, '127.0.0.1', () => console.error('Listening on http://127.0.0.1:' + server.address().port + '\\n'));`);

// Of all threads, also of those that have ended, in µs. It has ticks of 10 ms: many calls make the steps small.
const cpu = pid => {
  const words = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(words[11]) + Number(words[12])) * 10000;
};
const resident = pid => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1]);
const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };

async function measured(pid, call) {
  for (let i = 0; i < 200; ++i) await call();
  const began = cpu(pid);
  const from = process.hrtime.bigint();
  for (let i = 0; i < calls; ++i) await call();
  return { cpu: (cpu(pid) - began) / calls, wait: Number(process.hrtime.bigint() - from) / 1000 / calls };
}

async function overStdio(command, words, params) {
  const server = spawn(command, words, { env, cwd: home, stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  createInterface({ input: server.stdout }).on('line', line => {
    const answer = JSON.parse(line);
    waiting.get(answer.id)?.(answer);
  });
  let last = 0;
  const ask = (method, sent) => new Promise(done => {
    waiting.set(++last, done);
    server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: last, method, params: sent }) + '\n');
  });
  await ask('initialize', hello);
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  const first = await ask('tools/call', params);
  if (first.error || first.result.isError) throw new Error(JSON.stringify(first));
  const figures = await measured(server.pid, () => ask('tools/call', params));
  server.kill();
  return figures;
}

async function overHttp(command, words, path, params) {
  const server = spawn(command, words, { env, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
  const port = await new Promise(done => {
    let said = '';
    server.stderr.on('data', bytes => {
      const found = (said += bytes).match(/Listening on http:\/\/127\.0\.0\.1:(\d+)\n/);
      if (found) done(Number(found[1]));
    });
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let session;
  const ask = (method, sent) => new Promise((done, failed) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: sent });
    const asked = request({ agent, port, path, host: '127.0.0.1', method: 'POST', headers: {
      'Content-Type': 'application/json', Accept: 'application/json, text/event-stream',
      'Content-Length': Buffer.byteLength(body), ...(session ? { 'Mcp-Session-Id': session } : {}) } }, answer => {
      let text = '';
      answer.on('data', bytes => { text += bytes; });
      answer.on('end', () => { session ??= answer.headers['mcp-session-id']; done(JSON.parse(text)); });
    });
    asked.on('error', failed);
    asked.end(body);
  });
  await ask('initialize', hello);
  const first = await ask('tools/call', params);
  if (first.error || first.result.isError) throw new Error(JSON.stringify(first));
  const figures = await measured(server.pid, () => ask('tools/call', params));
  // Connections that have greeted, and then say nothing.
  const before = resident(server.pid);
  const idle = 1000;
  const greeting = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: hello });
  const sockets = await Promise.all(Array.from({ length: idle }, () => new Promise((done, failed) => {
    let said = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n` +
      `Accept: application/json, text/event-stream\r\nContent-Length: ${greeting.length}\r\n\r\n${greeting}`));
    socket.on('error', failed);
    socket.on('close', () => failed(new Error(`a connection was closed: ${said}`)));
    socket.on('data', bytes => {
      said += bytes;
      if (!said.startsWith('HTTP/1.1 200')) failed(new Error(said));
      if (said.includes('"protocolVersion"')) done(socket);
    });
  })));
  figures.idle = (resident(server.pid) - before) / idle;
  for (const socket of sockets) { socket.removeAllListeners('close'); socket.destroy(); }
  agent.destroy();
  server.kill();
  return figures;
}

// A server that measures how long it waits for the next call.
const waiting = file('waiting.mjs', `
import { createInterface } from 'node:readline';
import { writeFileSync } from 'node:fs';
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let answered;
let waited = 0n;
let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (method === 'tools/call') {
    if (answered && ++count > 20) waited += process.hrtime.bigint() - answered;
    send({ id, result: { content: [{ type: 'text', text: 'word' }] } });
    answered = process.hrtime.bigint();
    writeFileSync(process.env.FIGURE, String(Number(waited) / 1000 / Math.max(1, count - 20)));
    answered = process.hrtime.bigint();
  } else if (method === 'initialize') {
    send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'w', version: '1' } } });
  } else if (method === 'tools/list') {
    send({ id, result: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] } });
  } else if (id !== undefined) send({ id, error: { code: -32601, message: 'no' } });
}`);
const sdkClient = file('client.mjs', `${sdk}
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const client = new Client({ name: 'bench', version: '1' });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [${JSON.stringify(waiting)}], env: process.env }));
for (let i = 0; i < 200; ++i) await client.callTool({ name: 'echo', arguments: {} });
await client.close();`);
async function ofClients() {
  const figure = join(home, 'figure');
  const run = (command, words) => new Promise((done, failed) => {
    const child = spawn(command, words, { cwd: home, stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...env, FIGURE: figure, FAKE_KEY: 'x' } });
    child.on('exit', code => (code === 0 ? done(Number(readFileSync(figure, 'utf8'))) : failed(new Error(`${command}: ${code}`))));
  });
  const theirs = await run(process.execPath, [sdkClient]);
  let turn = 0;
  const model = createServer((asked, response) => {
    asked.resume();
    const calls = Array.from({ length: 200 }, (_, i) => ({ id: `c${turn}-${i}`, type: 'function', function: { name: 's__echo', arguments: `{"n":${i}}` } }));
    const message = turn++ === 0 ? { role: 'assistant', content: null, tool_calls: calls } : { role: 'assistant', content: 'over' };
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'm', usage: { prompt_tokens: 1, completion_tokens: 1 },
      choices: [{ index: 0, message, finish_reason: turn === 1 ? 'tool_calls' : 'stop' }] }));
  }).listen(0, '127.0.0.1');
  await new Promise(done => model.once('listening', done));
  const config = file('config.toml', `[vendors.fake]\nbase_url = "http://127.0.0.1:${model.address().port}/v1"\nkey_variables = ["FAKE_KEY"]\n` +
    `[mcp.servers.s]\ncommand = "${process.execPath}"\nargs = ["${waiting}"]\nenv = { FIGURE = "${figure}" }\n`);
  mkdirSync(join(home, '.config/wright/agents'), { recursive: true });
  writeFileSync(join(home, '.config/wright/agents/caller.toml'), 'instructions = "You call."\nmodel = "fake:m"\ntools = ["grep"]\n');
  const agent = await run(wright, ['run', 'caller', 'Go', '-q', '-c', config, '--database-path', ':memory:']);
  model.close();
  model.closeAllConnections();
  return { theirs, agent };
}

const ours = { name: 'read_file', arguments: { file_path: 'stdio.mjs', limit: 1 } };
const theirs = { name: 'echo' };
const keeping = ['--model', 'offline', '--database-path', ':memory:', '--base-path', home];
try {
  console.log(`${'a tools/call'.padEnd(22)}${'CPU of the server'.padStart(20)}${'waited'.padStart(12)}${'an idle connection'.padStart(22)}`);
  const row = (name, { cpu: used, wait, idle }) => console.log(
    `${name.padEnd(22)}${`${used.toFixed(1)} µs`.padStart(20)}${`${wait.toFixed(0)} µs`.padStart(12)}` +
    (idle === undefined ? '' : `${idle.toFixed(1)} KiB`.padStart(22)));
  row('stdio, SDK', await overStdio(process.execPath, [sdkStdio], theirs));
  row('stdio, Wright', await overStdio(wright, ['mcp', 'serve', '--agents', 'none', ...keeping], ours));
  row('HTTP, SDK', await overHttp(process.execPath, [sdkHttp], '/mcp', theirs));
  row('HTTP, Wright', await overHttp(wright, ['serve', '--listen', '127.0.0.1:0', ...keeping], '/mcp', ours));
  const { theirs: client, agent } = await ofClients();
  console.log(`\nfrom an answer to the next call: SDK's client ${client.toFixed(0)} µs, an agent of Wright ${agent.toFixed(0)} µs`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
