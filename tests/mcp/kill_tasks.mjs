// A call that its server goes on with as a task. `wright run`, or the server, is killed at every boundary of it, and
// comes again: what had become a task comes to its end, and nothing that writes happens twice. Then our own server is
// killed while it does a task of its client.
//
//   node kill_tasks.mjs WRIGHT tests/serving/wright.mjs [WORDS]
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const { Home, binary, model } = await import(process.argv[3]);
const modernMeta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } };

// One history: `name` is called, and `victim` (wright, server) is killed when the server is at the moment `fatal`; null:
// never. Whoever comes then resumes, and answers what is asked, until the session is over.
async function history({ way, revision, name, victim, fatal }) {
  const where = `${name} over ${way}, ${revision}, ${victim} killed when ${fatal}`;
  const home = new Home();
  const acts = join(home.folder, 'acts');
  const tasks = join(home.folder, 'tasks');
  mkdirSync(tasks);
  let wright;
  let server;
  let url;
  let isArmed = fatal !== null;
  let isBack;  // the server, which was killed
  let tellReached;
  const isReached = new Promise(done => { tellReached = done; });
  const env = { ACTS: acts, TASKS: tasks, REVISION: revision };
  const script = resolve('task_server.mjs');
  const startServer = async () => {
    server = spawn(process.execPath, [script, 'http'], { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'inherit'] });
    url = String(await new Promise(done => server.stdout.once('data', done))).trim();
    env.PORT = new URL(url).port;
  };
  const moments = createServer(async (request, response) => {
    if (isArmed && request.url === `/${fatal}`) {
      isArmed = false;
      const dying = victim === 'server' ? server : wright;
      const dead = new Promise(done => dying.on('exit', done));
      dying.kill('SIGKILL');
      await dead;
      if (victim === 'server') await (isBack = startServer());
      tellReached();
    }
    response.end();
  }).listen(0, '127.0.0.1');
  await new Promise(done => moments.once('listening', done));
  env.MOMENTS = `http://127.0.0.1:${moments.address().port}`;
  let section = `command = "${process.execPath}"\nargs = ["${script}"]\n` +
    `env = { ${Object.entries(env).map(([key, value]) => `${key} = "${value}"`).join(', ')} }\n`;
  if (way === 'http') {
    await startServer();
    section = `url = "${url}"\n`;
  }
  const fake = await model(async messages => {
    if (messages.at(-1).role !== 'tool') return { calls: [[`s__${name}`, {}]] };
    // Who has sent the result says so afterwards: without this the session may be over before Wright is killed.
    if (fatal === 'fetched') await isReached;
    return `heard: ${messages.at(-1).content}`;
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
      await isBack;  // whoever goes on meanwhile has no such tool
      const waits = await run(['waits', '--json']);
      if (/"question"/.test(waits.told)) {
        ++questions;
        // Who has asked says so afterwards: the question may be here before its server is killed.
        if (victim === 'server' && fatal === 'asked') await isReached;
        const answered = await run(['answer', 'last', '--set', 'name=Ada']);
        assert.equal(answered.code, 0, `${where}: ${answered.told}`);
      }
      ended = await run(['resume', 'last', '-q']);
    }
    assert.ok(!isArmed, `${where}: it got there\n${ended.told}`);
    assert.equal(ended.code, 0, `${where}: it comes to an end\n${ended.told}`);
    const lines = existsSync(acts) ? readFileSync(acts, 'utf8').split('\n') : [];
    const begun = lines.filter(line => line === name).length;
    const finished = lines.filter(line => line.startsWith(`${name} with`)).length;
    const isUnknown = /not known|unknown/.test(ended.told);
    const isDone = /it is done/.test(ended.told);
    assert.ok(isUnknown || isDone, `${where}: ${ended.told}`);
    const writes = name.endsWith('write');
    if (writes) assert.ok(begun <= 1, `${where}: began ${begun} times`);
    // What has no id yet is a call like any other; when it was asked after once, its id is stored.
    if (!['called', 'acted', 'created'].includes(fatal)) {
      assert.ok(isDone, `${where}: ${ended.told}`);
      assert.equal(begun, 1, where);
      assert.equal(finished, 1, `${where}: came to its end ${finished} times`);
      if (name.startsWith('ask_')) assert.match(ended.told, /done with Ada/, where);
    }
    if (writes && fatal === 'acted') assert.ok(isUnknown, `${where}: nobody has heard of it: ${ended.told}`);
    if (name.startsWith('ask_') && fatal === null) assert.equal(questions, 1, `${where}: it was asked once`);
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
    const add = (victim, name, ...moments) => {
      for (const fatal of moments) histories.push({ way, revision, name, victim, fatal });
    };
    add('wright', 'do_write', 'called', 'acted', 'created', 'looked', 'finished', 'fetched');
    add('wright', 'do_look', 'called', 'looked', 'fetched');
    add('wright', 'ask_write', null, 'looked', 'asked', 'told', 'finished', 'fetched');
    if (way === 'http') {
      add('server', 'do_write', 'acted', 'looked', 'finished');
      if (revision === '2026-07-28') add('server', 'ask_write', 'asked', 'told', 'finished');
    }
  }
}
const chosen = process.argv[4] ? histories.filter(each => JSON.stringify(each).includes(process.argv[4])) : histories;
const left = [...chosen];
await Promise.all(Array.from({ length: 3 }, async () => {
  while (left.length > 0) await history(left.shift());
}));

