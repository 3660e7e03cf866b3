// node client.mjs WRIGHT: commands of the terminal as clients of a server say what they say beside
// its store.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Home, binary, json, model } from './wright.mjs';

const home = new Home();
let askedForLong;
const wasAskedForLong = new Promise((done) => { askedForLong = done; });
const llm = await model((messages) => {
  const asked = messages.filter((message) => message.role === 'user').at(-1).content;
  if (asked.includes('write')) {
    return messages.at(-1).role === 'tool' ? 'written'
      : { calls: [['write_file', { path: 'new.txt', content: 'x' }]] };
  }
  if (asked.includes('look') && messages.at(-1).role !== 'tool') {
    return { calls: [['grep', { pattern: 'alpha_function' }]] };
  }
  if (asked === 'json') return '{"n": 7}';
  if (asked === 'think for long') {
    return new Promise((answer) => askedForLong(() => answer('at last')));
  }
  return `answer to ${asked}`;
});
home.agents(llm.url, { writer: `instructions = "You write."
model = "fake:m"
tools = ["grep", "write_file"]
[permissions]
"write_file" = "ask"
` }, '[agent]\nwritable = ["."]\n');
const server = await home.serve();
const at = ['--server', server.url];

// The same command with and without a server, on the same store.
async function both(words) {
  const [far, near] = [await home.run([...at, ...words]), await home.run(words)];
  assert.equal(far.code, 0, far.stderr);
  assert.equal(near.code, 0, near.stderr);
  return [far.stdout, near.stdout];
}

