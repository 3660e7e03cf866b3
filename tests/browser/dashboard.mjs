// node dashboard.mjs URL CODE [SCREENSHOTS]: looks at every view as a person would.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [url, code, pictures] = process.argv.slice(2);
const axe = readFileSync(new URL('node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
const context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
const page = await context.newPage();
page.setDefaultTimeout(Number(process.env.PATIENCE ?? 20000));
const problems = [];
page.on('pageerror', (error) => problems.push(error.message));
page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
const picture = async (name) => {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: true });
};
// Whether everybody can use it: nothing serious.
await page.addInitScript(axe);
const examine = async (name, seen = page) => {
  const { violations } = await seen.evaluate(() => globalThis.axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }));
  const serious = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).slice(0, 3).join(' ')}`);
  assert.deepEqual(serious, [], name);
};
const link = (name) => page.locator('nav').getByRole('link', { name });
const openSession = async (prompt) => {
  await link('Sessions').click();
  await page.locator('tr', { hasText: prompt }).getByRole('link').first().click();
  await page.locator('.tl-row').first().waitFor();
};
const detail = page.locator('aside article');

// The one-time code opens it, and leaves the address.
await page.goto(`${url}/#code=${code}`);
await page.getByRole('heading', { name: 'Sessions' }).waitFor();
assert.ok(!page.url().includes('code='));
await page.getByText('A session that was there before').waitFor();
await page.getByText('live', { exact: true }).waitFor();
await page.locator('#open-waits', { hasText: '3' }).waitFor();
await examine('sessions');
await picture('sessions');

// What others wrote is text, whatever it looks like, and does not turn around what stands beside it.
await page.getByText('<img src=x onerror=').waitFor();
await page.getByText('⟨U+202E⟩right to left').waitFor();
assert.equal(await page.title(), 'Wright');
assert.equal(await page.locator('main img').count(), 0);

// The keyboard leads to the search, to a session, and to other views.
await page.locator('body').press('/');
await page.keyboard.type('there before');
await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
assert.ok(page.url().includes('search=there+before'), 'the address can be kept');
await page.keyboard.press('Escape');
await page.getByLabel('Search').fill('');
await page.waitForFunction(() => document.querySelectorAll('tbody tr').length > 1);
await page.locator('#view').focus();
await page.keyboard.press('j');
await page.keyboard.press('j');
await page.keyboard.press('k');
await page.keyboard.press('Enter');
await page.locator('.tl-row').first().waitFor();
await page.locator('#view').focus();
await page.keyboard.press('?');
await page.getByRole('dialog').getByText('search', { exact: true }).waitFor();
await page.keyboard.press('Escape');
await page.keyboard.press('g');
await page.keyboard.press('f');
await page.getByRole('heading', { name: 'Figures' }).waitFor();

// A session with calls side by side, one that failed, and a specialist below.
await openSession('a.txt');
for (const name of ['read', 'search', 'fail', 'helper', 'model, turn 4']) {
  await page.getByRole('option', { name: new RegExp(`^${name}`) }).first().waitFor();
}
await page.getByRole('option', { name: /^fail .*failed/ }).click();
await detail.getByText('<b>The disk</b> is full').waitFor();
await page.getByRole('listbox', { name: 'Timeline' }).focus();
await page.keyboard.press('Home');
await page.keyboard.press('ArrowDown');
await detail.getByRole('heading', { name: 'read' }).waitFor();
await detail.getByText('"a.txt"').first().waitFor();
await detail.getByRole('heading', { name: 'Notes' }).waitFor();
await page.keyboard.press('+');
await page.waitForFunction(() => document.querySelector('.tl-range').textContent !== '');
await examine('session');
await page.keyboard.press('0');
await picture('session');
await page.getByRole('option', { name: /^helper/ }).click();
await detail.getByRole('link', { name: /^session/ }).waitFor();

