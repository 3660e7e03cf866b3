// node restart.mjs WRIGHT: a server that is killed in the middle. Who listened comes back and misses
// nothing, a request that is sent again happens once, and what others were to be told is told.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { Home, Noticed, binary, events, json, listening, model } from './wright.mjs';

const home = new Home();
const noticed = new Noticed();
let isHeld = true;
let asked = 0;
const llm = await model(async (messages) => {
  asked += 1;
  noticed.notice();
  if (messages.at(-1).role === 'tool') {
    await noticed.until(() => !isHeld);
    return 'found it';
  }
  return { calls: [['grep', { pattern: 'alpha_function' }]] };
});
home.agents(llm.url, {
  seeker: 'instructions = "You seek."\nmodel = "fake:m"\ntools = ["grep"]\n' });
const told = [];
let isAway = true;
const hook = await listening((body) => {
  if (isAway) return [503, {}];
  told.push(JSON.parse(body));
  noticed.notice();
  return [200, {}];
});
const env = { WRIGHT_WEBHOOK_SECRET: 'a secret that is long enough' };
const words = ['--webhook', hook.url];

try {
  let server = await home.serve(words, env);
  const key = { 'Idempotency-Key': 'the-first' };
  const ask = { agent: 'seeker', prompt: 'Seek' };
  const first = await json(`${server.url}/api/v1/sessions`, ask, key);
  assert.equal(first.status, 201);
  const id = first.body.id;

  // Listens until the model is asked for the second time; then the server dies.
  const seen = [];
  const listening1 = (async () => {
    try {
      for await (const event of events(`${server.url}/api/v1/sessions/${id}/events`)) seen.push(event);
    } catch { /* it was killed */ }
  })();
  await noticed.until(() => asked >= 2);
  // A client of the terminal, which is to see it through.
  const client = spawn(binary, ['run', 'seeker', 'Seek as well', '--server', server.url, '-c', home.config], {
    cwd: home.folder, env: home.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  client.stdout.setEncoding('utf8').on('data', (text) => { said += text; });
  const clientEnded = new Promise((done) => client.once('exit', done));
  await noticed.until(() => asked >= 4);
  const port = new URL(server.url).port;
  await server.stop('SIGKILL');
  await listening1;
  assert.ok(seen.length > 0);

  // The next one, at the same place, goes on with both.
  isHeld = false;
  noticed.notice();
  server = await home.serve([...words, '--listen', `127.0.0.1:${port}`], env);
  assert.equal(new URL(server.url).port.length > 0, true);
  const again = await json(`${server.url}/api/v1/sessions`, ask, key);
  assert.equal(again.status, 201);
  assert.equal(again.body.id, id, 'a request that is sent again happens once');
  assert.equal(again.headers.get('idempotent-replay'), 'true');
  const other = await json(`${server.url}/api/v1/sessions`, { ...ask, prompt: 'Other' }, key);
  assert.equal(other.status, 422);
  for await (const event of events(`${server.url}/api/v1/sessions/${id}/events`, seen.at(-1).sequence)) {
    seen.push(event);
    if (event.type === 'run_ended') break;
  }
  const numbers = seen.map((event) => event.sequence);
  assert.deepEqual(numbers, [...new Set(numbers)].sort((a, b) => a - b), 'rising, none twice');
  const all = [];
  for (let after = 0; ;) {
    const page = (await json(`${server.url}/api/v1/sessions/${id}/events?after=${after}&limit=3`)).body.events;
    if (page.length === 0) break;
    all.push(...page);
    after = page.at(-1).sequence;
  }
  assert.deepEqual(numbers, all.map((event) => event.sequence).filter((each) => each <= numbers.at(-1)),
    'no gap');
  assert.equal(await clientEnded, 0, 'the client came back by itself');
  assert.equal(said, 'found it\n');

  // The one who is to be told was away all the time.
  isAway = false;
  await noticed.until(() => told.length >= 2);
  assert.deepEqual(told.map((each) => each.data.session_id).sort(), [id, id + 1]);
  assert.ok(told.every((each) => each.type === 'session.ended' && each.data.phase === 'done'));
  await server.endWell();
  assert.equal(told.length, 2, 'each was told once');
} finally {
  llm.server.close();
  hook.server.close();
  llm.server.closeAllConnections();
  home.remove();
}
