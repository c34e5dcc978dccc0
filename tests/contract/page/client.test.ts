import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { launchBrowser } from '../../support/browser.mjs';
import { syntheticPage } from '../../support/page-runs.js';
import { readShell } from '../../support/page-server.js';
import { DECISION } from '../../support/page-stage.js';
import { stageEach } from '../../support/page-tests.js';
import { CHECKOUT } from '../../support/project.mjs';

/** The page in the browser (view-page.md, In the browser), with a substitute for dev-cli's server. */

const browser = await launchBrowser();
const { scene, open } = stageEach(browser);

const CLIENT = join(CHECKOUT, 'src/wings/page/client');

describe('what is built', () => {
  it('is one file of at most 60 kB, without data, that loads nothing', () => {
    const shell = readShell();
    expect(gzipSync(shell).length).toBeLessThan(60_000);
    expect(shell.match(/<script/g)).toHaveLength(1);
    expect(
      shell.replace(/<script.*?<\/script>/s, '').match(/(src|href)="(?!data:,")|url\(|@import| style=/g),
    ).toBeNull();
  });

  it('makes elements of text nowhere', () => {
    for (const file of readdirSync(CLIENT)) {
      const text = readFileSync(join(CLIENT, file), 'utf8');
      expect(text, file).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|href=\{(?!writeRoute)/,
      );
    }
  });
});

describe.skipIf(browser === null)('the first page', () => {
  it('shows groups and rows in order, and leads to a run by keys alone', async () => {
    const { page, faults } = await open('/');
    await expect
      .poll(() => page.locator('h2').allTextContents())
      .toEqual(scene.stage.runs.groups.map(({ title }) => title));
    await page.getByText('silent for 11m00s').waitFor();
    await expect.poll(() => page.title()).toBe('(1) todo-api');
    await expect.poll(() => page.getByRole('link', { name: 'pages' }).count()).toBe(0);
    expect(page.url()).not.toContain('ticket');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'delete-todos' }).waitFor();
    expect(page.url()).toMatch(/#\/delete-todos$/);
    expect(faults).toEqual([]);
  });

  it('says how to begin where there is no run', async () => {
    scene.stage.runs.groups = [];
    const { page } = await open('/');
    await page.getByText('dev-cli demo').waitFor();
  });

  it('says what to do without a session', async () => {
    scene.stage.isKnown = false;
    const { page } = await open('/');
    await page.getByRole('alert').getByText('Press o in the terminal').waitFor();
  });
});

