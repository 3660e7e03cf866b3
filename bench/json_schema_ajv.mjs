// Ajv, compiled, on the schema and the values of json_schema_bench.cpp. Prints nanoseconds for one
// operation as JSON: {"check": {"small": …, "large": …}, "parse_and_check": {…}}.
//
//   node json_schema_ajv.mjs FOLDER_WITH_NODE_MODULES
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.argv[2], "from-here.js"));
const Ajv = require("ajv/dist/2020").default;
const input = JSON.parse(readFileSync(new URL("json_schema_input.json", import.meta.url)));
const validate = new Ajv().compile(input.schema);

// The best of many short rounds, after enough of them for the optimiser.
function nanoseconds(operation) {
  let best = Infinity;
  let accepted = 0;
  const count = 20_000;
  const rounds = 150;
  for (let round = 0; round < rounds; ++round) {
    const began = process.hrtime.bigint();
    for (let i = 0; i < count; ++i) accepted += operation() ? 1 : 0;
    best = Math.min(best, Number(process.hrtime.bigint() - began) / count);
  }
  if (accepted !== rounds * count) throw new Error("Ajv refused a value");
  return best;
}

const result = { check: {}, parse_and_check: {} };
for (const name of ["small", "large"]) {
  const value = input[name];
  const text = JSON.stringify(value);
  result.check[name] = nanoseconds(() => validate(value));
  result.parse_and_check[name] = nanoseconds(() => validate(JSON.parse(text)));
}
console.log(JSON.stringify(result));