// The rules of the text format: every series has a type and help before it, counters are totals,
// histograms are whole and rise.
function checkMetrics(text) {
  const types = new Map();
  const helped = new Set();
  const seen = new Set();
  for (const line of text.trim().split('\n')) {
    const comment = line.match(/^# (HELP|TYPE) (\S+) (.+)$/);
    if (comment) {
      if (comment[1] === 'HELP') helped.add(comment[2]);
      else types.set(comment[2], comment[3]);
      continue;
    }
    const [, name, labels, value] = line.match(/^([a-z_]+)(\{.*\})? (\S+)$/) ?? assert.fail(line);
    assert.ok(!seen.has(name + labels), `twice: ${line}`);
    seen.add(name + labels);
    assert.ok(Number.isFinite(Number(value)), line);
    const base = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
    assert.ok(helped.has(base), `no help: ${line}`);
    assert.equal(types.get(base) === 'counter', base.endsWith('_total'), base);
    if (base !== name) assert.equal(types.get(base), 'histogram', line);
  }
}

try {
  // Run: the answer, the JSON, the progress.
  const run = await home.run([...at, 'run', 'writer', 'look around']);
  assert.equal(run.code, 0, run.stderr);
  assert.equal(run.stdout, 'answer to look around\n');
  assert.match(run.stderr, /grep/);
  assert.match(run.stderr, /session 1 · 2 turns · 1 tool call/);
  const shown = JSON.parse((await home.run(['run', 'writer', 'hello', '--json', ...at])).stdout);
  assert.equal(shown.session_id, 2);
  assert.equal(shown.status, 'completed');
  assert.equal(shown.answer, 'answer to hello');
  assert.equal(shown.usage.input_tokens, 10);
  const streamed = await home.run(['run', 'writer', 'hello', '--stream'], {
    env: { WRIGHT_SERVER: server.url } });
  assert.equal(streamed.stdout, 'answer to hello\n', streamed.stderr);

  // What waits, and its answer; then it goes on by itself.
  const waits = await home.run([...at, 'run', 'writer', 'write it', '--json']);
  assert.equal(waits.code, 3, waits.stderr);
  assert.equal(JSON.parse(waits.stdout).waits[0].kind, 'approval');
  const [far, near] = await both(['waits', '--json']);
  assert.deepEqual(JSON.parse(far), JSON.parse(near));
  const answered = await home.run(['answer', '4', '--approve', ...at]);
  assert.equal(answered.code, 0, answered.stderr);
  for (;;) {
    const [session] = JSON.parse((await home.run([...at, 'sessions', '--json', '--limit', '1'])).stdout);
    if (session.status === 'completed') break;
    assert.ok(['running', 'waiting'].includes(session.status), session.status);
  }

  // Lists, transcripts, exports and figures are the same from near and far.
  for (const words of [['sessions', '--json'], ['sessions', '--status', 'completed', '--json'],
    ['sessions', 'show', '1'], ['sessions', 'show', '4', '--json'], ['sessions', 'export', 'last'],
    ['sessions', 'export', '1', '--format', 'markdown'], ['stats', '--json'], ['stats'],
    ['feedback', '--json']]) {
    const [theirs, ours] = await both(words);
    assert.equal(theirs, ours, words.join(' '));
    assert.ok(theirs.length > 10, words.join(' '));
  }

  // Chat: a conversation of several messages, and going on with it.
  const chat = await home.run(['chat', 'writer', ...at], { input: 'one\ntwo\n/quit\n' });
  assert.equal(chat.code, 0, chat.stderr);
  assert.equal(chat.stdout, 'answer to one\nanswer to two\n');
  const on = await home.run(['chat', '--session', '5', ...at], { input: 'three\n' });
  assert.equal(on.stdout, 'answer to three\n', on.stderr);
  const talk = JSON.parse((await home.run(['sessions', 'show', '5', '--json'])).stdout);
  assert.equal(talk.messages.length, 6);

  // Fork, cancel, delete.
  const fork = JSON.parse((await home.run(['sessions', 'fork', '5', '--at', '2', '--json', ...at])).stdout);
  assert.deepEqual(fork, { id: 6, forked_from: 5, messages: 2 });
  assert.equal((await home.run([...at, 'run', 'writer', 'write again'])).code, 3);
  const cancelled = await home.run(['sessions', 'cancel', '7', ...at]);
  assert.equal(cancelled.code, 0, cancelled.stderr);
  const gone = JSON.parse((await home.run(['sessions', 'show', '7', '--json', ...at])).stdout);
  assert.equal(gone.session.status, 'cancelled');
  assert.equal((await home.run(['sessions', 'rm', '6', '--yes', ...at])).code, 0);
  const missing = await home.run(['sessions', 'show', '6', ...at]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /6/);

  // An answer by a schema, whose fit both ends see to.
  const schema = JSON.stringify({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] });
  const fitting = await home.run(['run', 'writer', 'json', '--schema', schema, ...at]);
  assert.equal(fitting.code, 0, fitting.stderr);
  assert.deepEqual(JSON.parse(fitting.stdout), { n: 7 });
  const odd = await home.run(['run', 'writer', 'hello', '--schema', schema, ...at]);
  assert.notEqual(odd.code, 0, 'what does not fit is no answer');
  assert.equal((await home.run(['run', 'writer', 'x', '--schema', '{"type":7}', ...at])).code, 2);
  const refusedSchema = await json(`${server.url}/api/v1/sessions`, { agent: 'writer', prompt: 'x', schema: { type: 7 } });
  assert.equal(refusedSchema.status, 400);

  // Only queued, for a worker.
  const queued = await home.run(['run', 'writer', 'later', '--queue', '--priority', '3', '--labels', 'big', ...at]);
  assert.equal(queued.code, 0, queued.stderr);
  const number = queued.stdout.trim();
  assert.match(number, /^\d+$/);
  const stored = JSON.parse((await home.run(['sessions', 'show', number, '--json'])).stdout).session;
  assert.equal(stored.status, 'queued');
  const worker = await home.run(['worker', '--labels', 'big', '--until-idle']);
  assert.equal(worker.code, 0, worker.stderr);
  const worked = JSON.parse((await home.run(['sessions', 'show', number, '--json', ...at])).stdout).session;
  assert.equal(worked.status, 'completed');
  assert.equal(worked.result, 'answer to later');
  for (const queue of [7, { priority: 'x' }, { delay_ms: -1 }, { labels: [1] }, { other: 1 }]) {
    const { status } = await json(`${server.url}/api/v1/sessions`, { agent: 'writer', prompt: 'x', queue });
    assert.equal(status, 400, JSON.stringify(queue));
  }

  // What cannot be done says so.
  assert.equal((await home.run(['run', 'nobody', 'x', ...at])).code, 1);
  assert.match((await home.run(['sessions', '--server', 'nonsense'])).stderr, /URL/);
  assert.match((await home.run(['sessions', '--server', 'http://127.0.0.1:9'])).stderr, /no server/);
  const mixed = await home.run(['sessions', ...at, '--store', join(home.folder, 'x.db')]);
  assert.equal(mixed.code, 2);
  const pruned = await home.run(['sessions', 'prune', '--older-than', '1d', ...at]);
  assert.equal(pruned.code, 2);

  // Figures for Prometheus: as its own program wants them, where it is installed.
  const metrics = await (await fetch(`${server.url}/metrics`)).text();
  checkMetrics(metrics);
  for (const name of ['wright_store_duration_seconds_bucket{operation="write",le="+Inf"}',
    'wright_queue_sessions 0', 'wright_waits_open 0', 'wright_runners_alive 1', 'wright_leases_held 0',
    'wright_spans_lost 0']) {
    assert.ok(metrics.includes(name), `${name} in\n${metrics}`);
  }
  const promtool = spawnSync('promtool', ['check', 'metrics'], { input: metrics, encoding: 'utf8' });
  if (promtool.error?.code === 'ENOENT') console.log('promtool is not installed: skipped');
  else assert.equal(promtool.status, 0, promtool.stderr);

  // Commands of a chat: those that make sense through a server, and a word about the others.
  const chatted = await home.run(['chat', 'writer', ...at], { input: ['first @main.py', '/fork', 'second', '/usage', '/tools',
    '/model', '/undo words', 'third', '/sessions', '/export', '/new', 'fourth', '/quit', ''].join('\n') });
  assert.equal(chatted.code, 0, chatted.stderr);
  assert.match(chatted.stdout, /answer to first @main\.py[^]*def alpha_function/, 'a file of this machine goes along');
  const [, copy, original] = chatted.stderr.match(/Going on in session (\d+), a copy of (\d+)/) ?? assert.fail(chatted.stderr);
  assert.ok(Number(copy) > Number(original));
  assert.match(chatted.stdout, new RegExp(`session ${copy} · 0 tool calls`));
  assert.match(chatted.stdout, /write_file/);
  assert.match(chatted.stdout, /fake:m/);
  assert.match(chatted.stderr, /Undone: second/);
  assert.match(chatted.stdout, /answer to third/);
  assert.match(chatted.stdout, /completed +writer/);
  const after = chatted.stderr.match(/going on in session (\d+)/)[1];
  const words = JSON.parse((await home.run(['sessions', 'show', after, '--json', ...at])).stdout);
  assert.deepEqual(words.messages.filter((each) => each.role === 'user').map((each) => each.content.split(' ')[0]),
    ['first', 'third'], 'what was undone is not in it');
  for (const [line, why] of [['/undo', /its files are the server's/], ['/diff', /not through a server: the files/],
    ['/compact', /not through a server/], ['/context', /not through a server/], ['/model fake:n', /for the server to say/],
    ['/nonsense', /unknown command/]]) {
    const refused = await home.run(['chat', '--session', after, ...at], { input: `${line}\n` });
    assert.equal(refused.code, 2, `${line} ${refused.stderr}`);
    assert.match(refused.stderr, why, line);
  }
  // What waits for a person is not answered by a pipe, and is said to wait.
  const waiting = await home.run(['chat', 'writer', ...at], { input: 'write\n' });
  assert.equal(waiting.code, 3, waiting.stderr);

  // With a token that may only look.
  const made = await home.run(['token', 'add', 'reader', '--scope', 'read'], { config: [] });
  const [token] = (made.stdout + made.stderr).match(/wright_\w{20,}/) ?? assert.fail(made.stderr);
  const env = { WRIGHT_SERVER: server.url, WRIGHT_TOKEN: token };
  assert.equal((await home.run(['sessions', '--json'], { env })).code, 0);
  const refused = await home.run(['run', 'writer', 'x'], { env });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /scope 'run'/);
  const wrong = await home.run(['sessions'], { env: { ...env, WRIGHT_TOKEN: 'wright_wrong' } });
  assert.match(wrong.stderr, /WRIGHT_TOKEN/);

  // Every event, a line each.
  const told = await home.run(['run', 'writer', 'look again', '--json-events', ...at]);
  const lines = told.stdout.trim().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(lines.map((line) => line.type).filter((type) => /^tool_|^run_|result/.test(type)),
    ['tool_started', 'tool_ended', 'run_ended', 'result'], told.stdout);
  assert.ok(lines.slice(0, -1).every((line, i) => i === 0 || line.sequence > lines[i - 1].sequence));

  // Ctrl-C while the server is gone: nobody is told that the session was cancelled.
  const doomed = await home.serve();
  const client = spawn(binary, ['run', 'writer', 'think for long', '--json-events', '--server', doomed.url,
    '-c', home.config], { cwd: home.folder, env: home.env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((done) => client.once('exit', done));
  const letGo = await wasAskedForLong;
  await new Promise((done) => client.stdout.once('data', done));  // it listens
  await doomed.stop('SIGKILL');
  client.kill('SIGINT');
  const complaint = Buffer.concat(await client.stderr.toArray()).toString();
  assert.match(complaint, /the server could not be told: session \d+ may go on there/);
  assert.doesNotMatch(complaint, /stored as cancelled/);
  assert.equal(await ended, 1);
  letGo();
} finally {
  await server.endWell();
  llm.server.close();
  home.remove();
}
