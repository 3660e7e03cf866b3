// The loop by hand, with the vendor's client and nothing else.
import OpenAI from 'openai';
import { z } from 'zod';
import { description, given, instructions, key, measure, name, prompt, readFile } from './harness.mjs';

const client = new OpenAI({ baseURL: given.base, apiKey: key });
const Arguments = z.object({ path: z.string(), limit: z.number().int(), mode: z.enum(['text', 'binary']) });
const tools = [{ type: 'function', function: { name, description, parameters: z.toJSONSchema(Arguments) } }];

await measure(async () => {
  const messages = [{ role: 'system', content: instructions }, { role: 'user', content: prompt }];
  for (;;) {
    const completion = await client.chat.completions.create({ model: given.model, messages, tools });
    const { message } = completion.choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    for (const call of message.tool_calls) {
      const result = readFile(Arguments.parse(JSON.parse(call.function.arguments)));
      messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(result) });
    }
  }
});
