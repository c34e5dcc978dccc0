import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { openWingStreams } from '../../../src/project/wing-streams.js';
import { EMPTY_LOOP } from '../../../src/wings/loop/state.js';
import type { LoopState } from '../../../src/wings/loop/state-schema.js';
import { countingIds, steppingClock } from '../../core/store/sample.js';
import { freshProjects } from '../../support/fresh.js';
import { readTree, restoreTree } from '../../support/image.js';
import { call, git, runLoop, setUpLoop, write } from '../../support/loop.js';
import { BINARY, type Project } from '../../support/project.mjs';
import { chosenSeed } from '../../support/seeded.js';
import { HOOK_PLAN, type HookPlan, type Mutation } from './crash/calls.js';
import { isLeftover } from './crash/normal.js';
import { type Extent, pointsOf } from './crash/points.js';

// loop-operations.md, Queue: a command that is killed before, inside or after a file-system call has recorded
// everything or nothing. The next command, or the same one repeated, has the same result as without the cut: nothing is
// lost, answered twice or torn. DEV_CLI_CRASH=all tries all these points, =states one for each state that can remain on
// the disk; the default is a sample.

const EXTENTS: readonly Extent[] = ['sample', 'states', 'all'];
const extent = EXTENTS.find((each) => each === process.env['DEV_CLI_CRASH']) ?? 'sample';
const seed = chosenSeed();
const SAMPLES = 5;

const create = freshProjects();
const TICKET = `decision_id: d
goal_id: one
question: Which?
status: proposed
alternatives: [{id: a, approach: A}, {id: b, approach: B}]
`;
const EVENT = {
  ...{ event_id: 'evt_1', event_type: 'auto_attempt', timestamp: '2026-11-27T01:02:03Z' },
  payload: { run_id: 'r', goal_id: 'one', attempt: 1, success: false, action_taken: 'block', reason: 'why' },
};
const PATCH = 'diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+new\n';

interface Command {
  args: string[];
  /**
   * The arguments of a command that only reads. In some trials it is called after the cut, before the command is
   * repeated.
   */
  next: string[];
  /** The hook counts file-system calls only from the first one whose path contains this text. */
  from?: string;
  /** The arguments of a batch of the loop that is run after the command was repeated. */
  work?: string[];
  /**
   * The error that the repeated command reports if the call that was cut had already recorded everything. If absent,
   * the repeated command must succeed.
   */
  again?: string;
}
type Answer = Record<string, unknown>;
const ask = (project: Project, args: string[]): Answer => call(project, args).json;
const ACT = (action: string) => [
  ...['inbox', 'act', 'inbox-evt_1', '--action', action, '--operator', 'anna', '--reason', 'Use UTC'],
];
const CLAIM = ['queue', 'claim', '--worker', 'w1'];
const LIST = ['queue', 'list'];

/** By name, prepares the project for a command, and returns the command. */
const COMMANDS: Record<string, (project: Project) => Command> = {
  'queue claim': () => ({ args: CLAIM, next: LIST, again: 'CLAIM_REFUSED' }),
  'queue claim with a key': () => ({ args: [...CLAIM, '--idempotency-key', 'k'], next: LIST }),
  'queue release': (project) => {
    const id = String(ask(project, CLAIM)['claim_id']);
    return { args: ['queue', 'release', id, '--worker', 'w1'], next: LIST, again: 'CLAIM_REFUSED' };
  },
  'inbox act, approve': () => ({ args: ACT('approve'), next: ['inbox', 'list'], again: 'INBOX_REFUSED' }),
  'inbox act, reject': () => ({ args: ACT('reject'), next: ['inbox', 'summary'], again: 'INBOX_REFUSED' }),
  'protocol ingest': (project) => {
    const asked = ['protocol', 'export', '--adapter', 'other', '--goal', 'two', '--no-write'];
    const { packet_id } = ask(project, asked)['packet'] as { packet_id: string };
    const said = { schema_version: 'protocol_result.v1', adapter: 'other', goal_id: 'two', success: true, packet_id };
    write({ ...project, root: project.home }, 'result.json', JSON.stringify({ ...said, patch: PATCH }));
    const args = ['protocol', 'ingest', join(project.home, 'result.json')];
    return { args, next: ['attempt', 'list'], again: 'PACKET_REFUSED' };
  },
  'decision spike --accept': () => ({
    args: ['decision', 'spike', 'd', '--command', 'echo 1 > {alternative_id}', '--accept', '--parallel', '1'],
    next: ['observe'],
    from: '.ai/decisions',
    work: ['auto', 'two'],
    again: 'DECISION_REFUSED',
  }),
};

