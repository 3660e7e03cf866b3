// A server for the tests of crashes: it writes down whenever it acts, tells where it is (an HTTP request for each
// moment, which is when the test kills somebody), and goes on. In both eras, over both ways:
//
//   MOMENTS=URL ACTS=FILE REVISION=2025-11-25|2026-07-28 node acting_server.mjs [http]
//
// `write` and `look` act and answer; `ask_…` act, ask a person for a name, and act once more with it; `sample_…` do
// so with an answer of the model.
import { appendFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { createInterface } from 'node:readline';

const modern = process.env.REVISION === '2026-07-28';
const at = moment => new Promise(done => get(`${process.env.MOMENTS}/${moment}`, answer => {
  answer.resume();
  answer.on('end', done);
}).on('error', done));
const act = word => appendFileSync(process.env.ACTS, `${word}\n`);
const said = text => ({ content: [{ type: 'text', text }] });
const inputSchema = { type: 'object' };
const tools = ['', 'ask_', 'sample_'].flatMap(kind => [{ name: `${kind}write`, inputSchema },
  { name: `${kind}look`, inputSchema, annotations: { readOnlyHint: true } }]);
const questions = {
  ask: { method: 'elicitation/create', params: { mode: 'form', message: 'Who?', requestedSchema: {
    type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } } },
  sample: { method: 'sampling/createMessage', params: { maxTokens: 50,
    messages: [{ role: 'user', content: { type: 'text', text: 'Capital?' } }] } } };
const wordIn = result => result.content?.name ?? result.content?.text ?? 'nobody';

let last = 0;
const asked = new Map();  // questions that are open, by their ids

// `send` goes to whoever made the request.
async function handle({ id, method, params }, send) {
  const answer = result => send({ id, result: modern ? { resultType: 'complete', ...result } : result });
  const greeting = { capabilities: { tools: {} }, serverInfo: { name: 'acting', version: '1' } };
  if (method === 'server/discover' && modern) {
    await at('greeted');
    return answer({ supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private', ...greeting });
  }
  if (method === 'initialize') {
    await at('greeted');
    return answer({ protocolVersion: '2025-11-25', ...greeting });
  }
  if (method === 'tools/list') {
    await at('listed');
    return answer({ tools, ttlMs: 0, cacheScope: 'private' });
  }
  if (method !== 'tools/call') return send({ id, error: { code: -32601, message: 'no' } });
  const question = questions[params.name.split('_')[0]];
  let word = params.inputResponses ? wordIn(params.inputResponses.q) : undefined;
  if (word === undefined) {
    await at('called');
    act(params.name);
    await at('acted');
    if (!question) {
      await answer(said('it is done'));
      return at('answered');
    }
    if (modern) {
      await send({ id, result: { resultType: 'input_required', requestState: `for ${params.name}`, inputRequests: { q: question } } });
      return at('asked');
    }
    const own = `q${++last}`;
    const reply = new Promise(done => asked.set(own, done));
    await send({ id: own, ...question });
    await at('asked');
    word = wordIn((await reply).result ?? {});
  } else if (params.requestState !== `for ${params.name}`) {
    return send({ id, error: { code: -32602, message: 'this is not my state' } });
  }
  await at('told');
  act(`${params.name} with ${word}`);
  await at('finished');
  await answer(said(`it is done with ${word}`));
  return at('answered');
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
    // The older revisions ask on the stream of the call.
    const streams = message.method === 'tools/call' && !modern;
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
  }).listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));
}
