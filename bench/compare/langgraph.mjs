// LangGraph: a graph of a node that asks the model and a node that calls tools, as its quickstart draws it.
import { SystemMessage } from '@langchain/core/messages';
import { MessagesAnnotation, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { instructions, measure, prompt } from './harness.mjs';
import { checkpointer, model, options, tools } from './langchain_parts.mjs';

const withTools = model.bindTools(tools);
const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async state => ({
    messages: [await withTools.invoke([new SystemMessage(instructions), ...state.messages])],
  }))
  .addNode('tools', new ToolNode(tools))
  .addEdge('__start__', 'model')
  .addConditionalEdges('model', toolsCondition, ['tools', '__end__'])
  .addEdge('tools', 'model')
  .compile({ checkpointer });

await measure(async () => {
  const state = await graph.invoke({ messages: [{ role: 'user', content: prompt }] }, options());
  return state.messages.at(-1).content;
});