// `wright mcp serve` does a task of its client, an agent that acts and then asks its model what else there is to do. It
// is killed before it acts, and when it has acted. Another process is asked after the task.
for (const fatal of ['before', 'after']) {
  const home = new Home();
  const acts = join(home.folder, 'acts');
  let served;
  let isArmed = true;
  let tellCreated;
  const isCreated = new Promise(done => { tellCreated = done; });
  const isOver = messages => messages.at(-1).role === 'tool';
  const fake = await model(async messages => {
    if (isArmed && isOver(messages) === (fatal === 'after')) {
      isArmed = false;
      await isCreated;  // its client knows of the task
      const dead = new Promise(done => served.on('exit', done));
      served.kill('SIGKILL');
      await dead;
    }
    return isOver(messages) ? 'it is all done' : { calls: [['bash', { command: 'echo acted >> acts' }]] };
  });
  home.agents(fake.url, { worker: 'instructions = "You act."\nmodel = "fake:m"\ntools = ["bash"]\n' },
              '[bash]\npreset = "workspace"\n[bash.rules]\n"*" = "allow"\n');
  const start = () => {
    served = spawn(binary, ['mcp', 'serve', '--tools', 'none', '--agents', 'worker', '-c', home.config, '--base-path', home.folder,
                            '--set', 'agent.writable=.'], { cwd: home.folder, env: home.env, stdio: ['pipe', 'pipe', 'inherit'] });
    const answers = new Map();
    createInterface({ input: served.stdout }).on('line', line => { const each = JSON.parse(line); answers.get(each.id)?.(each); });
    let last = 0;
    return (method, params) => new Promise(done => {
      answers.set(++last, done);
      served.on('exit', () => done({ error: { message: 'it is dead' } }));
      served.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: last, method, params: { ...params, _meta: modernMeta } }) + '\n');
    });
  };
  let ask = start();
  const created = await ask('tools/call', { name: 'ask_worker', arguments: { prompt: 'Act' } });
  assert.equal(created.result?.resultType, 'task', JSON.stringify(created));
  const { taskId } = created.result;
  tellCreated();
  if (isArmed || served.exitCode === null) await new Promise(done => served.on('exit', done));
  ask = start();
  let seen;
  for (let i = 0; i < 600 && seen?.result?.status !== 'completed'; ++i) {
    seen = await ask('tasks/get', { taskId });
    assert.ok(seen.result, JSON.stringify(seen));
    await new Promise(done => setTimeout(done, 100));
  }
  assert.match(JSON.stringify(seen.result), /it is all done/, fatal);
  assert.equal(readFileSync(acts, 'utf8'), 'acted\n', `killed ${fatal} it acts: it acted once`);
  const sessions = JSON.parse((await home.run(['sessions', '--json'])).stdout);
  assert.equal(sessions.length, 1, 'the task is one session');
  const dead = new Promise(done => served.on('exit', done));
  served.stdin.end();
  await dead;
  fake.server.close();
  fake.server.closeAllConnections();
  home.remove();
}
console.log(`tasks come to their end, and nothing happens twice, in ${chosen.length + 2} histories`);