function begin(): Project {
  const project = create();
  mkdirSync(join(project.root, '.ai/decisions'), { recursive: true });
  mkdirSync(join(project.root, '.ai/events'), { recursive: true });
  write(project, '.ai/decisions/d.yaml', TICKET);
  write(project, '.ai/events/events.jsonl', `${JSON.stringify(EVENT)}\n`);
  const why = 'the decision in .ai/decisions/d.yaml is not accepted';
  const goals = [
    `  - {id: two, title: The two, status: active}\n`,
    `  - id: one\n    title: The one\n    status: blocked\n    blocked_reason: "${why}"\n    decision_file: .ai/decisions/d.yaml\n`,
  ];
  setUpLoop(project, { goals: goals.join(''), sessions: { two: [{ write: { 'two.txt': '2\n' } }] } });
  return project;
}

const read = ({ root }: Project, path: string): string =>
  existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';

/**
 * Makes values comparable: drops times and the numbers of attempts (a killed command may use one up), and numbers
 * random ids in their order of appearance.
 */
function normal(value: unknown): string {
  const names = new Map<string, string>();
  return stringify(value, { sortMapEntries: true, aliasDuplicateObjects: false, lineWidth: 0 })
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g, '<time>')
    .replace(/\d{8}T\d{6}[+-]\d{4}-[0-9a-f]{4}/g, '<run>')
    .replace(/(duration_ms\W+)\d+/g, '$1')
    .replace(/\b(QCLM_|evt_|pkt_|)[0-9a-f]{12,64}\b/g, (id, kind: string) => {
      names.set(id, names.get(id) ?? `<${kind}${names.size}>`);
      return names.get(id) ?? '';
    })
    .replace(/(two|d\.a|d\.b)([#/-])\d+/g, '$1$2n')
    .replace(/\b(n|attempt): \d+/g, '$1: 0');
}

/** Returns the events of the log, each once, without a line that a cut left incomplete. */
function readEvents(project: Project): Answer[] {
  const events = new Map<unknown, Answer>();
  for (const line of read(project, '.ai/events/events.jsonl').split('\n').filter(Boolean)) {
    try {
      const event = JSON.parse(line) as Answer;
      events.set(event['event_id'], event);
    } catch {}
  }
  // Leaves out refusals, which are logged as events, too: a repeated call may add one that the undisturbed call did not
  // have.
  const also = /rejected|reused/;
  return [...events.values()].filter(({ event_type: type }) => !also.test(String(type)));
}

/** Lists reports, without temporary files of a killed process. */
function listReports({ root }: Project): string[] {
  const names = existsSync(join(root, '.ai/reports')) ? readdirSync(join(root, '.ai/reports')) : [];
  return names.filter((name) => !isLeftover(name)).map((name) => `.ai/reports/${name}`);
}

/** Returns everything that the loop stores and shows. */
async function look(project: Project): Promise<string[]> {
  // A cut may leave events out of the log; the next successful call, this one, adds them.
  const inbox = call(project, ['inbox', 'list', '--include-resolved']).json;
  const { snapshot } = await openStream(project).read('loop');
  const state: LoopState = { ...EMPTY_LOOP, ...snapshot };
  const { attempts, goals, leases, answers, packets, unsent, variants, spiked } = state;
  const byOrder = (of: object) => Object.values(of);
  const kept = Object.values(attempts).map(({ kept: commit }) => git(project, 'show', '--format=', `${commit}`));
  return [
    normal({
      attempts: byOrder(attempts),
      leases: byOrder(leases),
      packets: byOrder(packets),
    }),
    normal({ answers, unsent, variants, spiked }),
    normal(goals),
    normal(readEvents(project)),
    normal(read(project, '.ai/goals.yaml')),
    normal(read(project, '.ai/decisions/d.yaml')),
    normal(listReports(project).map((name) => parse(read(project, name)))),
    normal(inbox),
    normal(kept),
    normal([git(project, 'worktree', 'list').split('\n').length, existsSync(join(project.root, '.ai/auto.lock'))]),
    normal(git(project, 'status', '--porcelain', '--', '.', ':!.ai')),
  ];
}

function openStream({ root }: Project) {
  const codec = { parse: (text: string) => JSON.parse(text) as LoopState };
  return openWingStreams({ root, noun: 'loop', codec, clock: steppingClock(), ids: countingIds() });
}

function run(project: Project, hook: string, args: string[], plan: Partial<HookPlan>) {
  const whole: HookPlan = { trace: null, cut: null, defect: null, programs: true, ...plan };
  const env = { ...project.env, [HOOK_PLAN]: JSON.stringify(whole) };
  const argv = ['--require', hook, BINARY, ...args, '--json'];
  return spawnSync(process.execPath, argv, { cwd: project.root, env, encoding: 'utf8' });
}

/** Files that people edit; each must be as before or as after the call. */
const FILES = ['.ai/goals.yaml', '.ai/decisions/d.yaml'];

/** Repeats a call that was cut, and returns the problems. */
async function judge(project: Project, command: Command, isAsked: boolean, printed: string): Promise<string[]> {
  const { args, next, again } = command;
  const faults: string[] = [];
  if (isAsked && call(project, next).exit !== 0) faults.push('the next call');
  const { exit, json } = call(project, args);
  if (exit !== 0 && json.error?.code !== again) faults.push(`again: ${JSON.stringify(json)}`);
  if (exit === 0 && again !== undefined && printed.endsWith('\n')) faults.push('answered and not recorded');
  // The next batch ends processes that a cut call left running.
  if (command.work !== undefined) runLoop(project, ...command.work);
  const { differences } = await openStream(project).replay('loop', {});
  return [...faults, ...differences.map(({ problem }) => problem)];
}

describe(`cut at a write (${extent}, seed ${seed})`, () => {
  it.each(Object.entries(COMMANDS))('%s comes to the same', { timeout: 3_600_000 }, async (name, build) => {
    const project = begin();
    const hook = join(project.home, 'hook.cjs');
    const entryPoints = [join(import.meta.dirname, 'crash/hook.ts')];
    buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: hook, logLevel: 'error' });
    const command = build(project);
    const { args, from } = command;
    const since = from === undefined ? {} : { from };
    const image = readTree(project.root);
    const restore = () => {
      restoreTree(project.root, image);
      rmSync(join(project.home, '.local'), { recursive: true, force: true });
      return FILES.map((file) => read(project, file));
    };
    const before = restore();
    const trace = join(project.home, 'trace.json');
    const first = run(project, hook, args, { trace, ...since });
    expect(first.status, first.stdout).toBe(0);
    const after = FILES.map((file) => read(project, file));
    expect(await judge(project, command, false, '')).toEqual([]);
    const undisturbed = await look(project);
    const mutations = JSON.parse(readFileSync(trace, 'utf8')) as Mutation[];
    const all = pointsOf(mutations, extent);
    const every = extent === 'sample' ? Math.ceil(all.length / SAMPLES) : 1;
    const cuts = all.filter((_, index) => (index + seed) % every === 0);
    const problems: string[] = [];
    let killed = 0;
    for (const [index, cut] of cuts.entries()) {
      restore();
      const { signal, stdout } = run(project, hook, args, { cut, ...since });
      if (signal === 'SIGKILL') killed += 1;
      const torn = FILES.filter((file, at) => ![before[at], after[at]].includes(read(project, file)));
      const faults = [...torn, ...(await judge(project, command, index % 2 === 0, stdout))];
      const found = await look(project);
      faults.push(...found.flatMap((one, at) => (one === undisturbed[at] ? [] : `${one} for ${undisturbed[at]}`)));
      const { op, path } = mutations[cut.call - 1] as Mutation;
      const place = `${cut.position} ${cut.call} (${op} ${path.replace(project.root, '')})`;
      problems.push(...faults.map((fault) => `${place}: ${fault}`));
    }
    if (extent !== 'sample') console.log(`${name}: ${cuts.length} cuts, ${mutations.length} calls, ${killed} killed`);
    expect(problems, `seed ${seed}, ${all.length} points`).toEqual([]);
    expect(killed).toBe(cuts.length);
  });
});
