// node long_session.mjs URL CODE [SCREENSHOTS]: a session of 30,000 calls in 3,000 turns. The page holds what is on the
// screen, however much there is.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const [url, code, pictures] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
const page = await (await browser.newContext({ viewport: { width: 1200, height: 900 } })).newPage();
page.setDefaultTimeout(Number(process.env.PATIENCE ?? 60000));
const problems = [];
page.on('pageerror', (error) => problems.push(error.message));

await page.goto(`${url}/#code=${code}`);
await page.locator('tr', { hasText: 'Thirty thousand calls' }).getByRole('link').first().click();
const began = Date.now();
await page.waitForFunction(() => document.querySelector('.tl-space')?.style.height === `${33_000 * 24}px`);
console.log(`33,000 rows after ${Date.now() - began} ms`);
const held = () => page.evaluate(() => ({ rows: document.querySelectorAll('.tl-row').length,
  messages: document.querySelectorAll('.message').length, all: document.querySelectorAll('*').length }));
const atFirst = await held();
assert.ok(atFirst.rows > 5 && atFirst.rows < 200, `${atFirst.rows} rows are drawn`);
assert.equal(atFirst.messages, 100);
assert.ok(atFirst.all < 10000, `${atFirst.all} elements`);

// The last row, by key; its detail comes from the store.
const timeline = page.getByRole('listbox', { name: 'Timeline' });
await timeline.focus();
await page.keyboard.press('End');
await page.locator('aside article').getByText('"call-3000-9.txt"').first().waitFor();
// The middle, by scrolling.
await timeline.evaluate((element) => { element.scrollTop = element.scrollHeight / 2; });
await page.getByRole('option', { name: /turn 1501/ }).first().waitFor();
assert.ok((await held()).rows < 200);
// Nearer, until single calls can be told apart.
for (let i = 0; i < 10; ++i) await page.keyboard.press('+');
await page.waitForFunction(() => document.querySelector('.tl-range').textContent !== '');
if (pictures) await page.screenshot({ path: `${pictures}/long-session.png` });
// More of the conversation when somebody wants it.
await page.getByRole('button', { name: 'Earlier messages' }).click();
await page.waitForFunction(() => document.querySelectorAll('.message').length === 200);

assert.deepEqual(problems, []);
await browser.close();
