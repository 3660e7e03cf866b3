// What a script has started ends with it, also when it fails: ctest waits for whoever holds its pipe.
import children from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

const begin = children.spawn;
const running = new Set();
children.spawn = (...words) => {
  const child = begin(...words);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
};
syncBuiltinESMExports();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