describe.skipIf(browser === null)('a run', () => {
  it('has a row for each, with its time as text; j and k move, Enter opens, the address follows', async () => {
    const { page, faults } = await open('/add-auth');
    const rows = page.getByRole('option');
    await expect.poll(() => rows.count()).toBe(11);
    await expect.poll(() => rows.nth(1).locator('.length').textContent()).toMatch(/\d+ s|\d+m\d\ds/);
    for (const key of ['j', 'j', 'j', 'k', 'Enter']) await page.keyboard.press(key);
    await page.getByRole('complementary', { name: 'Details of todo-1' }).waitFor();
    await page.waitForURL(/#\/add-auth\/todo-1$/);
    await expect.poll(() => page.getByRole('option', { selected: true }).textContent()).toContain('todo-1');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.closest("aside") !== null')).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('complementary').count()).toBe(0);
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('listbox');
    expect(faults).toEqual([]);
  });

  it('opens at a row that the address names, with what it builds on and what on it', async () => {
    const { page } = await open('/todos-40/todo-29');
    const details = page.getByRole('complementary');
    await details.getByText('exit 1: expected 204, got 500').waitFor();
    await expect.poll(() => page.locator('.waves .here').count()).toBe(1);
    await expect.poll(() => page.locator('.waves .before').count()).toBe(1);
    await expect.poll(() => page.locator('.waves .behind').count()).toBe(4);
    await details.getByRole('button', { name: 'todo-25' }).click();
    await page.getByRole('complementary', { name: 'Details of todo-25' }).waitFor();
  });

  it('shows local time, and UTC as its title', async () => {
    const { page } = await open('/todos-40');
    const time = page.locator('header time').first();
    await expect.poll(() => time.textContent()).toContain('18:00');
    await expect.poll(() => time.getAttribute('title')).toBe('2026-07-27 09:00:00 UTC');
  });

  it('finds by text and state, says which filter found nothing, and clears it', async () => {
    const { page } = await open('/todos-40');
    await expect.poll(() => page.getByRole('option').count()).toBe(40);
    await page.keyboard.press('/');
    await page.keyboard.type('todo-3');
    await expect.poll(() => page.getByRole('option').count()).toBe(11);
    await page.getByRole('button', { name: 'failed 1' }).click();
    await page.getByText('No row has “todo-3” and is failed.').waitFor();
    await page.getByRole('button', { name: 'Show all 40' }).click();
    await expect.poll(() => page.getByRole('option').count()).toBe(40);
  });

  it('folds what nobody worked in, and says how long it was; + and 0 zoom', async () => {
    const { page } = await open('/todos-40/todo-3');
    await expect.poll(() => page.locator('.marks .fold').textContent()).toBe('3h00m');
    const width = async () => (await page.locator('[aria-selected=true] .agent').first().boundingBox())?.width ?? 0;
    const before = await width();
    for (const key of ['+', '+']) await page.keyboard.press(key);
    await expect.poll(width).toBeGreaterThan(3 * before);
    await page.keyboard.press('0');
    await expect.poll(width).toBeCloseTo(before, 0);
  });

  it('shows documents: one that is too large, a diff, one that is gone', async () => {
    const { page } = await open('/todos-40/todo-3');
    await page.getByRole('button', { name: 'prompt' }).click();
    await page.getByText('Too large to be shown whole: 1320 B of 2500 kB.').waitFor();
    await page.getByRole('button', { name: 'Diff of' }).click();
    await expect
      .poll(() => page.locator('.document .good').allTextContents())
      .toEqual(['+++ b/src/routes.ts\n', '+  show,\n+  remove\n']);
    scene.stage.document = () => null;
    await page.getByRole('button', { name: 'result' }).click();
    await page.getByRole('alert').getByText('The document is gone.').waitFor();
    expect(scene.server.asked).toContain('GET /runs/todos-40/documents?run=r1&row=todo-3&segment=0&document=0');
  });

  it('leaves keys to what is scrolled, typed into or shown instead', async () => {
    const { page } = await open('/todos-40/todo-3', { height: 700 });
    await page.getByRole('button', { name: 'prompt' }).click();
    const text = page.getByRole('region', { name: 'prompt of entry' });
    await text.focus();
    for (const key of ['ArrowDown', 'ArrowDown', 'End']) await page.keyboard.press(key);
    await page.getByRole('complementary', { name: 'Details of todo-3' }).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.scrollTop')).toBeGreaterThan(0);
    await page.keyboard.press('/');
    await page.keyboard.type('jk0');
    await expect.poll(() => page.locator('#find').inputValue()).toBe('jk0');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Journal' }).click();
    await page.keyboard.press('j');
    await page.getByRole('button', { name: 'Work' }).click();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('option', { selected: true }).textContent()).toContain('todo-3');
  });

  it('says who decided, and on which digest', async () => {
    const { page } = await open('/add-auth/approveCommands');
    await page.getByRole('complementary').getByText('human at a terminal').waitFor();
  });

  it('shows all up to where the journal is damaged, and the code', async () => {
    const whole = syntheticPage(40);
    scene.stage.pages.set('torn', {
      ...whole,
      name: 'torn',
      fault: { code: 'JOURNAL_CORRUPT', message: 'entry 241 is damaged' },
    });
    const { page } = await open('/torn');
    await page.getByRole('alert').getByText('JOURNAL_CORRUPT').waitFor();
    await expect.poll(() => page.getByRole('option').count()).toBe(40);
  });

  it('says that there is no such run, and that nothing has begun', async () => {
    const { page } = await open('/nowhere');
    await page.getByRole('alert').getByText('There is no run "nowhere".').waitFor();
    const other = await open('/new');
    await other.page.getByText('Nothing has begun yet.').waitFor();
  });
});

