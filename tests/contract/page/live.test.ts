import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { begin, doAll, making, planOf, RUN } from '../../adversarial/binary/executing.js';
import { eventually } from '../../adversarial/binary/victims.js';
import type { Action } from '../../support/agent.mjs';
import { devCli, imageOf, runDir, writeProjectFile } from '../../support/cli.js';
import { ensurePage, View } from '../../support/page.js';
import { createProject, type Project } from '../../support/project.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

// view-page.md, Server; File: the data that the page gets, how changes reach it, and the page as a file.

let project: Project;
let view: View | null = null;
beforeEach(() => {
  project = createProject({ sample: null });
  ensurePage();
});
afterEach(() => {
  view?.stop();
  view = null;
  project.remove();
});

async function open(...words: string[]): Promise<View> {
  view = new View(project, words);
  await view.enter();
  return view;
}

const carryOut = () => {
  expect(doAll(project, begin(project, planOf(making('todo-1')))).code).toBe(0);
};

const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const HOSTILE = `</template></script><script>x</script> \u001b[31m\u001b]8;;http://evil.example\u0007\u202ea ${SECRET} ::error::`;

describe('the first page', () => {
  it('is sent at once, and again only when something of it has changed', async () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const { follow } = bind(await open());
    const stream = follow('/events');
    const titles = () =>
      (stream.lines() as { groups: { title: string }[] }[]).map(({ groups }) => groups.map(({ title }) => title));
    await eventually('it is there', () => stream.lines().length > 0);
    await new Promise((done) => setTimeout(done, 2500));
    expect(titles()).toEqual([['Agents at work']]);
    acknowledge(project, acknowledge(project, first).json['next'] as Action);
    await eventually('its end is there', () => titles().at(-1)?.[0] === 'Ended');
    stream.stop();
  });
});

describe('a run', () => {
  it('is followed: what changed is sent, and while nothing does, nothing is', async () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const { ask, follow } = bind(await open());
    const page = (await ask('/runs/run-1')).json();
    const image = imageOf(project);
    const stream = follow(`/runs/run-1/events?since=${page['seq']}`);
    await eventually('the stream is open', () => stream.bytes() === 1);
    await new Promise((done) => setTimeout(done, 600));
    expect([stream.bytes(), imageOf(project)]).toEqual([1, image]);
    expect(acknowledge(project, first).code).toBe(0);
    await eventually('the change is there', () => stream.lines().length > 0);
    const [change] = stream.lines() as {
      seq: number;
      rows: { id: string; state: string }[];
      page: object;
      order?: [];
    }[];
    expect(change?.seq).toBeGreaterThan(Number(page['seq']));
    expect(change?.rows.map(({ id, state }) => [id, state])).toEqual([
      ['think', 'done'],
      ['last', 'running'],
    ]);
    expect(Object.keys(change?.page ?? {})).not.toContain('goal');
    expect(change?.order).toBeUndefined();
    expect(JSON.stringify(change).length).toBeLessThan(4_000);
    stream.stop();
  });

  it('is sent whole to whoever comes back with an entry of before', async () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const { follow, ask } = bind(await open());
    const { seq } = (await ask('/runs/run-1')).json();
    acknowledge(project, first);
    const stream = follow(`/runs/run-1/events?since=${seq}`);
    await eventually('all is there', () => stream.lines().length > 0);
    expect(stream.lines()[0]).toMatchObject({ order: ['think', 'last'], page: { name: 'run-1', status: 'live' } });
    stream.stop();
  });

  it('has its documents by place, as they were handed out; logs, diffs and tabs', async () => {
    carryOut();
    const { ask } = bind(await open());
    const page = (await ask(`/runs/${RUN}`)).json() as {
      rows: { id: string; commit: string | null; segments: { documents: string[] }[] }[];
      tabs: string[];
    };
    const row = page.rows.find(({ segments }) => segments.some(({ documents }) => documents.length > 0));
    const segment = row?.segments.findIndex(({ documents }) => documents.length > 0);
    const document = await ask(`/runs/${RUN}/documents?row=${row?.id}&segment=${segment}&document=0`);
    expect(document.json()).toMatchObject({ kind: 'markdown', text: expect.stringContaining('worker') });
    for (const tab of page.tabs) expect([tab, (await ask(`/runs/${RUN}/tabs/${tab}`)).status]).toEqual([tab, 200]);
  });

  it('shows foreign text cleaned, its secrets masked, whichever way it comes', async () => {
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK], '', 'run-1');
    devCli(project, ['step', 'fail', 'run-1', '--action', action.actionId, '--note', HOSTILE]);
    const { ask } = bind(await open());
    const texts = [await ask('/runs'), await ask('/runs/run-1'), await ask('/runs/run-1/tabs/journal')].map(
      ({ text }) => text,
    );
    for (const text of texts) expect(text).not.toMatch(/\u001b|\\u001b|\u202e|\\u202e|ghp_/);
  });

  it('whose journal is damaged is shown up to the damage, with its code', async () => {
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    acknowledge(project, action);
    const path = join(runDir(project, 'run-1'), 'events.jsonl');
    const lines = readFileSync(path, 'utf8').split('\n');
    const at = lines.length - 3;
    lines[at] = `${lines[at]?.slice(0, 40)}x${lines[at]?.slice(41)}`;
    writeFileSync(path, lines.join('\n'));
    project.replay = false;
    // This `view` is called for the damaged run itself: it must start all the same.
    const { ask, follow } = bind(await open('run-1'));
    const answered = await ask('/runs/run-1');
    expect(answered.status).toBe(200);
    expect(answered.json()['fault']).toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect(answered.json()['seq']).toBeGreaterThan(0);
    // The stream stays open, because a client would reconnect if it ended.
    const stream = follow(`/runs/run-1/events?since=${answered.json()['seq']}`);
    await new Promise((done) => setTimeout(done, 600));
    expect([stream.bytes(), stream.isOpen()]).toEqual([1, true]);
    stream.stop();
  });
});

