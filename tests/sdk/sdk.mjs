// node sdk.mjs openai|anthropic|vercel URL: talks to a parrot, which says everything again, and
// calls a tool when it is told "call NAME ARGUMENTS". Ends with 1 and a word on what is wrong.
// node sdk.mjs repetitions URL: an agent that writes, and then fails when it is told "fail".
import assert from 'node:assert/strict';

const [part, url, apiKey] = process.argv.slice(2);
const weather = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const asked = 'call weather {"city":"Oslo"}';

async function openai() {
  const { default: OpenAI } = await import('openai');
  const client = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });

  const models = [];
  for await (const model of client.models.list()) models.push(model.id);
  assert.deepEqual(models, ['parrot']);

  const whole = await client.chat.completions.create({
    model: 'parrot', messages: [{ role: 'user', content: 'hello' }] });
  assert.equal(whole.choices[0].message.content, 'hello');
  assert.equal(whole.usage.total_tokens, 12);

  const runner = client.chat.completions.stream({
    model: 'parrot', stream_options: { include_usage: true },
    messages: [{ role: 'user', content: 'as it comes' }] });
  let pieces = 0;
  runner.on('content', () => ++pieces);
  const streamed = await runner.finalChatCompletion();
  assert.equal(streamed.choices[0].message.content, 'as it comes');
  assert.ok(pieces >= 1);  // words that come at once are one piece

  const calls = [];
  const tools = client.chat.completions.runTools({
    model: 'parrot', stream: true, messages: [{ role: 'user', content: asked }],
    tools: [{ type: 'function', function: {
      name: 'weather', parameters: weather, parse: JSON.parse,
      function: ({ city }) => { calls.push(city); return `sunny in ${city}`; } } }] });
  assert.equal(await tools.finalContent(), 'told: sunny in Oslo');
  assert.deepEqual(calls, ['Oslo']);

  const response = await client.responses.create({ model: 'parrot', input: 'first' });
  assert.equal(response.output_text, 'first');
  const stream = client.responses.stream({
    model: 'parrot', input: asked, previous_response_id: response.id,
    tools: [{ type: 'function', name: 'weather', parameters: weather, strict: false }] });
  const done = await stream.finalResponse();
  const call = done.output.find((item) => item.type === 'function_call');
  assert.deepEqual(JSON.parse(call.arguments), { city: 'Oslo' });
  const after = await client.responses.create({
    model: 'parrot', previous_response_id: done.id,
    input: [{ type: 'function_call_output', call_id: call.call_id, output: 'rain' }] });
  assert.equal(after.output_text, 'told: rain');

  const one = await client.responses.create({
    model: 'parrot', input: 'one', metadata: { order: '7' } });
  const two = await client.responses.create({
    model: 'parrot', input: 'two', previous_response_id: one.id });
  const other = await client.responses.create({
    model: 'parrot', input: 'other', previous_response_id: one.id });
  assert.equal(new Set([one.id, two.id, other.id]).size, 3);
  assert.equal(other.previous_response_id, one.id);
  const shown = await client.responses.retrieve(one.id);
  assert.equal(shown.output_text ?? shown.output[0].content[0].text, 'one');
  assert.deepEqual(shown.metadata, { order: '7' });
  const inputs = [];
  for await (const item of client.responses.inputItems.list(two.id)) inputs.push(item);
  assert.deepEqual(inputs.map((item) => item.content[0].text), ['two']);
  await assert.rejects(client.responses.cancel(one.id), OpenAI.BadRequestError);
  await client.responses.delete(other.id);
  await assert.rejects(client.responses.retrieve(other.id), OpenAI.NotFoundError);
  await assert.rejects(
    client.responses.create({ model: 'parrot', input: 'x', store: false }),
    (error) => error instanceof OpenAI.APIError && error.param === 'store');

  await assert.rejects(
    client.chat.completions.create({
      model: 'nobody', messages: [{ role: 'user', content: 'x' }] }),
    OpenAI.NotFoundError);

  const { z } = await import('zod');
  const { zodResponseFormat, zodTextFormat } = await import('openai/helpers/zod');
  const place = z.object({ city: z.string() });
  const parsed = await client.chat.completions.parse({
    model: 'parrot', response_format: zodResponseFormat(place, 'place'),
    messages: [{ role: 'user', content: '{"city":"Oslo"}' }] });
  assert.deepEqual(parsed.choices[0].message.parsed, { city: 'Oslo' });
  const parsedResponse = await client.responses.parse({
    model: 'parrot', text: { format: zodTextFormat(place, 'place') }, input: '{"city":"Rome"}' });
  assert.deepEqual(parsedResponse.output_parsed, { city: 'Rome' });
  // Prose is no answer to such a question, and says so.
  await assert.rejects(client.chat.completions.parse({
    model: 'parrot', response_format: zodResponseFormat(place, 'place'),
    messages: [{ role: 'user', content: 'in Oslo' }] }), OpenAI.APIError);
  await assert.rejects(
    client.chat.completions.create({
      model: 'parrot', seed: 7, messages: [{ role: 'user', content: 'x' }] }),
    (error) => error instanceof OpenAI.APIError && error.param === 'seed');
}