describe.skipIf(browser === null)('live', () => {
  const change = (seq: number, of: object = {}) => ({ seq, page: {}, rows: [], ...of });

  it('takes changes, tells them, and stops when the run ends', async () => {
    const { page } = await open('/todos-40');
    await page.getByRole('option').first().waitFor();
    const row = scene.stage.pages.get('todos-40')?.rows[29];
    if (row === undefined) throw new Error('no row');
    const ended = row.segments.map((segment) => ({ ...segment, to: segment.from + 90_000, ok: true }));
    scene.server.push('todos-40', change(241, { rows: [{ ...row, state: 'done', segments: ended }] }));
    await page.getByRole('status').getByText('todo-30: done').waitFor();
    const option = page.getByRole('option').nth(29);
    await expect.poll(() => option.textContent()).toContain('1m30s');
    const clock = scene.stage.pages.get('todos-40')?.clock;
    scene.server.push('todos-40', change(242, { page: { status: 'aborted', clock: { ...clock, isRunning: false } } }));
    await page.getByRole('status').getByText('The run has ended: aborted').waitFor();
    const told = await page.locator('header').textContent();
    await page.waitForTimeout(1500);
    await expect.poll(() => page.locator('header').textContent()).toBe(told);
  });

  it('keeps what it has when the server goes, and goes on from there when it comes back', async () => {
    const { page } = await open('/todos-40');
    await expect.poll(() => scene.server.asked.filter((one) => one.includes('/events')).length).toBe(1);
    scene.server.push('todos-40', change(250));
    await page.waitForTimeout(100);
    await scene.server.stop();
    await page.getByRole('alert').getByText('The server does not answer.').waitFor();
    await expect.poll(() => page.getByRole('option').count()).toBe(40);
    await scene.server.restart();
    await page.getByRole('alert').waitFor({ state: 'detached', timeout: 20_000 });
    expect(scene.server.asked.at(-1)).toBe('GET /runs/todos-40/events?since=250&run=r1');
    expect(scene.server.asked.filter((one) => one === 'GET /runs/todos-40')).toHaveLength(1);
  });

  it('asks for another ticket where the server is another one', async () => {
    const { page } = await open('/todos-40');
    await expect.poll(() => scene.server.asked.filter((one) => one.includes('/events')).length).toBe(1);
    scene.stage.isKnown = false;
    await scene.server.stop();
    await scene.server.restart();
    await page.getByRole('alert').getByText('Press o in the terminal').waitFor({ timeout: 20_000 });
    await expect.poll(() => page.getByRole('option').count()).toBe(40);
  });

  it('asks for nothing while nothing happens', async () => {
    const { page } = await open('/todos-40');
    await expect.poll(() => scene.server.asked.filter((one) => one.includes('/events')).length).toBe(1);
    const before = scene.server.asked.length;
    await page.waitForTimeout(2500);
    expect(scene.server.asked).toHaveLength(before);
  });
});

