// `wright mcp login` from its beginning to its end, with an authorization server and an MCP server that
// nobody here wrote (oidc-provider, the official SDK with express): node login.mjs WRIGHT
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import Provider from 'oidc-provider';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { requireBearerAuth } from '@modelcontextprotocol/sdk/server/auth/middleware/bearerAuth.js';
import { InvalidTokenError } from '@modelcontextprotocol/sdk/server/auth/errors.js';
import { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } from '@modelcontextprotocol/sdk/server/auth/router.js';

process.emitWarning = () => {};
console.warn = console.info = () => {};
const wright = process.argv[2];
const home = mkdtempSync(join(tmpdir(), 'wright-login-'));
const env = { HOME: home, PATH: process.env.PATH, XDG_CONFIG_HOME: join(home, 'config'),
              XDG_DATA_HOME: join(home, 'data'), XDG_STATE_HOME: join(home, 'state') };
const listen = server => new Promise(done => server.listen(0, '127.0.0.1', () => done(server.address().port)));

// The authorization server. Its access tokens are good for as long as the test wants.
const atDoor = createServer();
const issuer = `http://127.0.0.1:${await listen(atDoor)}`;
const mcpDoor = createServer();
const resource = `http://127.0.0.1:${await listen(mcpDoor)}/mcp`;
let lifetime = 3600;
const provider = new Provider(issuer, {
  features: {
    devInteractions: { enabled: true }, registration: { enabled: true },
    resourceIndicators: { enabled: true, defaultResource: () => resource, useGrantedResource: () => true,
      getResourceServerInfo: (_, wanted) => {
        assert.equal(wanted, resource, 'tokens are asked for this server alone');
        return { scope: 'tools', audience: wanted, accessTokenFormat: 'opaque', accessTokenTTL: lifetime };
      } } },
  scopes: ['tools', 'offline_access'],
  pkce: { required: () => true, methods: ['S256'] },
  issueRefreshToken: async () => true,
  findAccount: (_, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
});
const grants = { authorization_code: 0, refresh_token: 0 };
provider.on('grant.success', ({ oidc }) => { ++grants[oidc.params.grant_type]; });
atDoor.on('request', provider.callback());

// The MCP server, which lets in who has a token for it.
const refused = new Set();
const described = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
const app = express();
app.use(express.json());
app.use(mcpAuthMetadataRouter({ oauthMetadata: described, resourceServerUrl: new URL(resource),
                                scopesSupported: ['tools'] }));
const verifier = { verifyAccessToken: async token => {
  const found = refused.has(token) ? undefined : await provider.AccessToken.find(token);
  if (!found || found.aud !== resource) throw new InvalidTokenError('it is not known here');
  return { token, clientId: found.clientId, scopes: [...found.scopes], expiresAt: found.exp };
} };
app.post('/mcp', requireBearerAuth({ verifier, requiredScopes: ['tools'],
  resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(new URL(resource)) }), async (request, response) => {
  const server = new McpServer({ name: 'guarded', version: '1' });
  server.registerTool('who', { description: 'Says who' }, async () =>
    ({ content: [{ type: 'text', text: `it is ${(await provider.AccessToken.find(request.auth.token)).accountId}` }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
});
app.all('/mcp', (_, response) => response.status(405).json({ error: 'no' }));
mcpDoor.on('request', app);

// A person with a browser: follows, remembers cookies, and fills in what is asked.
async function agree(address, answer = 'yes') {
  const cookies = new Map();
  let request = { url: new URL(address) };
  for (let step = 0; step < 20; ++step) {
    const { url, body } = request;
    const page = await fetch(url, { redirect: 'manual', method: body ? 'POST' : 'GET', body,
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') } });
    for (const each of page.headers.getSetCookie()) {
      const [, name, value] = each.match(/^([^=]+)=([^;]*)/);
      cookies.set(name, value);
    }
    const text = await page.text();
    if (page.status >= 300 && page.status < 400) {
      request = { url: new URL(page.headers.get('location'), url) };
      continue;
    }
    const form = text.match(/<form[^>]*action="([^"]*)"/);
    if (!form) return { url, text, status: page.status };
    if (answer === 'no') {
      request = { url: new URL(text.match(/href="([^"]*abort)"/)[1], url) };
      continue;
    }
    const prompt = text.match(/name="prompt" value="([^"]*)"/)[1];
    request = { url: new URL(form[1], url), body: new URLSearchParams(
      prompt === 'login' ? { prompt, login: 'ada', password: 'x' } : { prompt }) };
  }
  throw new Error('the pages have no end');
}

// The command, and whoever agrees.
async function login(answer) {
  const command = spawn(wright, ['mcp', 'login', 'guarded'], { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let visited;
  for (const stream of [command.stdout, command.stderr]) {
    stream.on('data', bytes => {
      said += bytes;
      const found = said.match(/^ *(http\S+)\n/m);
      if (found) visited ??= agree(found[1], answer);
    });
  }
  const status = await new Promise(done => command.on('close', done));
  return { status, said, page: await visited };
}
const run = (...words) => new Promise(done => {
  const command = spawn(wright, words, { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  command.stdout.on('data', bytes => { stdout += bytes; });
  command.stderr.on('data', bytes => { stderr += bytes; });
  command.on('close', status => done({ status, stdout, stderr }));
});

try {
  assert.equal(spawnSync(wright, ['mcp', 'add', 'guarded', resource], { env, cwd: home }).status, 0);
  const stranger = await run('mcp', 'test', 'guarded');
  assert.notEqual(stranger.status, 0);
  assert.match(stranger.stdout + stranger.stderr, /wright mcp login guarded/, 'it says what to do');

  const unwilling = await login('no');
  assert.equal(unwilling.status, 1, unwilling.said);
  assert.match(unwilling.said, /access_denied|cancelled|denied|aborted/i);

  const { status, said, page } = await login('yes');
  assert.equal(status, 0, `${said}\n${page?.text}`);
  assert.match(said, /guarded knows you: 1 tools/);
  assert.match(page.text, /You can close this page/);
  assert.equal(page.url.hostname, '127.0.0.1');
  assert.equal(grants.authorization_code, 1);

  const file = join(home, 'state/wright/mcp_tokens.json');
  assert.equal(statSync(file).mode & 0o777, 0o600, 'only the person can read it');
  const known = await run('mcp', 'test', 'guarded', '--json');
  assert.equal(known.status, 0, known.stderr);
  assert.deepEqual(JSON.parse(known.stdout).tools.map(tool => tool.name), ['guarded__who']);
  const token = JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))).match(/"access_token":"([^"]+)"/)[1];
  assert.ok(!(known.stdout + known.stderr).includes(token), 'it is never shown');

  // One that has run out is renewed without a word, and only once by many at a time.
  refused.add(token);
  const many = await Promise.all([1, 2, 3].map(() => run('mcp', 'test', 'guarded', '--json')));
  for (const each of many) assert.equal(each.status, 0, each.stderr);
  assert.equal(grants.refresh_token, 1);
  assert.ok(!readFileSync(file, 'utf8').includes(token));

  assert.equal((await run('mcp', 'logout', 'guarded')).status, 0);
  assert.notEqual((await run('mcp', 'test', 'guarded')).status, 0);
  console.log('it knows who it is');
} finally {
  for (const door of [atDoor, mcpDoor]) { door.close(); door.closeAllConnections(); }
  rmSync(home, { recursive: true, force: true });
}
