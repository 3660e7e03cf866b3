// The command line that all programs here share with bench/loop_driver.cpp, and what they measure of themselves:
//
//   node PROGRAM.mjs --base URL/v1 --model fake-k10 --n 200 --c 16 [--warm 20] [--persist none|sqlite] [--db PATH]
//
// Prints one JSON line: sessions, turns, wall_s, user_ms, sys_ms, rss. An answer or a call that is not right ends the
// program with an error.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const text = fallback => ({ type: 'string', default: fallback });
export const given = parseArgs({
  options: {
    base: text(''), model: text(''), n: text('1'), c: text('1'), warm: text('0'), persist: text('none'), db: text('loop.db'),
  },
}).values;

export const name = 'read_file';
export const description = 'Read a file from the workspace.';
export const instructions = 'You are a careful assistant. Use the tool when you need it.';
export const prompt = 'Read the files you need and summarise what they hold.';
export const key = 'none';

let calls = 0;

// What the tool does, as in loop_driver: nothing of note.
export function readFile({ path, limit, mode }) {
  const right = typeof path === 'string' && Number.isInteger(limit) && mode === 'text';
  if (!right) throw new Error('the arguments are not right');
  ++calls;
  return { ok: true, path, mode, bytes: 1024 + limit, head: 'lorem ipsum dolor sit amet' };
}

async function crowd(sessions, most, converse) {
  let left = sessions;
  const one = async () => {
    while (left-- > 0) {
      const answer = await converse();
      if (!answer.endsWith('DONE.')) throw new Error(`the answer is not right: ${answer}`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(most, sessions) }, one));
}

// `converse` holds one whole conversation and gives its last answer.
export async function measure(converse) {
  const [sessions, most, warm] = [Number(given.n), Number(given.c), Number(given.warm)];
  await crowd(warm, most, converse);
  calls = 0;
  const before = process.cpuUsage();
  const began = process.hrtime.bigint();
  await crowd(sessions, most, converse);
  const wall = Number(process.hrtime.bigint() - began) / 1e9;
  const { user, system } = process.cpuUsage(before);
  const rss = Number(readFileSync('/proc/self/status', 'utf8').match(/VmHWM:\s+(\d+)/)[1]);
  console.log(JSON.stringify({ sessions, turns: calls, wall_s: wall, user_ms: user / 1e3, sys_ms: system / 1e3, rss }));
}