describe.skipIf(browser === null)('a gate', () => {
  it('shows what approve shows, in the title, too; the answer is sent, the number decides', async () => {
    const taken: unknown[] = [];
    scene.stage.refuse = (address, body) => {
      taken.push([address, body]);
      return null;
    };
    const { page, faults } = await open('/delete-todos');
    await expect.poll(() => page.title()).toBe('(1) delete-todos');
    const gate = page.getByRole('region', { name: DECISION.title });
    for (const { heading, lines } of DECISION.sections) {
      await gate.getByText(heading).waitFor();
      for (const line of lines) await gate.getByText(line).waitFor();
    }
    await gate.getByText('The plan', { exact: true }).click();
    await gate.getByText('1. Add the route that deletes a todo').waitFor();
    await gate.getByRole('radio', { name: 'revise' }).check();
    await gate.getByRole('button', { name: 'Send' }).click();
    expect(taken).toEqual([]);
    await gate.getByRole('textbox', { name: 'Reason' }).fill('smaller steps');
    await gate.getByRole('button', { name: 'Send' }).click();
    await gate.getByRole('textbox', { name: 'The terminal where dev-cli view runs' }).waitFor();
    await page.keyboard.type('012345');
    await page.keyboard.press('Enter');
    await expect.poll(() => taken.length).toBe(2);
    expect(taken).toEqual([
      ['answer', { actionId: 'a7', choice: 'revise', digest: 'sha256:3f1c9a', note: 'smaller steps' }],
      ['confirm', { id: 'p1', number: '012345' }],
    ]);
    scene.server.push('delete-todos', { seq: 99, page: { decision: null }, rows: [] });
    await gate.waitFor({ state: 'detached' });
    await expect.poll(() => page.title()).toBe('delete-todos');
    expect(faults).toEqual([]);
  });

  it('sends once, however often one presses; begins anew where the answer was voided', async () => {
    let release = (): void => {};
    scene.stage.hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    scene.stage.refuse = (address) =>
      address === 'confirm' ? { code: 'STALE_ACTION', message: 'Open no more.' } : null;
    const { page } = await open('/delete-todos');
    await page.getByRole('radio', { name: 'approve' }).check();
    const button = page.getByRole('button', { name: 'Send' });
    await button.dblclick();
    await expect.poll(() => button.isDisabled()).toBe(true);
    release();
    await page.locator('.number').fill('111111');
    expect(scene.server.asked.filter((one) => one.endsWith('/answer'))).toHaveLength(1);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Open no more.').waitFor();
    await button.waitFor();
  });

  it('has the command where nobody is at the terminal of the server', async () => {
    const old = scene.stage.pages.get('delete-todos');
    if (!old?.decision) throw new Error('no gate');
    scene.stage.pages.set('delete-todos', { ...old, decision: { ...old.decision, answers: [] } });
    const { page } = await open('/delete-todos');
    await page.locator('.gate').getByText('dev-cli approve delete-todos').waitFor();
    await expect.poll(() => page.locator('form').count()).toBe(0);
  });

  it('says that a number was wrong, and begins anew where what it is about has changed', async () => {
    scene.stage.refuse = (address) =>
      address === 'confirm' ? { code: 'DATA_UNEXPECTED', message: 'The number is wrong.' } : null;
    const { page } = await open('/delete-todos');
    const send = async () => {
      await page.getByRole('radio', { name: 'approve' }).check();
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.number').fill('111111');
      await page.keyboard.press('Enter');
    };
    await send();
    await page.getByRole('alert').getByText('The number is wrong.').waitFor();
    await expect.poll(() => page.locator('.number').inputValue()).toBe('');
    const old = scene.stage.pages.get('delete-todos');
    if (!old?.decision) throw new Error('no gate');
    scene.stage.pages.set('delete-todos', {
      ...old,
      decision: { ...old.decision, digest: 'sha256:other', title: 'Approve 7 todos?' },
    });
    scene.stage.refuse = (address) =>
      address === 'confirm' ? { code: 'INPUT_CHANGED', message: 'The plan has changed.' } : null;
    await page.locator('.number').fill('222222');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Approve 7 todos?' }).waitFor();
    await expect.poll(() => page.locator('.number').count()).toBe(0);
    await expect.poll(() => page.getByRole('radio', { checked: true }).count()).toBe(0);
  });
});
