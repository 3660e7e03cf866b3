// A model that follows a script, behind HTTP in the protocol openai-chat. It keeps no state: which
// turn is due follows from the messages alone, so that a session may be killed, resumed and taken
// back. A script is a list of turns: a text, or calls as [[tool, arguments], …].
import { createServer } from "node:http";

const textOf = (message) =>
  typeof message.content === "string"
    ? message.content
    : (message.content ?? []).map((part) => part.text ?? "").join("");

// `scripts` maps a word of the last user message to its script. A turn may be a function of the
// messages so far.
export async function startModel(scripts) {
  const asked = [];
  const problems = [];  // of turns that are functions
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      const { messages, stream, tools } = JSON.parse(body);
      asked.push({ messages, tools });
      const last = messages.findLastIndex((message) => message.role === "user");
      const word = Object.keys(scripts).find((each) => textOf(messages[last]).includes(each));
      const turn = messages.slice(last).filter((message) => message.role === "assistant").length;
      let step = word === undefined ? "no script" : scripts[word][turn] ?? "the script is at its end";
      try {
        if (typeof step === "function") step = step(messages);
      } catch (problem) {
        problems.push(problem);
        step = "the script has failed";
      }
      const message = { role: "assistant", content: null };
      if (typeof step === "string") message.content = step;
      else {
        message.tool_calls = step.map(([name, args], index) => ({
          index,
          id: `call_${word}_${turn}_${index}`,
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        }));
      }
      const reason = message.tool_calls ? "tool_calls" : "stop";
      const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
      if (!stream) {
        response.setHeader("content-type", "application/json");
        return response.end(
          JSON.stringify({ id: "x", object: "chat.completion", model: "m", usage,
            choices: [{ index: 0, message, finish_reason: reason }] }));
      }
      response.setHeader("content-type", "text/event-stream");
      const send = (data) => response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", model: "m", ...data })}\n\n`);
      send({ choices: [{ index: 0, delta: message, finish_reason: null }] });
      send({ choices: [{ index: 0, delta: {}, finish_reason: reason }], usage });
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    asked,
    problems,
    settings: ["--model", "standin:m", "--set", "vendors.standin.protocol=openai-chat",
      "--set", `vendors.standin.base_url=http://127.0.0.1:${server.address().port}/v1`],
    stop: () => server.close(),
  };
}
