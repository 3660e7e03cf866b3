// Vercel AI SDK: its agent, with its provider for servers that speak OpenAI's protocol.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { isStepCount, tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';
import { description, given, instructions, key, measure, name, prompt, readFile } from './harness.mjs';

const provider = createOpenAICompatible({ name: 'fake', baseURL: given.base, apiKey: key });
const agent = new ToolLoopAgent({
  model: provider(given.model),
  instructions,
  tools: {
    [name]: tool({
      description,
      inputSchema: z.object({ path: z.string(), limit: z.number().int(), mode: z.enum(['text', 'binary']) }),
      execute: async input => readFile(input),
    }),
  },
  stopWhen: isStepCount(50),
});

await measure(async () => (await agent.generate({ prompt })).text);
