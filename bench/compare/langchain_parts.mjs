// What both ways to build a LangGraph share: the model, the tool and the checkpointer.
import { randomUUID } from 'node:crypto';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { description, given, key, name, readFile } from './harness.mjs';

export const model = new ChatOpenAI({ model: given.model, apiKey: key, configuration: { baseURL: given.base } });

export const tools = [
  tool(async input => JSON.stringify(readFile(input)), {
    name,
    description,
    schema: z.object({ path: z.string(), limit: z.number().int(), mode: z.enum(['text', 'binary']) }),
  }),
];

// Loaded only where something is stored, so that it costs the others no memory.
export const checkpointer = given.persist === 'sqlite'
  ? (await import('@langchain/langgraph-checkpoint-sqlite')).SqliteSaver.fromConnString(given.db)
  : undefined;

export const options = () => ({ recursionLimit: 100, ...(checkpointer && { configurable: { thread_id: randomUUID() } }) });
