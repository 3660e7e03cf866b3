// `wright run` is killed at every boundary of a call to an MCP server, and resumed: what is known is
// known, what is not is told so, and nothing that writes happens twice.
//
//   node kill.mjs WRIGHT tests/serving/wright.mjs [WORDS]
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, watch } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const { Home, binary, model } = await import(process.argv[3]);

// One history: a tool of `kind` (call, ask, sample) is called, and Wright is killed when the server says `fatal`; null:
// never. Whoever comes then resumes, and answers what is asked, until the session is over.
async function history({ way, revision, kind, tool, fatal }) {
  const where = `${kind} ${tool} over ${way}, ${revision}, killed when ${fatal}`;
  const home = new Home();
  const acts = join(home.folder, 'acts');
  let wright;
  let isArmed = fatal !== null;
  let tellKilled;
  const isKilled = new Promise(done => { tellKilled = done; });
  const moments = createServer(async (request, response) => {
    if (isArmed && request.url === `/${fatal}`) {
      isArmed = false;
      const dead = new Promise(done => wright.on('exit', done));
      wright.kill('SIGKILL');
      await dead;
      tellKilled();
    }
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise(done => moments.once('listening', done));
  const env = { MOMENTS: `http://127.0.0.1:${moments.address().port}`, ACTS: acts, REVISION: revision };
  const script = resolve('acting_server.mjs');
  let server;
  let section = `command = "${process.execPath}"\nargs = ["${script}"]\n` +
    `env = { ${Object.entries(env).map(([name, value]) => `${name} = "${value}"`).join(', ')} }\n`;
  if (way === 'http') {
    server = spawn(process.execPath, [script, 'http'], { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
    section = `url = "${String(await new Promise(done => server.stdout.once('data', done))).trim()}"\n`;
  }
  const name = kind === 'call' ? tool : `${kind}_${tool}`;
  const fake = await model(async messages => {
    if (messages.at(-1).role === 'tool') {
      // Who has answered says so afterwards: without this the session may be over before Wright is killed.
      if (fatal === 'answered') await isKilled;
      return `heard: ${messages.at(-1).content}`;
    }
    return JSON.stringify(messages).includes('Capital?') ? 'Paris' : { calls: [[`s__${name}`, {}]] };
  });
  home.agents(fake.url, { caller: 'instructions = "You call."\nmodel = "fake:m"\ntools = ["grep"]\n' }, `[mcp.servers.s]\n${section}`);
  const run = words => new Promise(done => {
    wright = spawn(binary, [...words, '-c', home.config], { cwd: home.folder, env: home.env, stdio: ['ignore', 'pipe', 'pipe'] });
    let told = '';
    for (const stream of [wright.stdout, wright.stderr]) stream.on('data', bytes => { told += bytes; });
    wright.on('close', code => done({ code, told }));
  });
  try {
    let ended = await run(['run', 'caller', 'Go', '-q']);
    let questions = 0;
    for (let turn = 0; ended.code !== 0 && turn < 6; ++turn) {
      const waits = await run(['waits', '--json']);
      if (/"question"/.test(waits.told)) {
        ++questions;
        const word = kind === 'ask' ? 'name=Ada' : 'allow=yes';
        const answered = await run(['answer', 'last', '--set', word]);
        assert.equal(answered.code, 0, `${where}: ${answered.told}`);
      }
      const sessions = await run(['sessions', '--json']);
      const begun = JSON.parse(sessions.told || '[]').length > 0;
      ended = await run(begun ? ['resume', 'last', '-q'] : ['run', 'caller', 'Go', '-q']);
    }
    if (fatal !== null && fatal !== 'finished') assert.ok(!isArmed, `${where}: it got there\n${ended.told}`);
    assert.equal(ended.code, 0, `${where}: it comes to an end\n${ended.told}`);
    const lines = existsSync(acts) ? readFileSync(acts, 'utf8').split('\n') : [];
    const begun = lines.filter(line => line === name).length;
    const finished = lines.filter(line => line.startsWith(`${name} with`)).length;
    const isUnknown = /not known|unknown/.test(ended.told);
    const isDone = /it is done|is completed/.test(ended.told);
    assert.ok(isUnknown || isDone, `${where}: ${ended.told}`);
    if (tool === 'write') {
      assert.ok(begun <= 1, `${where}: began ${begun} times`);
      assert.ok(finished <= 1, `${where}: came to its end ${finished} times`);
      if (isDone && kind !== 'call') assert.equal(finished, 1, `${where}: what is told has happened`);
      if (['acted', 'asked', 'told'].includes(fatal)) assert.equal(begun, 1, `${where}: nobody undoes it`);
      if (fatal === 'acted') assert.ok(isUnknown, `${where}: nobody has heard of it: ${ended.told}`);
      // Only the newest revision can go on in another process.
      if (fatal === null) assert.equal(isDone, revision === '2026-07-28', `${where}: ${ended.told}`);
    } else {
      assert.ok(isDone, `${where}: ${ended.told}`);
    }
    if (fatal === null) {
      assert.equal(questions, 1, `${where}: it was asked once`);
      if (isDone) assert.match(ended.told, kind === 'ask' ? /done with Ada/ : /done with Paris/, where);
    }
  } finally {
    server?.kill();
    moments.close();
    moments.closeAllConnections();
    fake.server.close();
    fake.server.closeAllConnections();
    home.remove();
  }
}

const histories = [];
for (const way of ['stdio', 'http']) {
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const add = (kind, tool, ...moments) => {
      for (const fatal of moments) histories.push({ way, revision, kind, tool, fatal });
    };
    add('call', 'write', 'greeted', 'listed', 'called', 'acted', 'answered');
    add('call', 'look', 'called', 'acted', 'answered');
    add('ask', 'write', null, 'acted', 'asked', ...(revision === '2026-07-28' ? ['told', 'finished'] : []));
    add('ask', 'look', null, 'asked', 'told');
    add('sample', 'write', null, 'asked', ...(revision === '2026-07-28' ? ['told'] : []));
    add('sample', 'look', null, 'told');
  }
}
const chosen = process.argv[4] ? histories.filter(each => JSON.stringify(each).includes(process.argv[4])) : histories;
const left = [...chosen];
await Promise.all(Array.from({ length: 3 }, async () => {
  while (left.length > 0) await history(left.shift());
}));

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
console.log(`nothing happens twice, in ${chosen.length} histories`);
