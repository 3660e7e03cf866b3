// node check.mjs GOLDEN: every request of the golden exchanges (tests/golden, whose test shows that
// these are the bytes that are sent) is checked by the types that its vendor publishes with its own
// program: each becomes a constant of a TypeScript file, which the compiler accepts or refuses. An
// unknown field, a wrong kind and a missing field are refused alike. Ends with 1 and a word on what
// is wrong.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [golden] = process.argv.slice(2);
const read = (path) => JSON.parse(readFileSync(path, 'utf8'));

// What a vendor accepts though its types do not say so: each with the reason, and how often it was
// needed. A repair that is needed elsewhere, or no longer, fails the test.
const items = (body, fits) => (body.input ?? []).filter(fits);
const repairs = [
  {
    type: 'Responses', count: 4,
    why: 'Items that the vendor made (reasoning, calls of its own tools, texts that cite) go back with store: false,'
      + ' where it keeps none of them: an id would name nothing (platform.openai.com/docs/guides/reasoning)',
    mend: (body) => items(body, (item) => !('id' in item)
      && (item.type === 'reasoning' || (/_call$/.test(item.type ?? '') && !('call_id' in item))
        || (item.role === 'assistant' && Array.isArray(item.content))))
      .map((item) => { item.id = 'none'; }).length,
  },
  {
    type: 'Mistral', count: 6,
    why: 'Its program fills in prefix and index before it sends, so that these types are not optional'
      + ' (docs.mistral.ai/api has defaults for both)',
    mend: (body) => body.messages.filter((message) => message.role === 'assistant').map((message) => {
      message.prefix ??= false;
      for (const call of message.tool_calls ?? []) call.index ??= 0;
    }).length,
  },
  {
    type: 'Messages', count: 2,
    why: 'temperature is left to the models before Claude 5, which the newest program does not describe any more'
      + ' (docs.anthropic.com/en/api/messages)',
    mend: (body) => ('temperature' in body ? (delete body.temperature, 1) : 0),
  },
  {
    type: 'MistralBatch', count: 1,
    why: 'Its program fills in timeout_hours before it sends (docs.mistral.ai/api has a default of 24)',
    mend: (body) => ('timeout_hours' in body ? 0 : (body.timeout_hours = 24, 1)),
  },
];
const used = new Map(repairs.map((repair) => [repair, 0]));

function asDocumented(type, body) {
  const copy = structuredClone(body);
  for (const repair of repairs) {
    if (repair.type === type) used.set(repair, used.get(repair) + repair.mend(copy));
  }
  return copy;
}

// Whose types hold for a case: those who only speak like OpenAI have fields of their own.
const types = {
  'openai-chat': {
    openai: 'Chat', azure: 'Chat', example: 'Chat', mistral: 'Mistral',
    // These publish that they take what OpenAI's own program sends.
    cloudflare: 'Chat', cohere: 'Chat', fireworks: 'Chat', github: 'Chat', groq: 'Chat',
    huggingface: 'Chat', nvidia: 'Chat', sambanova: 'Chat', together: 'Chat',
  },
  'openai-responses': { openai: 'Responses', azure: 'Responses', example: 'Responses', perplexity: 'Responses' },
  'anthropic-messages': { anthropic: 'Messages', example: 'Messages', 'vertex-anthropic': 'VertexMessages' },
  'gemini-generate': { gemini: 'Generate', vertex: 'Generate', example: 'Generate' },
  'ollama-chat': { ollama: 'Ollama', example: 'Ollama' },
  'bedrock-converse': { bedrock: 'Converse', example: 'Converse' },
};

const header = `
import type OpenAI from 'openai';
import type Anthropic from '@anthropic-ai/sdk';
import type * as Google from '@google/genai';
import type { ConverseStreamRequest } from '@aws-sdk/client-bedrock-runtime';
import type { ChatRequest, EmbedRequest } from 'ollama';
import type { CreateBatchJobRequest$Outbound } from '@mistralai/mistralai/models/components/createbatchjobrequest.js';
import type { EmbeddingRequest$Outbound } from '@mistralai/mistralai/models/components/embeddingrequest.js';
import type { ChatCompletionRequest$Outbound } from '@mistralai/mistralai/models/components/chatcompletionrequest.js';
type Chat = OpenAI.Chat.ChatCompletionCreateParams;
type Responses = OpenAI.Responses.ResponseCreateParams;
type Messages = Anthropic.Messages.MessageCreateParams;
// Vertex has the model in the address, and the version in the body.
type VertexMessages = Omit<Anthropic.Messages.MessageCreateParamsNonStreaming, 'model' | 'stream'>
  & { anthropic_version: 'vertex-2023-10-16'; stream?: boolean };
// The program hides the body of its request; its parts are public. Enums are words on the wire.
type Wire<T> = T extends string ? \`\${T}\` : T extends Uint8Array ? string
  : T extends Array<infer U> ? Array<Wire<U>> : T extends object ? { [K in keyof T]: Wire<T[K]> } : T;
type Generate = Wire<{
  contents: Google.Content[];
  systemInstruction?: Google.Content;
  tools?: Google.Tool[];
  toolConfig?: Google.ToolConfig;
  generationConfig?: Google.GenerationConfig;
}>;
type Converse = Wire<Omit<ConverseStreamRequest, 'modelId'>>;
type Ollama = ChatRequest;
type Embeddings = OpenAI.EmbeddingCreateParams;
type OllamaEmbeddings = EmbedRequest;
type Batch = OpenAI.BatchCreateParams;
type BatchLine<T> = { custom_id: string; method: 'POST'; url: OpenAI.BatchCreateParams['endpoint']; body: T };
type MessageBatch = Anthropic.Messages.BatchCreateParams;
type MistralBatch = CreateBatchJobRequest$Outbound;
type MistralEmbeddings = Pick<EmbeddingRequest$Outbound, 'model' | 'input'>;
type Mistral = Omit<ChatCompletionRequest$Outbound, 'stream'> & { stream?: boolean };
`;

