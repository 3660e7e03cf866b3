// `wright run` is killed at every boundary of a call to an MCP server, and resumed: what is known is
// known, what is not is told so, and nothing that writes happens twice.
//
//   node kill.mjs WRIGHT tests/serving/wright.mjs
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const { Home, binary, model } = await import(process.argv[3]);

// The server says where it is, and goes on when it is told to.
const server = `
import http from 'node:http'; import fs from 'node:fs'; import readline from 'node:readline';
const at = moment => new Promise(done => http.get(process.env.MOMENTS + '/' + moment, answer => {
  answer.resume(); answer.on('end', done); }).on('error', done));
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === 'initialize') {
    await at('greeted');
    send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} } } });
  } else if (method === 'tools/list') {
    await at('listed');
    const inputSchema = { type: 'object' };
    send({ id, result: { tools: [{ name: 'write', inputSchema },
      { name: 'look', inputSchema, annotations: { readOnlyHint: true } }] } });
  } else if (method === 'tools/call') {
    await at('called');
    fs.appendFileSync(process.env.ACTS, params.name + '\\n');
    await at('acted');
    send({ id, result: { content: [{ type: 'text', text: 'it is done' }] } });
    await at('answered');
  } else send({ id, error: { code: -32601, message: 'no' } });
}`;

for (const tool of ['write', 'look']) {
  for (const fatal of ['greeted', 'listed', 'called', 'acted', 'answered']) {
    const home = new Home();
    let wright;
    let isArmed = true;
    let killed;
    const moments = createServer((request, response) => {
      if (isArmed && request.url === `/${fatal}`) {
        isArmed = false;
        killed = new Promise(done => wright.on('exit', done));
        wright.kill('SIGKILL');
      }
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise(done => moments.once('listening', done));
    const acts = join(home.folder, 'acts');
    writeFileSync(join(home.folder, 'server.mjs'), server);
    const fake = await model(messages =>
      messages.at(-1).role === 'tool' ? `heard: ${messages.at(-1).content}` : { calls: [[`s__${tool}`, {}]] });
    home.agents(fake.url, { caller: 'instructions = "You call."\nmodel = "fake:m"\ntools = ["grep"]\n' },
      `[mcp.servers.s]\ncommand = "${process.execPath}"\nargs = ["${join(home.folder, 'server.mjs')}"]\n` +
      `env = { MOMENTS = "http://127.0.0.1:${moments.address().port}", ACTS = "${acts}" }\n`);
    const where = `${tool}, killed when ${fatal}`;
    wright = spawn(binary, ['run', 'caller', 'Go', '-q', '-c', home.config],
                   { cwd: home.folder, env: home.env, stdio: ['ignore', 'pipe', 'pipe'] });
    await new Promise(done => wright.on('exit', done));
    await killed;
    assert.ok(!isArmed, `${where}: it got there`);
    const before = ['greeted', 'listed'].includes(fatal);
    const resumed = await home.run(before ? ['run', 'caller', 'Go', '-q'] : ['resume', 'last', '-q']);
    const count = existsSync(acts) ? readFileSync(acts, 'utf8').split('\n').length - 1 : 0;
    const told = resumed.stdout + resumed.stderr;
    if (tool === 'write') {
      assert.ok(count <= 1, `${where}: happened ${count} times`);
      if (fatal === 'acted') assert.equal(count, 1, `${where}: nobody undoes it`);
      if (fatal === 'acted') assert.doesNotMatch(told, /it is done/, `${where}: nobody has heard that`);
      // It may have come to its end before it was killed.
      const isKnown = before || /it is done|is completed/.test(told);
      assert.ok(isKnown || /not known|unknown/.test(told), `${where}: ${told}`);
    } else {
      assert.match(told, fatal === 'answered' ? /it is done|is completed/ : /it is done/, where);
    }
    moments.close();
    fake.server.close();
    fake.server.closeAllConnections();
    home.remove?.();
  }
}
// `wright mcp serve` is killed during a call of its client: whoever comes next says what is known.
{
  const home = new Home();
  const fake = await model(() => 'nothing');
  home.agents(fake.url, {}, '[bash]\npreset = "workspace"\n[bash.rules]\n"*" = "ask"\n');
  const acts = join(home.folder, 'acts');
  const served = spawn(binary, ['mcp', 'serve', '--tools', 'bash', '--agents', 'none', '-c', home.config,
                                '--base-path', home.folder, '--set', 'agent.writable=.'],
                       { cwd: home.folder, env: home.env, stdio: ['pipe', 'pipe', 'inherit'] });
  const send = message => served.stdin.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n');
  let watcher;
  const begun = new Promise(done => { watcher = watch(home.folder, () => existsSync(acts) && done()); });
  const dead = new Promise(done => served.on('exit', done));
  send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25',
    capabilities: { elicitation: {} }, clientInfo: { name: 'test', version: '1' } } });
  let told;
  for await (const line of createInterface({ input: served.stdout })) {
    const message = JSON.parse(line);
    if (message.id === 1) {
      send({ method: 'notifications/initialized' });
      send({ id: 2, method: 'tools/call',
             params: { name: 'bash', arguments: { command: 'touch acts; sleep 60' } } });
    } else if (message.method === 'elicitation/create') {
      send({ id: message.id, result: { action: 'accept', content: { decision: 'once' } } });
      await begun;
      watcher.close();
      served.kill('SIGKILL');
    } else if (message.id === 2) { told = line; served.kill(); }
  }
  await dead;
  assert.equal(told, undefined, 'it did not come to its end');
  const shown = await home.run(['sessions', 'show', 'last']);
  assert.match(shown.stdout, /executing/, 'nobody has looked yet');
  const resumed = await home.run(['resume', '--all']);
  assert.doesNotMatch(resumed.stderr, /unknown agent/);
  const settled = await home.run(['sessions', 'show', 'last']);
  assert.match(settled.stdout, /bash +unknown/, settled.stdout);
  assert.match(settled.stdout, /not known: the process ended while it ran/, settled.stdout);
  assert.ok(existsSync(acts));
  fake.server.close();
  fake.server.closeAllConnections();
  home.remove?.();
}
console.log('nothing happens twice');
