// LangChain's agent, which is a LangGraph that it builds for you.
import { createAgent } from 'langchain';
import { instructions, measure, prompt } from './harness.mjs';
import { checkpointer, model, options, tools } from './langchain_parts.mjs';

const agent = createAgent({ model, tools, systemPrompt: instructions, checkpointer });

await measure(async () => {
  const state = await agent.invoke({ messages: [{ role: 'user', content: prompt }] }, options());
  return state.messages.at(-1).content;
});