function check(constants) {
  const file = 'requests.ts';
  const lines = header.split('\n');
  const places = [];
  for (const { name, type, body } of constants) {
    places.push({ name, line: lines.length + 1 });
    lines.push(`export const c${places.length}: ${type} = ${JSON.stringify(body)};`);
  }
  writeFileSync(file, lines.join('\n'));
  try {
    execFileSync('node_modules/.bin/tsc', ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2022',
      '--module', 'nodenext', '--moduleResolution', 'nodenext', '--types', '', '--pretty', 'false', file],
    { encoding: 'utf8', maxBuffer: 1 << 28 });
    return new Map();
  } catch (error) {
    const wrong = new Map();
    for (const line of error.stdout.split('\n')) {
      const found = line.match(/^requests\.ts\((\d+),\d+\): error (.*)/);
      if (!found && /error TS/.test(line)) throw new Error(line);
      if (!found) continue;
      const place = places.findLast((each) => each.line <= Number(found[1]));
      if (!place) throw new Error(line);
      wrong.set(place.name, found[2]);
    }
    if (wrong.size === 0) throw error;
    return wrong;
  } finally {
    rmSync(file, { force: true });
  }
}

const constants = [];
for (const protocol of readdirSync(golden)) {
  if (!/^[a-z]+-[a-z]+$/.test(protocol)) continue;
  for (const name of readdirSync(join(golden, protocol))) {
    const folder = join(golden, protocol, name);
    if (!existsSync(join(folder, 'request.json'))) continue;
    const { endpoint = {} } = read(join(folder, 'case.json'));
    const vendor = endpoint.row?.split(':')[0] ?? endpoint.vendor ?? 'example';
    const isOfAnother = protocol === 'openai-chat' && endpoint.quirks?.reasoning_request === 'thinking';
    const type = isOfAnother ? null : types[protocol]?.[vendor];
    const { body } = read(join(folder, 'request.json'));
    if (type && body) constants.push({ name: `${protocol}/${name}`, type, body: asDocumented(type, body) });
  }
}

for (const name of readdirSync(join(golden, 'others'))) {
  const { type, body } = read(join(golden, 'others', name));
  constants.push({ name: `others/${name}`, type, body: asDocumented(type, body) });
}

// The compiler refuses what is wrong: a field nobody knows, a wrong kind, a field that is missing.
const mistakes = [
  { name: 'field', type: 'Chat', body: { model: 'm', messages: [], temprature: 1 } },
  { name: 'kind', type: 'Messages', body: { model: 'm', max_tokens: '5', messages: [] } },
  { name: 'vertex', type: 'VertexMessages', body: { model: 'm', anthropic_version: 'vertex-2023-10-16', max_tokens: 5, messages: [] } },
  { name: 'missing', type: 'Messages', body: { model: 'm', messages: [] } },
  { name: 'deep', type: 'Responses', body: { model: 'm', input: [{ role: 'user', content: [{ type: 'input_txt', text: 'x' }] }] } },
  { name: 'batch', type: 'BatchLine<Chat>', body: { custom_id: 'a', method: 'POST', url: '/v1/chat', body: { model: 'm', messages: [] } } },
  { name: 'gemini', type: 'Generate', body: { contents: [{ role: 'user', parts: [{ txt: 'x' }] }] } },
  { name: 'bedrock', type: 'Converse', body: { messages: [{ role: 'user', content: [{ txt: 'x' }] }] } },
  { name: 'ollama', type: 'Ollama', body: { model: 'm', messages: [{ role: 'user' }] } },
  { name: 'mistral', type: 'Mistral', body: { model: 'm', messages: [{ role: 'user', content: 5 }] } },
];
const wrong = check([...constants, ...mistakes]);
for (const { name } of mistakes) assert.ok(wrong.delete(name), `a wrong request was accepted: ${name}`);
const counts = {};
for (const { type } of constants) counts[type] = (counts[type] ?? 0) + 1;
console.log(`requests that fit: ${Object.entries(counts).map(([type, count]) => `${type} ${count}`).join(', ')}`);
assert.ok(constants.length >= 60, `only ${constants.length} requests`);
for (const [name, why] of wrong) console.error(`${name}: ${why}`);
for (const [{ type, count, why }, times] of used) {
  assert.equal(times, count, `${type} was repaired ${times} times: ${why}`);
}
process.exit(wrong.size === 0 ? 0 : 1);
