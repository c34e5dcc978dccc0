import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe, { type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { launchBrowser } from '../../support/browser.mjs';
import { PICTURES, takePictures } from '../../support/page-pictures.js';
import { syntheticPage } from '../../support/page-runs.js';
import { stageEach } from '../../support/page-tests.js';

/** The page's layout at every width, and its accessibility (view-page.md, In the browser). */

const browser = await launchBrowser();
const { scene, open: openOne } = stageEach(browser);
const open = async (...given: Parameters<typeof openOne>) => (await openOne(...given)).page;

/** Lists axe's findings as `rule: element`. */
function findFaults(page: Page, options: RunOptions = {}): Promise<string[]> {
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`);
}

/** The axe rules about colours, since a colour scheme changes nothing else that axe checks. */
const COLOURS: RunOptions = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

/** Waits until the page is drawn at a new width; a size observer may cause it to be drawn a second time. */
const SETTLE = `(async () => {
  for (const _ of [1, 2, 3]) await new Promise((resolve) => requestAnimationFrame(resolve));
})()`;

/** Lists elements wider than the window, rows that overlap, and details that cover a row. */
const MEASURE = `(() => {
  const faults = [];
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider: ' + document.documentElement.scrollWidth);
  for (const one of document.querySelectorAll('main *, main')) {
    if (one.closest('.waves, .scroll, .bars, .marks, .document')) continue;
    const { right, left, width } = one.getBoundingClientRect();
    if (width > 0 && (right > innerWidth + 0.5 || left < -0.5)) faults.push('beyond: ' + one.outerHTML.slice(0, 80));
  }
  const boxes = [...document.querySelectorAll('.row, aside, .scale, .runs li, .find')]
    .map((one) => [one, one.getBoundingClientRect()])
    .filter(([, { height }]) => height > 0);
  for (const [one, a] of boxes) {
    if (one.matches('.row') && a.height < 20) faults.push('flat: ' + one.id);
    for (const [other, b] of boxes) {
      if (one === other || one.matches('.find') || other.matches('.find')) continue;
      const isOver = a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
      if (isOver) faults.push('overlap: ' + (one.id || one.className) + ' ' + (other.id || other.className));
    }
    for (const part of one.matches('.row') ? one.children : []) {
      const { bottom, height } = part.getBoundingClientRect();
      if (height > 0 && bottom > a.bottom + 1) faults.push('below its row: ' + one.id + ' ' + part.className);
    }
  }
  return faults;
})()`;

/** A state of the page: its name, its route, and actions that produce it. */
const STATES: [name: string, route: string, make?: (page: Page) => Promise<unknown>][] = [
  ['runs', '/'],
  ['a run at work', '/todos-40'],
  ['details', '/todos-40/todo-29'],
  ['a run that has ended', '/add-auth/todo-2'],
  ['bars for waves', '/todos-1000/todo-702'],
  ['a gate', '/delete-todos', (page) => page.getByText('The plan', { exact: true }).click()],
  [
    'a number',
    '/delete-todos',
    async (page) => {
      await page.getByRole('radio', { name: 'approve' }).check();
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.number').waitFor();
    },
  ],
  [
    'documents',
    '/todos-40/todo-3',
    async (page) => {
      for (const name of ['prompt', 'Diff of']) await page.getByRole('button', { name }).click();
      await page.locator('.document .good').first().waitFor();
    },
  ],
  ...['Plan', 'Recipe', 'Journal', 'Report'].map((tab): (typeof STATES)[number] => [
    `tab ${tab}`,
    '/add-auth',
    async (page) => {
      await page.getByRole('button', { name: tab, exact: true }).click();
      await page.locator('.document').waitFor();
    },
  ]),
  ['nothing found', '/todos-40', (page) => page.locator('#find').fill('nothing has this')],
  ['nothing begun', '/new'],
  ['no such run', '/nowhere', (page) => page.getByRole('alert').waitFor()],
  ['a damaged journal', '/torn'],
  [
    'a server that is gone',
    '/todos-40',
    async (page) => {
      await page.getByRole('option').first().waitFor();
      await scene.server.stop();
      await page.getByRole('alert').waitFor();
      await scene.server.restart();
      await scene.server.stop().then(scene.server.restart);
    },
  ],
  ['no session', '/', (page) => page.getByRole('alert').waitFor()],
  ['no runs', '/', (page) => page.getByText('No runs yet').waitFor()],
];

describe.skipIf(browser === null)('every state', () => {
  it.each(STATES)(
    '%s: axe finds nothing, light and dark; nothing overlaps or is too wide',
    async (name, route, make) => {
      const torn = { ...syntheticPage(40), name: 'torn', fault: { code: 'JOURNAL_CORRUPT', message: 'entry 241' } };
      scene.stage.pages.set('torn', torn);
      if (name === 'no session') scene.stage.isKnown = false;
      if (name === 'no runs') scene.stage.runs.groups = [];
      const page = await open(route);
      await make?.(page);
      // Loads axe through the browser's debugger, to which the page's security policy does not apply.
      await page.evaluate(axe.source);
      expect(await findFaults(page), 'light').toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await findFaults(page, COLOURS), 'dark').toEqual([]);
      for (const width of [420, 900, 1600]) {
        await page.setViewportSize({ width, height: 1000 });
        await page.evaluate(SETTLE);
        expect(await page.evaluate(MEASURE), String(width)).toEqual([]);
      }
    },
  );
});

describe.skipIf(browser === null)('print and motion', () => {
  it('prints every row, and nothing to press', async () => {
    const page = await open('/todos-390');
    expect(await page.getByRole('option').count()).toBeLessThan(100);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.locator('.row').count()).toBe(390);
    expect(await page.locator('.find').isVisible()).toBe(false);
  });

  it('moves nothing by itself', async () => {
    const page = await open('/todos-40');
    await page.getByRole('option').first().waitFor();
    expect(await page.evaluate('document.getAnimations().length')).toBe(0);
  });

  it('prints a document whole, dark on light', async () => {
    const page = await open('/add-auth/todo-2', { scheme: 'dark' });
    await page.getByRole('button', { name: 'Diff of' }).click();
    await page.locator('.scroll').waitFor();
    // `isolate` fixes the direction of the text. If Chromium has to find out the direction of a line of 1 MB, wrapping
    // the line takes seconds instead of no time.
    expect(await page.evaluate('getComputedStyle(document.querySelector(".scroll pre")).unicodeBidi')).toBe('isolate');
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate('getComputedStyle(document.querySelector(".scroll")).maxHeight')).toBe('none');
    expect(await page.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('light');
  });
});

describe.skipIf(browser === null)('the pictures of the docs', () => {
  it('are taken; into the directory that DEV_CLI_PICTURES names', async () => {
    const scratch = mkdtempSync(join(tmpdir(), 'dev-cli-pictures-'));
    const directory = process.env['DEV_CLI_PICTURES'] ?? scratch;
    if (browser !== null) await takePictures(browser, scene.server.url, directory);
    for (const { file, width } of PICTURES) {
      // The header of a PNG contains the width.
      expect(readFileSync(join(directory, file)).readUInt32BE(16), file).toBe(width);
    }
    rmSync(scratch, { recursive: true });
  });
});

describe.skipIf(browser === null)('many todos', () => {
  it.each([1000, 10_000])(
    '%i: at most 2,500 elements, also after a key and a scroll; bench/view.mjs has times',
    async (count) => {
      const page = await open(`/todos-${count}/todo-${Math.floor(count / 2)}`);
      await page.getByRole('option').first().waitFor();
      const nodes = () => page.evaluate('document.querySelectorAll("*").length');
      expect(await nodes()).toBeLessThan(2500);
      await page.keyboard.press('j');
      await page.evaluate('scrollBy(0, 400)');
      await page.getByRole('option', { selected: true }).waitFor();
      expect(await nodes()).toBeLessThan(2500);
    },
  );
});