// What a model was sent, and whether it would come out the same.
await page.getByRole('option', { name: /^model, turn 2/ }).first().click();
await detail.getByRole('button', { name: 'Show request and answer' }).click();
await detail.getByText('Exactly what was sent').waitFor();
await detail.getByText('POST https://model.test/v1').waitFor();
await detail.getByText("<script>document.title='owned'</script>").first().waitFor();
await examine('what was sent');
await picture('sent');
await detail.getByText('All that it could read').click();
await detail.getByRole('heading', { name: 'Request' }).waitFor();
await detail.getByText('"tool_call"').first().waitFor();
await page.getByRole('button', { name: 'Replay' }).click();
await page.getByText('It comes out the same: ').waitFor();
await openSession('Of an agent that was another then');
await page.getByRole('button', { name: 'Replay' }).click();
await page.getByText('It comes out differently: ').waitFor();
await page.getByRole('heading', { name: 'Recorded' }).first().waitFor();
await page.locator('.sides mark', { hasText: 'an older answer' }).first().waitFor();
await examine('replay');
await picture('replay');

// One that another process ran: there are no events of it.
await openSession('apart');
await page.getByRole('option', { name: /^model, turn 2/ }).waitFor();
await page.getByRole('option', { name: /^fail .*failed/ }).click();
await detail.getByText('<b>The disk</b> is full').waitFor();

await page.getByRole('option', { name: /^model, turn 2/ }).first().click();
await detail.getByRole('button', { name: 'Show request and answer' }).click();
await detail.getByText('No fingerprint of it was kept').waitFor();
await detail.getByText('Nobody knows whether settings have changed since').waitFor();

