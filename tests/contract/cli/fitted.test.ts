import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { devCli } from '../../support/cli.js';
import { COUNTER, takeLoaded } from '../../support/loaded.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';

// view.md, Colour and Width, tested through the shipped binary.

const terminal = findRealTerminal();
const SGR = /\u001b\[[\d;]*m/g;

let project: Project;
beforeAll(() => {
  project = createProject();
  const words = ['init', 'a-run', '--recipe', 'specify-quick-autopilot', '--goal', 'Todos can be deleted', '--new'];
  expect(devCli(project, words).code).toBe(0);
});
afterAll(() => project.remove());

/** Returns what a person sees after typing this command in a terminal with this many columns. */
function seen(command: string, { columns = 80, env = {} as NodeJS.ProcessEnv } = {}): string {
  if (terminal === null) throw new Error(NO_TERMINAL);
  return terminal(`stty cols ${columns} rows 40; ${command}`, {
    cwd: project.root,
    env: { ...project.env, TERM: 'xterm', NO_COLOR: '', FORCE_COLOR: '', ...env },
  }).output;
}

/** Returns what the same command prints into a pipe. */
const piped = (words: string, env: NodeJS.ProcessEnv = {}) => {
  const { stdout, stderr } = spawnSync(process.execPath, [BINARY, ...words.split(' ')], {
    cwd: project.root,
    env: { ...project.env, ...env },
    encoding: 'utf8',
  });
  return stdout + stderr;
};
/** Replaces durations, which differ between two calls. */
const timeless = (text: string) => text.replace(/\d+ s\b|\d+m\d\ds/g, 'now');

const CALLS = ['status', 'list', 'history', 'help draft show', 'list --help', 'status nobody', 'status --nonsense'];

describe.skipIf(terminal === null)('at a person’s terminal', () => {
  it.each(CALLS)('%s is painted, and fits', (words) => {
    for (const columns of [40, 80]) {
      const text = seen(`dev-cli ${words}`, { columns });
      expect(text).toMatch(SGR);
      for (const line of text.replace(SGR, '').split('\n')) expect([...line].length, line).toBeLessThanOrEqual(columns);
    }
  });

  it('is plain with NO_COLOR and TERM=dumb, coloured with FORCE_COLOR, in the same lines', () => {
    const plain = timeless(seen('dev-cli list', { env: { NO_COLOR: '1' } }));
    expect(plain).toMatch(/^NAME {5}STATE {3}WAITS FOR {2}AGE\na-run \* {2}◐ live {2}agent {6}now\n$/);
    expect(timeless(seen('dev-cli list', { env: { TERM: 'dumb' } }))).toBe(plain);
    const forced = timeless(seen('dev-cli list', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }));
    expect(forced).toMatch(SGR);
    expect(forced.replace(SGR, '')).toBe(plain);
  });

  it('names the entry, local time and what happened', () => {
    const env = { NO_COLOR: '1', TZ: 'Asia/Tokyo' };
    const [, at = ''] = /"at": ?"([^"]+)"/.exec(piped('history --json')) ?? [];
    const hour = String((new Date(at).getUTCHours() + 9) % 24).padStart(2, '0');
    expect(seen('dev-cli history', { env })).toMatch(new RegExp(`^ *\\d+ {2}\\d{4}-\\d\\d-\\d\\d ${hour}:`, 'm'));
  });
});

describe.skipIf(terminal === null)('anywhere else not a byte differs', () => {
  it.each(CALLS)('%s: a pipe, a file, the mark of a harness, whatever FORCE_COLOR says', (words) => {
    const text = timeless(piped(words));
    expect(text).not.toMatch(SGR);
    expect(timeless(piped(words, { FORCE_COLOR: '1', TERM: 'xterm' }))).toBe(text);
    const env = { FORCE_COLOR: '1' };
    expect(timeless(seen(`dev-cli ${words} 2>&1 | cat`, { env }))).toBe(text);
    expect(timeless(seen(`dev-cli ${words}`, { env: { ...env, AI_AGENT: 'one' } }))).toBe(text);
  });

  it('an error goes into a file as it is, and JSON to a terminal', () => {
    expect(seen('dev-cli status nobody 2>told; cat told', { env: { FORCE_COLOR: '1' } })).toBe(piped('status nobody'));
    const json = seen('dev-cli list --json', { env: { FORCE_COLOR: '1' } });
    expect(JSON.parse(json)).toEqual(JSON.parse(piped('list --json')));
    expect(json).not.toContain('\u001b');
  });

  it.each(['status', 'list'])('%s loads what it did, also on a terminal of an agent', (name) => {
    const notes = join(project.home, 'loaded.jsonl');
    const env = { NODE_OPTIONS: `--require ${COUNTER}`, DEV_CLI_TEST_LOADED: notes };
    seen(`dev-cli ${name}`, { env: { ...env, AI_AGENT: 'one' } });
    expect(takeLoaded(notes)[0]?.files).toEqual(['bin/dev-cli.js', `dist/${name}.cjs`]);
  });
});
