// Starts aimock, a stand-in for the vendors of models, with the answers that the tests ask for.
// Prints its address; ends when its standard input does.
import { LLMock } from "@copilotkit/aimock";

const protocols = ["chat", "responses", "anthropic", "gemini", "ollama", "azure", "bedrock", "vertex"];
const mock = new LLMock({ port: 0, host: "127.0.0.1" });

const add = (match, response, options = {}) => mock.addFixture({ match, response, ...options });
const oslo = { name: "weather", arguments: '{"city":"Oslo"}' };
const rome = { name: "weather", arguments: '{"city":"Rome"}' };

// A call, and then an answer.
add({ userMessage: "one city", hasToolResult: false },
    { content: "Let me look.", toolCalls: [oslo] }, { chunkSize: 3 });
add({ userMessage: "one city", hasToolResult: true },
    { content: "It is sunny in Oslo, and 20° warm. ☀" }, { chunkSize: 3 });

// Two calls in one turn.
add({ userMessage: "two cities", hasToolResult: false }, { toolCalls: [oslo, rome] });
add({ userMessage: "two cities", hasToolResult: true }, { content: "Sunny in both." });

// Arguments that are not JSON: told to the model, which then answers.
add({ userMessage: "broken arguments", hasToolResult: false },
    { toolCalls: [{ name: "weather", arguments: '{"city": "Os' }] });
add({ userMessage: "broken arguments", hasToolResult: true }, { content: "Sorry about that." });

// Half a call in an answer that ended at the limit of tokens. Where two messages of the user are one
// on the wire, both are in it, so what comes later is looked for first.
add({ userMessage: "last answer was cut" }, { content: "A short answer." });
add({ userMessage: "half a call", hasToolResult: false },
    { toolCalls: [{ name: "weather", arguments: '{"city": "Os' }], finishReason: "length" });
add({ userMessage: "half a call", hasToolResult: true }, { content: "A short answer." });

for (const protocol of protocols) {
  // Counts how often it was asked, so each protocol needs its own.
  const failing = (name, status, message, extra = {}) => {
    add({ userMessage: `${name} ${protocol}`, sequenceIndex: 0 },
        { error: { message, type: `${name}_error` }, status, ...extra });
    add({ userMessage: `${name} ${protocol}` }, { content: "Here I am." });
  };
  failing("limited", 429, "You ask too often", { retryAfter: 1 });
  failing("overloaded", 529, "We are overloaded");
  failing("unwell", 500, "Something went wrong");
  add({ userMessage: `cut ${protocol}`, sequenceIndex: 0 },
      { content: "This answer is never going to be complete, whatever you do." },
      { chunkSize: 4, truncateAfterChunks: 4, latency: 5 });
  add({ userMessage: `cut ${protocol}` }, { content: "Here I am." });
}

add({ userMessage: "refused" },
    { error: { message: "Incorrect API key provided: test-key", type: "invalid_request_error",
               code: "invalid_api_key" }, status: 401 });
add({ userMessage: "word ok" }, { content: "ok" });
add({ userMessage: "trickle" }, { content: "drop by drop" }, { chunkSize: 1, latency: 3 });
add({ userMessage: "chaos", hasToolResult: false }, { toolCalls: [oslo] },
    { chaos: { dropRate: 0.15, malformedRate: 0.15, disconnectRate: 0.1 } });
add({ userMessage: "chaos", hasToolResult: true }, { content: "Through it all." },
    { chaos: { dropRate: 0.15, malformedRate: 0.15, disconnectRate: 0.1 } });

await mock.start();
console.log(mock.url);
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