// Ten megabytes are shown as far as somebody wants them.
await link('Sessions').click();
await page.getByLabel('Prompt').fill('shout');
await page.getByRole('button', { name: 'Begin' }).click();
await page.locator('.message.assistant').getByText("<script>document.title='owned'</script>").waitFor();
await page.getByRole('button', { name: 'Load the whole text' }).click();
await page.getByRole('button', { name: /^Show more \(10\.5M/ }).click();
await page.getByRole('button', { name: /^Show more \(10\.3M/ }).waitFor();
assert.equal(await page.title(), 'Wright');
await picture('large');

// A session begins, and shows itself as it happens.
await link('Sessions').click();
await page.getByLabel('Prompt').fill('Hello from the browser');
await page.getByRole('button', { name: 'Begin' }).click();
await page.getByRole('heading', { name: 'Hello from the browser' }).waitFor();
await page.locator('.message.assistant').waitFor();
await page.getByText('✓ completed').waitFor();
await page.getByLabel('Message').fill('And again');
await page.getByRole('button', { name: 'Send' }).click();
await page.locator('.message.assistant', { hasText: 'And again' }).waitFor();
await page.getByRole('option', { name: /model, turn/ }).nth(1).waitFor();
await openSession('there before');
await page.getByRole('button', { name: 'Fork here' }).nth(1).click();
await page.getByRole('link', { name: /^fork of/ }).waitFor();

// What waits is answered: a result, nine questions, an approval; and is gone everywhere.
await link(/^Waits/).click();
await page.locator('article.wait').nth(2).waitFor();
await examine('waits');
await picture('waits');
const card = (kind) => page.locator(`article.${kind}`);
await card('result').getByLabel('Result').fill('forty-two');
await card('result').getByRole('button').click();
await card('result').waitFor({ state: 'detached' });
const question = card('question');
await question.getByLabel('Your name?').fill('Ada');
await question.getByLabel('How many?').fill('3');
await question.getByLabel('Really?').check();
await question.getByLabel('Which colour?').selectOption('green');
await question.getByRole('group', { name: 'Which days?' }).getByLabel('Friday').check();
await question.getByLabel('The password?').fill('open sesame');
await question.getByLabel('Which file?').fill('notes.txt');
await question.getByLabel('Your address?').fill('ada@example.org');
await question.getByRole('button', { name: 'Answer' }).click();
await question.waitFor({ state: 'detached' });
await card('approval').getByText('git commit -m new').waitFor();
await card('approval').getByRole('button', { name: 'Allow once' }).click();
await page.getByText('Nothing waits for a person.').waitFor();
await page.locator('#open-waits').waitFor({ state: 'hidden' });
await openSession('Your name?');
await page.getByText('✓ completed').waitFor();
assert.ok(!(await page.content()).includes('open sesame'));

await link('Figures').click();
await page.locator('figure').nth(3).waitFor();
// By tool, over time: legend, keys, the same as a table; and the address keeps the choice.
await page.getByLabel('Compare').selectOption('tool');
const calls = page.getByRole('slider', { name: 'Calls over time' });
await page.locator('figure', { has: calls }).locator('.legend', { hasText: 'search' }).waitFor();
assert.ok(page.url().includes('by=tool'), 'the address can be kept');
await calls.focus();
await page.keyboard.press('End');
await page.waitForFunction(() => /search: \d/.test(document.activeElement?.getAttribute('aria-valuetext') ?? ''));
await page.keyboard.press('ArrowLeft');
await page.waitForFunction(() => /nothing/.test(document.activeElement?.getAttribute('aria-valuetext') ?? ''));
await page.locator('figure', { has: calls }).getByText('As a table').click();
await page.getByRole('region', { name: 'Calls as a table' }).getByRole('columnheader', { name: 'search' }).waitFor();
await examine('figures by tool');
await picture('figures-by-tool');
await page.getByLabel('Compare').selectOption('agent');
await page.getByRole('slider', { name: 'Duration, p95 over time' }).waitFor();
await page.locator('figure').locator('.legend', { hasText: 'helper' }).first().waitFor();
await page.getByLabel('Tool', { exact: true }).selectOption('search');
await page.getByRole('slider', { name: 'Calls over time' }).waitFor();
await page.getByLabel('Tool', { exact: true }).selectOption('');
await page.getByLabel('Compare').selectOption('');
await page.getByRole('slider', { name: 'Cost over time' }).waitFor();
await page.getByRole('region', { name: 'Budgets' }).getByRole('rowheader').first().waitFor();
await page.getByRole('rowheader', { name: 'search' }).waitFor();
await page.getByText('1 wait in the queue').waitFor();
await page.getByText('priority 7').waitFor();
await examine('figures');
await picture('figures');
await link('Feedback').click();
await page.getByText(/fail.* failed 2 of 2 times/).waitFor();
await examine('feedback');
await picture('feedback');

await page.locator('#keys').click();
await page.locator('#help').waitFor();
await examine('help');
await page.keyboard.press('Escape');

// A phone, also a small one, in the dark and in the light: nothing is wider than the screen.
for (const [wide, colorScheme] of [[320, 'light'], [390, 'dark']]) {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width: wide, height: 800 });
  for (const view of ['sessions', 'sessions/2', 'waits', 'figures', 'feedback']) {
    await page.goto(`${url}/#/${view}`);
    await page.locator('main h1').waitFor();
    if (view === 'sessions/2') await page.locator('.tl-row').first().click();
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= wide, `${view} is ${width} wide on a screen of ${wide}`);
    await examine(`${view} on a phone, ${colorScheme}`);
    await picture(`phone-${wide}-${view.replace('/', '-')}`);
  }
}

// Without a token there is nothing to see; a wrong one does not help.
const stranger = await (await browser.newContext()).newPage();
await stranger.addInitScript(axe);
await stranger.goto(url);
await stranger.getByRole('alert').getByText('A token is needed').waitFor();
await examine('login', stranger);
await stranger.getByLabel('Token').fill('wright_wrong');
await stranger.getByRole('button', { name: 'Use it' }).click();
await stranger.getByRole('alert').getByText('not known').waitFor();

assert.deepEqual(problems, []);
await browser.close();
