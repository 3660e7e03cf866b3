// OpenAI Agents: chat completions instead of its default, which only OpenAI has; its traces go to OpenAI and are off.
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { description, given, instructions, key, measure, name, prompt, readFile } from './harness.mjs';

setDefaultOpenAIClient(new OpenAI({ baseURL: given.base, apiKey: key }));
setOpenAIAPI('chat_completions');
setTracingDisabled(true);

const agent = new Agent({
  name: 'loop',
  instructions,
  model: given.model,
  tools: [
    tool({
      name,
      description,
      parameters: z.object({ path: z.string(), limit: z.number().int(), mode: z.enum(['text', 'binary']) }),
      execute: async input => readFile(input),
    }),
  ],
});

await measure(async () => (await run(agent, prompt, { maxTurns: 50 })).finalOutput);