async function anthropic() {
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const client = new Anthropic({ apiKey, baseURL: url, maxRetries: 0 });
  const common = { model: 'parrot', max_tokens: 100 };

  const whole = await client.messages.create({
    ...common, messages: [{ role: 'user', content: 'hello' }] });
  assert.equal(whole.content[0].text, 'hello');
  assert.equal(whole.usage.output_tokens, 2);

  const tools = [{ name: 'weather', input_schema: weather }];
  const question = { role: 'user', content: asked };
  const first = await client.messages.stream({ ...common, tools, messages: [question] })
    .finalMessage();
  assert.equal(first.stop_reason, 'tool_use');
  const use = first.content.find((block) => block.type === 'tool_use');
  assert.deepEqual(use.input, { city: 'Oslo' });
  const text = await client.messages.stream({
    ...common, tools, messages: [question, { role: 'assistant', content: first.content },
      { role: 'user', content: [
        { type: 'tool_result', tool_use_id: use.id, content: 'snow' }] }] }).finalText();
  assert.equal(text, 'told: snow');

  const counted = await client.messages.countTokens({ model: 'parrot', messages: [question] });
  assert.ok(counted.input_tokens > 0);

  await assert.rejects(
    client.messages.create({ ...common, model: 'nobody', messages: [question] }),
    Anthropic.NotFoundError);
  await assert.rejects(
    client.messages.create({ ...common, top_k: 3, messages: [question] }),
    (error) => error instanceof Anthropic.APIError && /top_k/.test(error.message));
}

async function vercel() {
  const { generateText, generateObject, streamText, tool, jsonSchema, stepCountIs } =
    await import('ai');
  const { createOpenAI } = await import('@ai-sdk/openai');
  const { createAnthropic } = await import('@ai-sdk/anthropic');
  const ours = createOpenAI({ apiKey, baseURL: `${url}/v1` });
  const theirs = createAnthropic({ apiKey, baseURL: `${url}/v1` });
  const tools = { weather: tool({
    inputSchema: jsonSchema(weather), execute: async ({ city }) => `sunny in ${city}` }) };
  for (const model of [ours.chat('parrot'), ours.responses('parrot'), theirs('parrot')]) {
    const whole = await generateText({ model, prompt: 'hello' });
    assert.equal(whole.text, 'hello');
    const streamed = streamText({ model, prompt: asked, tools, stopWhen: stepCountIs(3) });
    assert.equal(await streamed.text, 'told: "sunny in Oslo"'.replaceAll('"', ''));
    const { object } = await generateObject({
      model, schema: jsonSchema(weather), prompt: '{"city":"Oslo"}' });
    assert.deepEqual(object, { city: 'Oslo' });
  }
}

// All that they repeat by themselves, as they come from their makers. Prints how often they asked.
async function repetitions() {
  const { default: OpenAI } = await import('openai');
  const { default: Anthropic } = await import('@anthropic-ai/sdk');
  const { generateText } = await import('ai');
  const { createOpenAI } = await import('@ai-sdk/openai');
  let sent = 0;
  // Loses the first answer on its way.
  const losing = async (address, init) => {
    const response = await fetch(address, init);
    if (++sent === 1) throw new TypeError('the connection was lost');
    return response;
  };
  const counting = (address, init) => { ++sent; return fetch(address, init); };
  const asking = (carrier) => {
    sent = 0;
    const openai = new OpenAI({ apiKey, baseURL: `${url}/v1`, fetch: carrier });
    const anthropic = new Anthropic({ apiKey, baseURL: url, fetch: carrier });
    return {
      chat: async (content) => (await openai.chat.completions.create({
        model: 'parrot', messages: [{ role: 'user', content }] })).choices[0].message.content,
      responses: async (input) => (await openai.responses.create({ model: 'parrot', input }))
        .output_text,
      messages: async (content) => (await anthropic.messages.create({
        model: 'parrot', max_tokens: 100, messages: [{ role: 'user', content }] })).content[0].text,
      vercel: async (prompt) => (await generateText({
        model: createOpenAI({ apiKey, baseURL: `${url}/v1`, fetch: carrier }).chat('parrot'),
        prompt })).text };
  };
  for (const way of ['chat', 'responses', 'messages']) {
    assert.equal(await asking(losing)[way](`${way} lost`), 'done');
    assert.equal(sent, 2, way);
  }
  for (const way of ['chat', 'responses', 'messages', 'vercel']) {
    await assert.rejects(asking(counting)[way](`${way} fail`), /away/);
    assert.equal(sent, way === 'vercel' ? 1 : 3, way);  // that one does not say that it comes again
  }
}

await { openai, anthropic, vercel, repetitions }[part]();
