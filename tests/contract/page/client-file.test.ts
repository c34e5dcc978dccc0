import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PageDocument, PageFile } from '../../../src/wings/page/wire.js';
import { launchBrowser } from '../../support/browser.mjs';
import { goldenPage } from '../../support/page-runs.js';
import { policyOf, readShell } from '../../support/page-server.js';
import { DECISION, waitingPage } from '../../support/page-stage.js';
import { openPage } from '../../support/page-window.js';

/** The page as a file, and how it shows text written by others (view-page.md, In the browser). */

const browser = await launchBrowser();
const opened: { close: () => Promise<void> }[] = [];
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'dev-cli-page-'));
});
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => browser?.close());

/** Writes the file as `dev-cli view --html` does, and opens it from disk. */
async function openFile(file: PageFile, route = '') {
  if (browser === null) throw new Error('no browser');
  const data = deflateRawSync(JSON.stringify(file)).toString('base64');
  const shell = readShell();
  const policy = policyOf(shell).replace(/ frame-ancestors[^;]*;/, '');
  const head = `<meta http-equiv="content-security-policy" content="${policy}">`;
  const text = shell
    .replace('<head>', `<head>${head}`)
    .replace('<body>', `<body><template id="data">${data}</template>`);
  const path = join(directory, 'run.html');
  writeFileSync(path, text);
  const one = await openPage(browser, pathToFileURL(path).href, route, { isFile: true });
  opened.push(one);
  return one;
}

describe.skipIf(browser === null)('a file', () => {
  it('shows a run without a server: rows, details, documents; what was left out is named', async () => {
    const documents: Record<string, PageDocument> = {
      'tab/report': { kind: 'markdown', text: '# All done' },
      'todo-2/0/1': { kind: 'text', text: 'the result' },
    };
    const { page, faults } = await openFile(
      { page: goldenPage('execute-standard.completed'), documents, without: ['prompts', 'logs'] },
      '/r/todo-2',
    );
    await expect.poll(() => page.getByRole('option').count()).toBe(11);
    expect(await page.getByRole('link', { name: 'All runs' }).count()).toBe(0);
    const details = page.getByRole('complementary', { name: 'Details of todo-2' });
    await details.getByRole('button', { name: 'result.json' }).first().click();
    await details.getByText('the result').waitFor();
    await details.getByRole('button', { name: 'prompt.md' }).first().click();
    await details.getByText('It was written without prompts, logs.').waitFor();
    await page.getByRole('button', { name: 'Report' }).click();
    await page.getByRole('heading', { name: 'All done' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('of a run that waits says so, and in it no time goes by', async () => {
    const whole = waitingPage();
    const clock = { ...whole.clock, isRunning: false };
    const { page } = await openFile({ page: { ...whole, clock, decision: null }, documents: {}, without: [] });
    await page.locator('header').getByRole('img', { name: 'waits for you' }).waitFor();
  });

  it('decides nothing: it has the command', async () => {
    const { page } = await openFile({ page: { ...waitingPage(), decision: null }, documents: {}, without: [] });
    await page.getByText('dev-cli approve delete-todos').waitFor();
    expect(await page.locator('form').count()).toBe(0);
  });
});

const NASTY =
  '<script>document.title="taken over"</script></template><img src=x onerror="document.title=1">\u202e\u001b[31m';

describe.skipIf(browser === null)('text of others', () => {
  it('is text, wherever it stands', async () => {
    const whole = waitingPage();
    const rows = whole.rows.map((row) => ({ ...row, id: `${row.id}${NASTY}`, title: NASTY, why: NASTY }));
    const decision = {
      ...DECISION,
      title: NASTY,
      sections: [{ heading: NASTY, lines: [NASTY] }],
      looks: [{ label: NASTY, text: NASTY }],
    };
    const left = [{ heading: NASTY, lines: [NASTY] }];
    const { page, faults } = await openFile(
      { page: { ...whole, goal: NASTY, recipe: NASTY, rows, decision, left }, documents: {}, without: [] },
      `/r/${encodeURIComponent(rows[0]?.id ?? '')}`,
    );
    await page.getByRole('complementary').waitFor();
    expect(await page.locator('#app script, #app img').count()).toBe(0);
    expect(await page.title()).toBe('(1) delete-todos');
    expect(faults).toEqual([]);
  });

  it('keeps of Markdown what it allows: no HTML, no images, no links', async () => {
    const text = `${NASTY}\n\n[go](https://example.com/ "t") <https://example.org/> ![i](https://example.com/i.png)\n\n| a |\n| --- |\n| **b** |\n\n[r]: https://example.com/r\n\n&amp; &copy; [r]`;
    const documents: Record<string, PageDocument> = {
      'tab/report': { kind: 'markdown', text },
      'tab/plan': { kind: 'markdown', text: `${'> '.repeat(5000)}deep` },
    };
    const { page, faults } = await openFile({ page: goldenPage('execute-standard.completed'), documents, without: [] });
    await page.getByRole('button', { name: 'Report' }).click();
    const shown = page.locator('.markdown');
    await shown.locator('strong').waitFor();
    expect(await shown.locator('a, img, script').count()).toBe(0);
    const written = (await shown.textContent()) ?? '';
    for (const one of ['<script>', '[go](https://example.com/ "t")', '![i](https://example.com/i.png)', '& ©']) {
      expect(written).toContain(one);
    }
    await page.getByRole('button', { name: 'Plan' }).click();
    await page.locator('.document pre').waitFor();
    expect(faults).toEqual([]);
  });

  it('draws a recipe as an image, in which nothing runs', async () => {
    const text =
      '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="parent.document.title=1"><script>parent.document.title=2</script><image href="https://example.com/x.png"/></svg>';
    const { page, faults } = await openFile({
      page: goldenPage('execute-standard.completed'),
      documents: { 'tab/recipe': { kind: 'svg', text } },
      without: [],
    });
    await page.getByRole('button', { name: 'Recipe' }).click();
    await page.getByRole('img', { name: 'Recipe, drawn' }).waitFor();
    await page.waitForTimeout(200);
    expect(await page.title()).toBe('add-jwt-auth');
    expect(faults).toEqual([]);
  });
});
