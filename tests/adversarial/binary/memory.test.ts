import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { appendFact, readNewestFacts } from '../../../src/project/facts.js';
import { devCli, devCliAsync, type Result } from '../../support/cli.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { chosenSeed, numberFrom, seeded } from '../../support/seeded.js';

// memory.md, Where: nothing acknowledged is lost, and nothing is recorded twice.

const CALLS = numberFrom('DEV_CLI_TEST_MEMORY_CALLS', 5);
const KILLS = numberFrom('DEV_CLI_TEST_MEMORY_KILLS', 15);
const seed = chosenSeed();
/** Milliseconds. Long enough even if the variables above set many calls and kills. */
const TIMEOUT = 3_600_000;

let project: Project;
afterEach(() => project.remove());

const KINDS: readonly [readonly string[], ...(readonly string[])[]] = [
  ['decide', '--text'],
  ['note', '--kind', 'tried', '--text'],
  ['next', '--text'],
  ['verify', '--text'],
];

interface Line {
  seq: number;
  data: { id: string };
  patch: { value?: unknown }[];
}

function journal(): Line[] {
  const text = readFileSync(join(project.root, '.dev/memory/book/events.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

/** Returns the problems in the journal, given the calls that were answered and those that were tried. */
function faultsOf(acknowledged: ReadonlyMap<string, string>, tried: readonly string[]): string[] {
  const lines = journal();
  const holders = (text: string) => lines.filter(({ patch }) => JSON.stringify(patch).includes(`"${text}"`));
  return [
    ...[...acknowledged].flatMap(([text, id]) => {
      const found = holders(text).map(({ data }) => data.id);
      return found.length === 1 && found[0] === id ? [] : [`${text}: answered ${id}, recorded ${found}`];
    }),
    ...tried.filter((text) => holders(text).length > 1).map((text) => `${text}: recorded twice`),
  ];
}

async function race(writers: number, calls: number): Promise<void> {
  project = createProject();
  devCli(project, ['memory', 'decide', '--text', 'first']);
  const acknowledged = new Map<string, string>();
  const codes = new Set<string | undefined>();
  const note = (text: string, { code, json }: Result): void => {
    if (code === 0) acknowledged.set(text, String(json['id']));
    else codes.add(json.error?.code);
  };
  const directory = join(project.root, '.dev/memory');
  let facts = 0;
  let racing = true;
  const hook = (async () => {
    // Facts of 1 kB each, so that their file becomes full and is moved away during the race.
    for (; racing; await sleep(1))
      for (let n = 0; n < 5; n++) appendFact(directory, { n: facts++, text: 'f'.repeat(1000) });
  })();
  const random = seeded(seed);
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      for (let n = 0; n < calls; n++) {
        const text = `w${writer}-${n}.`;
        note(text, await devCliAsync(project, ['memory', ...random.pick(KINDS), text]));
      }
    }),
  );
  racing = false;
  await hook;
  expect([...codes].filter((code) => code !== 'LOCKED')).toEqual([]);
  expect(faultsOf(acknowledged, [])).toEqual([]);
  const last = readNewestFacts(directory).map(({ n }) => n as number);
  expect(last).toEqual(Array.from({ length: last.length }, (_, n) => facts - last.length + n));
}

it(
  `two writers at once lose nothing (DEV_CLI_TEST_MEMORY_CALLS x 4 calls each, seed ${seed})`,
  () => race(2, CALLS * 4),
  TIMEOUT,
);

it('sixteen writers at once lose nothing', () => race(16, CALLS), TIMEOUT);

it(
  `${KILLS} kills at random instants lose nothing and double nothing`,
  async () => {
    project = createProject();
    const random = seeded(seed);
    const begun = performance.now();
    devCli(project, ['memory', 'decide', '--text', 'first']);
    await devCliAsync(project, ['memory', 'decide', '--text', 'second']);
    const usual = performance.now() - begun;
    const acknowledged = new Map<string, string>();
    const tried: string[] = [];
    for (let n = 0; n < KILLS; n++) {
      const text = `k${n}.`;
      tried.push(text);
      const child = spawn(process.execPath, [BINARY, 'memory', ...random.pick(KINDS), text], {
        cwd: project.root,
        env: project.env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let stdout = '';
      child.stdout.on('data', (piece) => {
        stdout += piece;
      });
      const closed = new Promise((resolve) => child.on('close', resolve));
      await sleep(random.unit() * usual);
      child.kill('SIGKILL');
      await closed;
      if (stdout.endsWith('\n')) acknowledged.set(text, (JSON.parse(stdout) as { id: string }).id);
      const text2 = `a${n}.`;
      const after = devCli(project, ['memory', ...random.pick(KINDS), text2]);
      expect(after.code).toBe(0);
      acknowledged.set(text2, String(after.json['id']));
    }
    expect(faultsOf(acknowledged, tried)).toEqual([]);
  },
  TIMEOUT,
);
