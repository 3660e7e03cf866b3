// `wright mcp serve` and /mcp, looked at by the official inspector: node inspector.mjs WRIGHT
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const wright = process.argv[2];
const home = mkdtempSync(join(tmpdir(), 'wright-mcp-'));
writeFileSync(join(home, 'hello.txt'), 'a needle in a small file\n');
const env = { HOME: home, PATH: process.env.PATH };
const inspector = resolve('node_modules/.bin/mcp-inspector');
const inspect = (target, era, ...words) => new Promise((done, failed) => {
  execFile(process.execPath, [inspector, '--cli', ...target, '--protocol-era', era, '--format', 'json', '--quiet',
    ...words], { env, cwd: home, timeout: 60000 }, (error, stdout, stderr) => {
    if (error) failed(new Error(`${words}: ${error.message}\n${stdout}${stderr}`));
    else done(JSON.parse(stdout));
  });
});

const server = spawn(wright, ['serve', '--listen', '127.0.0.1:0', '--model', 'offline'],
                     { env, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
try {
  const url = await new Promise(done => {
    let said = '';
    server.stderr.on('data', bytes => {
      const found = (said += bytes).match(/Listening on (http:\/\/[0-9.:]+)\n/);
      if (found) done(`${found[1]}/mcp`);
    });
  });
  const targets = { stdio: [wright, 'mcp', 'serve', '--model', 'offline', '--sessions'],
                    http: ['--server-url', url, '--transport', 'http'] };
  for (const [name, target] of Object.entries(targets)) {
    for (const era of ['legacy', 'modern']) {
      const where = `${name}, ${era}`;
      const listed = await inspect(target, era, '--method', 'tools/list', '--strict');
      const tools = (listed.result ?? listed).tools.map(tool => tool.name);
      assert.ok(tools.includes('grep') && !tools.includes('bash'), where);
      const called = await inspect(target, era, '--method', 'tools/call', '--tool-name', 'grep',
        '--tool-args-json', '{"pattern":"needle"}');
      assert.match(JSON.stringify(called), /hello\.txt/, where);
      const prompts = await inspect(target, era, '--method', 'prompts/list');
      assert.ok((prompts.result ?? prompts).prompts.length > 0, where);
    }
  }
  console.log('the inspector finds what there is');
} finally {
  server.kill();
  rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
