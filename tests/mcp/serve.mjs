// /mcp of `wright serve`, held against the official SDKs and the official suite: node serve.mjs WRIGHT
// Two instances of one home are one server: what begins at one goes on at the other. Of two homes, with the same key.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as v2 from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const wright = process.argv[2];
const home = mkdtempSync(join(tmpdir(), 'wright-mcp-'));
writeFileSync(join(home, 'hello.txt'), 'a needle in a small file\n');
const env = { HOME: home, PATH: process.env.PATH, XDG_CONFIG_HOME: join(home, 'config'),
              XDG_DATA_HOME: join(home, 'data'), XDG_STATE_HOME: join(home, 'state') };
const token = (name, scope) => execFileSync(wright, ['token', 'add', name, '--scope', scope],
  { env, cwd: home, encoding: 'utf8' }).match(/wright_\S+/)[0];

const servers = [];
const serve = (...more) => serveIn(env, ...more);
async function serveIn(own, ...more) {
  const server = spawn(wright, ['serve', '--listen', '127.0.0.1:0', '--model', 'offline', ...more],
                       { env: own, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
  servers.push(server);
  let said = '';
  return new Promise((done, failed) => {
    server.stderr.on('data', bytes => {
      said += bytes;
      const found = said.match(/Listening on http:\/\/([0-9.:]+)\n/);
      if (found) done(found[1]);
    });
    server.on('exit', () => failed(new Error(`it ended: ${said}`)));
  });
}

// What fetch() would not let through: any Host.
const post = (host, headers, body) => new Promise((done, failed) => {
  const [name, port] = host.split(':');
  const sent = request({ host: name, port, path: '/mcp', method: 'POST', headers: {
    Host: host, 'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream', ...headers } }, answer => {
    let text = '';
    answer.on('data', bytes => { text += bytes; });
    answer.on('end', () => done({ status: answer.statusCode, headers: answer.headers, text }));
  });
  sent.on('error', failed);
  sent.end(typeof body === 'string' ? body : JSON.stringify(body));
});
const json = text => JSON.parse(text.startsWith('{') ? text : text.match(/^data: (.*)$/m)[1]);

async function uses(client, name) {
  const { tools } = await client.listTools();
  assert.ok(tools.some(tool => tool.name === 'grep'), `${name}: grep is offered`);
  assert.ok(!tools.some(tool => ['write_file', 'bash'].includes(tool.name)), `${name}: what writes is not`);
  const found = await client.callTool({ name: 'grep', arguments: { pattern: 'needle' } });
  assert.match(found.content[0].text, /hello\.txt/, `${name}: a tool answers`);
  const steps = [];
  const answer = await client.callTool(
    { name: 'ask_codebase_analysis', arguments: { prompt: 'Which files are in this folder?' } },
    ...(name === 'v1' ? [undefined] : []), { onprogress: step => steps.push(step) });
  assert.ok(!answer.isError && answer.structuredContent.session_id > 0, `${name}: an agent answers`);
  assert.ok(steps.length > 0, `${name}: and tells how far it is`);
  assert.ok((await client.listPrompts()).prompts.length > 0, `${name}: prompts are offered`);
  await assert.rejects(client.callTool({ name: 'nobody', arguments: {} }));
  return answer.structuredContent.session_id;
}

try {
  const run = token('runner', 'run');
  const look = token('looker', 'read');
  const other = token('other', 'run');
  const first = await serve();
  const second = await serve();
  const proxied = { 'X-Forwarded-For': '203.0.113.1' };  // nobody's word is taken for who they are
  const bearer = secret => ({ Authorization: `Bearer ${secret}`, ...proxied });
  const options = secret => ({ requestInit: { headers: bearer(secret) } });
  const address = host => new URL(`http://${host}/mcp`);

  // The official clients, in both eras.
  const old = new ClientV1({ name: 'v1', version: '1' });
  await old.connect(new TransportV1(address(first), options(run)));
  const session = await uses(old, 'v1');
  await old.close();
  for (const mode of ['auto', 'legacy']) {
    const client = new v2.Client({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
    await client.connect(new v2.StreamableHTTPClientTransport(address(second), options(run)));
    assert.equal(client.getNegotiatedProtocolVersion(), mode === 'auto' ? '2026-07-28' : '2025-11-25');
    await uses(client, `v2 ${mode}`);
    await client.close();
  }

  // A handshake with one instance holds for the other, for whoever made it and nobody else.
  const hello = await post(first, bearer(run), { jsonrpc: '2.0', id: 'a', method: 'initialize', params: {
    protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } } });
  assert.equal(hello.status, 200);
  const note = hello.headers['mcp-session-id'];
  const within = (secret, carried) => ({ ...bearer(secret), 'Mcp-Session-Id': carried,
                                         'MCP-Protocol-Version': '2025-11-25' });
  const ask = (id, method, params) => ({ jsonrpc: '2.0', id, method, params });
  const goOn = ask(2, 'tools/call', { name: 'ask_codebase_analysis',
                                      arguments: { prompt: 'And now?', session_id: session } });
  const gone = json((await post(second, within(run, note), goOn)).text);
  assert.equal(gone.result.structuredContent?.session_id, session, JSON.stringify(gone));
  assert.equal((await post(second, within(other, note), goOn)).status, 404, 'another carries the note');
  assert.equal((await post(second, within(run, note.slice(0, -4) + 'AAAA'), goOn)).status, 404, 'forged');
  const own = (await post(second, bearer(other), ask(1, 'initialize', {
    protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'o', version: '1' } })))
    .headers['mcp-session-id'];
  const foreign = json((await post(second, within(other, own), goOn)).text);
  assert.equal(foreign.result.isError, true, 'a session of another caller is not there');

  // Who may do what.
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28',
                 'io.modelcontextprotocol/clientCapabilities': {} };
  const modern = (secret, method, name) => ({ ...bearer(secret), 'MCP-Protocol-Version': '2026-07-28',
                                              'Mcp-Method': method, ...(name ? { 'Mcp-Name': name } : {}) });
  const list = ask(1, 'tools/list', { _meta: meta });
  const call = ask(1, 'tools/call', { _meta: meta, name: 'grep', arguments: { pattern: 'needle' } });
  assert.equal((await post(first, modern(look, 'tools/list'), list)).status, 200);
  const refused = await post(first, modern(look, 'tools/call', 'grep'), call);
  assert.equal(refused.status, 403);
  assert.match(refused.headers['www-authenticate'], /insufficient_scope.*scope="run"/);
  assert.equal((await post(first, modern(run, 'tools/call', 'grep'), call)).status, 200);
  const unknown = await post(first, modern('wright_nobody', 'tools/list'), list);
  assert.equal(unknown.status, 401);
  assert.match(unknown.headers['www-authenticate'], /^Bearer/);
  assert.equal((await post(first, proxied, list)).status, 401, 'no token at all');
  assert.equal((await post(first, { ...modern(run, 'tools/list'), Host: 'evil.example' }, list)).status, 403);
  assert.equal((await post(first, { ...modern(run, 'tools/list'), Origin: 'http://evil.example' }, list)).status, 403);
  // A page of the server's own address needs a token, whoever's browser it is in.
  const page = { Origin: `http://${first}` };
  assert.equal((await post(first, { ...modern(run, 'tools/list'), ...page }, list)).status, 200);
  const { Authorization: _, 'X-Forwarded-For': __, ...unnamed } = modern(run, 'tools/list');
  assert.equal((await post(first, unnamed, list)).status, 200, 'a program of the same user needs none');
  assert.equal((await post(first, { ...unnamed, ...page }, list)).status, 401, 'a page does');
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/openid-configuration']) {
    const looked = await fetch(`http://${first}${path}`);
    assert.equal(looked.status, 404);
    assert.ok((await looked.json()).error, 'in JSON');
  }
  assert.equal((await fetch(address(first), { headers: bearer(run) })).status, 405, 'no stream of its own');

  // What is no message is refused, and the server lives on.
  for (const [body, status] of [['', 400], ['{', 400], ['[]', 400], ['\xff\xfe', 400], ['"x"', 400],
                                ['['.repeat(100000), 400]]) {
    assert.equal((await post(first, modern(run, 'tools/list'), body)).status, status, body.slice(0, 9));
  }
  assert.equal((await post(first, modern(run, 'tools/list'), list)).status, 200);
  assert.equal(statSync(join(home, 'state/wright/mcp_key')).mode & 0o777, 0o600);

  // Two homes and one store: each has a key of its own. A note of the one is nothing to the other, which says so in the way
  // that has a client begin anew; with the same key it holds. What both record is in the one store.
  const elsewhere = join(home, 'elsewhere');
  const far = { ...env, HOME: elsewhere, XDG_CONFIG_HOME: join(elsewhere, 'config'),
                XDG_DATA_HOME: join(elsewhere, 'data'), XDG_STATE_HOME: join(elsewhere, 'state') };
  const shared = ['--database-path', join(home, 'shared.db')];
  const near = await serve(...shared);
  const greet = host => post(host, {}, ask('h', 'initialize', {
    protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'two homes', version: '1' } }));
  const carried = (await greet(near)).headers['mcp-session-id'];
  const noted = { 'Mcp-Session-Id': carried, 'MCP-Protocol-Version': '2025-11-25' };
  const look_for = pattern => ask(3, 'tools/call', { name: 'grep', arguments: { pattern } });
  assert.equal((await post(near, noted, look_for('needle'))).status, 200);
  const other_home = await serveIn(far, ...shared);
  assert.equal((await post(other_home, noted, look_for('needle'))).status, 404, 'a note of another key');
  const again = { ...noted, 'Mcp-Session-Id': (await greet(other_home)).headers['mcp-session-id'] };
  assert.equal((await post(other_home, again, look_for('small file'))).status, 200, 'a client that begins anew');
  copyFileSync(join(home, 'state/wright/mcp_key'), join(elsewhere, 'state/wright/mcp_key'));
  const same_key = await serveIn(far, ...shared);
  const held = json((await post(same_key, noted, look_for('a needle in'))).text);
  assert.match(JSON.stringify(held), /hello\.txt/, 'with the same key a note holds');
  const recorded = JSON.parse(execFileSync(wright, ['sessions', '--json', ...shared], { env, cwd: home, encoding: 'utf8' }));
  const calls = recorded.map(({ id }) => execFileSync(wright, ['sessions', 'export', String(id), '--format', 'json', ...shared],
    { env, cwd: home, encoding: 'utf8' })).join('\n');
  for (const pattern of ['needle', 'small file', 'a needle in']) {
    assert.ok(calls.includes(pattern), `the call for '${pattern}' is recorded`);
  }

  // The official suite, where it asks for nothing but what every server has.
  const suite = resolve('node_modules/@modelcontextprotocol/conformance/dist/on_older_node.js');
  for (const each of ['server-initialize@2025-11-25', 'ping@2025-11-25', 'tools-list@2025-11-25',
                      'tools-list@2026-07-28']) {
    const [scenario, version] = each.split('@');
    const ran = spawnSync(process.execPath, [suite, 'server', '--url', String(address(second)),
      '--scenario', scenario, '--spec-version', version], { cwd: home, encoding: 'utf8', timeout: 60000 });
    assert.equal(ran.status, 0, `${each}\n${ran.stdout.slice(-3000)}`);
  }
  console.log('/mcp serves all');
} finally {
  for (const server of servers) server.kill('SIGTERM');
  rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
