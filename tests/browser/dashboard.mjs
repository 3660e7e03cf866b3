// node dashboard.mjs URL CODE [SCREENSHOTS]: looks at every view as a person would.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

const [url, code, pictures] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
const page = await context.newPage();
const problems = [];
page.on('pageerror', (error) => problems.push(error.message));
page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
const picture = async (name) => {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
};

// The one-time code opens it, and leaves the address.
await page.goto(`${url}/#code=${code}`);
await page.getByRole('heading', { name: 'Sessions' }).waitFor();
assert.ok(!page.url().includes('code='));
await page.getByText('A session that was there before').waitFor();
await page.getByText('live', { exact: true }).waitFor();
await picture('sessions');

// What others wrote is text, whatever it looks like.
await page.getByText('<img src=x onerror=').waitFor();
assert.equal(await page.title(), 'Wright');
assert.equal(await page.locator('main img').count(), 0);

// The keyboard leads to the search.
await page.locator('body').press('/');
await page.keyboard.type('there before');
await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
await page.getByLabel('Search').fill('');

// A session begins, and shows itself.
await page.getByLabel('Prompt').fill('Hello from the browser');
await page.getByRole('button', { name: 'Begin' }).click();
await page.getByRole('heading', { name: 'Hello from the browser' }).waitFor();
await page.getByText('✓ completed').waitFor();
await page.locator('.timeline rect').first().waitFor();
await page.locator('.timeline rect').first().click();
await page.locator('article pre').first().waitFor();
await page.locator('.message.assistant').waitFor();
await picture('session');
await page.getByLabel('Message').fill('And again');
await page.getByRole('button', { name: 'Send' }).click();
await page.locator('.message.assistant', { hasText: 'And again' }).waitFor();

// What waits is answered, and is gone.
await page.getByRole('link', { name: /^Waits/ }).click();
await page.getByLabel('Result').fill('forty-two');
await picture('waits');
await page.getByRole('button', { name: 'Give the result' }).click();
await page.getByText('Nothing waits for a person.').waitFor();

await page.getByRole('link', { name: 'Figures' }).click();
await page.getByText('parrot').first().waitFor();
await picture('figures');

// A phone, in the dark: nothing is wider than the screen.
await page.emulateMedia({ colorScheme: 'dark' });
await page.setViewportSize({ width: 390, height: 800 });
for (const view of ['sessions', 'sessions/1', 'waits', 'stats']) {
  await page.goto(`${url}/#/${view}`);
  await page.locator('main h1').waitFor();
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `${view} is ${width} wide`);
  await picture(`phone-${view.replace('/', '-')}`);
}

// Without a token there is nothing to see.
const stranger = await (await browser.newContext()).newPage();
await stranger.goto(url);
await stranger.getByRole('alert').getByText('A token is needed').waitFor();

assert.deepEqual(problems, []);
await browser.close();