const bind = (of: View) => ({ ask: of.ask.bind(of), follow: of.follow.bind(of) });

/** Reads the data in the template of a file. */
function readFile(file: string) {
  const html = readFileSync(join(project.root, file), 'utf8');
  const [, packed = ''] = /<template id="data">([A-Za-z0-9+/=]*)<\/template><script/.exec(html) ?? [];
  return { html, data: JSON.parse(inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8')) };
}

describe('a file', () => {
  const write = (name: string, ...more: string[]) =>
    devCli(project, ['view', name, '--html', 'run.html', '--json', ...more]);

  it('holds a run with its documents, and may load nothing', () => {
    carryOut();
    expect(write(RUN).json).toMatchObject({ ok: true, file: 'run.html', without: [] });
    const { html, data } = readFile('run.html');
    expect(html).toMatch(
      /<head><meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^"]*connect-src 'none'[^"]*">/,
    );
    expect(data.page).toMatchObject({ decision: null, clock: { isRunning: false }, rows: expect.any(Array) });
    const keys = Object.keys(data.documents);
    expect(keys).toEqual(expect.arrayContaining(['tab/journal', 'tab/recipe']));
    expect(Object.values(data.documents)).toContainEqual(
      expect.objectContaining({ kind: 'markdown', text: expect.stringContaining('worker') }),
    );
  });

  it('leaves out what it is told to, and says so', () => {
    carryOut();
    expect(write(RUN, '--without', 'prompts,logs,diffs').code).toBe(0);
    const { data } = readFile('run.html');
    expect(data.without).toEqual(['prompts', 'logs', 'diffs']);
    expect(Object.keys(data.documents).filter((key) => key.startsWith('commit/'))).toEqual([]);
    expect(JSON.stringify(Object.values(data.documents))).not.toContain('You are a worker');
    expect(write(RUN, '--without', 'prompts,all').json.error).toMatchObject({ code: 'USAGE' });
    expect(devCli(project, ['view', '--without', 'logs', '--json']).code).toBe(2);
    expect(devCli(project, ['view', '--html', 'x', '--no-open', '--json']).code).toBe(2);
  });

  it('without logs has none of what commands printed, in the report neither', () => {
    const run = [process.execPath, '-e', 'console.log(6 * 7_000 + "!")'];
    const acceptance = [{ id: 'ac-1', kind: 'command' as const, run }];
    expect(doAll(project, begin(project, planOf(making('todo-1', [], { acceptance })))).code).toBe(0);
    const texts = (...more: string[]) => {
      expect(write(RUN, ...more).code).toBe(0);
      return JSON.stringify(readFile('run.html').data.documents);
    };
    expect(texts()).toContain('42000!');
    const without = texts('--without', 'logs');
    expect(without).not.toContain('42000!');
    expect(without).toContain('## Verification');
  });

  it('takes the place of such a file, and of nothing else', () => {
    startTiny(project, [PLAIN_BLOCK]);
    expect([write('run-1').code, write('run-1').code]).toEqual([0, 0]);
    writeProjectFile(project, 'run.html', '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">mine');
    expect(write('run-1').json.error).toMatchObject({
      code: 'IO',
      message: expect.stringContaining('something else is there'),
    });
    expect(readFileSync(join(project.root, 'run.html'), 'utf8')).toContain('mine');
    mkdirSync(join(project.root, 'directory'));
    expect(devCli(project, ['view', '--html', 'directory', '--json']).json.error?.code).toBe('IO');
    expect(devCli(project, ['view', '--html', 'none/run.html', '--json']).json.error?.code).toBe('IO');
    expect(existsSync(join(project.root, 'none'))).toBe(false);
  });

  it('keeps text of others from ending the template', () => {
    const action = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    devCli(project, ['step', 'fail', 'run-1', '--action', action.actionId, '--note', HOSTILE]);
    write('run-1');
    const { html } = readFile('run.html');
    expect(html.match(/<\/template>/g)).toHaveLength(1);
    expect(html).not.toContain('evil.example');
    expect(html).not.toContain(SECRET);
  });
});
