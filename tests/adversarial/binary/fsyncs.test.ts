import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { StandIn } from '../../support/agent.mjs';
import { runDir } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { readEntries } from '../../support/entries.js';
import { generatePlan, RUN } from '../../support/executing.js';
import { inShell, runLinesBy } from '../../support/line.mjs';
import { SMALL_CREW, smallPlan } from '../../support/small.mjs';

// storage.md, A commit: one fsync per commit within a run, counted for every command of a planning run and an
// execution.

const HOOK = join(dirname(fileURLToPath(import.meta.url)), 'hooks/fsyncs.cjs');
const LONG = { timeout: 300_000 };

/** The commits that one command made and the files that it synced. */
interface Counted {
  command: string;
  commits: number;
  /** Paths below `.dev`; `.` is `.dev` itself. */
  synced: string[];
}

let counted: Counted[];
useProject();
beforeEach(() => {
  counted = [];
  const notes = join(project.home, 'fsyncs');
  runLinesBy((command, around) => {
    const before = commits();
    rmSync(notes, { force: true });
    const env = { ...around.env, NODE_OPTIONS: `--require=${HOOK}`, DEV_CLI_TEST_FSYNCS: notes };
    const printed = inShell(command, { ...around, env });
    const calls = existsSync(notes) ? readFileSync(notes, 'utf8').trimEnd().split('\n') : [];
    // Runners inherit the hook and write lines, too. Only the lines of dev-cli itself are counted.
    const processes = calls.map((line) => JSON.parse(line) as { argv: string[]; synced: string[] });
    const own = processes.filter(({ argv }) => argv[0]?.includes('dev-cli'));
    const synced = own.flatMap((call) => call.synced.map((path) => relative(join(project.root, '.dev'), path) || '.'));
    counted.push({ command, commits: commits() - before, synced });
    return printed;
  });
});

function commits(): number {
  const path = join(runDir(project, RUN), 'events.jsonl');
  return existsSync(path) ? readEntries(readFileSync(path)).filter(({ more }) => more !== true).length : 0;
}

const isOfRoot = (path: string): boolean =>
  ['.', 'guard', 'active-spec', '.gitignore', 'sessions'].includes(path.split('/')[0]?.replace(/\.\d+$/, '') ?? '');
/**
 * Whether a path belongs to a job. A job's files are not in the journal, so they are synced before the runner starts.
 */
const isOfJob = (path: string): boolean => /\/actions(\/|$)/.test(path);
const isObject = (path: string): boolean => /\/objects(\/|$)/.test(path);

/** Checks that every command except the first syncs the journal once per commit, and no other file of the run. */
function judge(): void {
  const [, ...middle] = counted;
  expect(middle.filter((one) => one.commits > 0).length).toBeGreaterThan(4);
  for (const { command, commits, synced } of middle) {
    const ofRun = synced.filter((path) => !isOfRoot(path) && !isObject(path) && !isOfJob(path));
    expect(ofRun, command).toEqual(Array(commits).fill(`specs/${RUN}/events.jsonl`));
  }
}

function agent(): StandIn {
  return new StandIn({ project, name: RUN, crew: SMALL_CREW, scenario: { plan: smallPlan() } });
}

it('a planning run syncs its journal, once for each commit', LONG, () => {
  const one = agent();
  expect(one.drive(one.start('--recipe specify-standard-interactive'))).toMatchObject({ outcome: 'completed' });
  judge();
  const first = counted[0]?.synced ?? [];
  // The first command syncs the run's directories, the journal and the root's files, but none of the run's documents.
  expect(new Set(first.filter((path) => !isObject(path)))).toEqual(
    new Set(['..', '.', 'specs', `specs/${RUN}`, `specs/${RUN}/events.jsonl`, ...first.filter(isOfRoot)]),
  );
});

it('an execution with commits syncs its journal, once for each commit', LONG, () => {
  generatePlan(project);
  counted = [];
  const one = agent();
  expect(one.drive(one.start('--recipe execute-standard'))).toMatchObject({ outcome: 'completed' });
  judge();
});
