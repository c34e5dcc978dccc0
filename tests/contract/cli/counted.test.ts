import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Action, StandIn } from '../../support/agent.mjs';
import { inShell, runLinesBy } from '../../support/line.mjs';
import { COUNTER, type Loaded, takeLoaded } from '../../support/loaded.js';
import { createProject, type Project } from '../../support/project.mjs';

// The costs of calls that do not depend on the machine (house.md, Speed). To raise a limit takes a separate commit that
// says why.

/** Costs of a call: programs and their parts, their kilobytes, files opened, processes started, waits for the disk. */
type Costs = [files: number, kilobytes: number, opened: number, processes: number, fsyncs: number];

/** The most expensive call of each kind in a run that plans, asks, executes with commits, and answers questions. */
const BOUNDS: Record<string, Costs> = {
  'approve approve-plan': [34, 1102, 65, 0, 4],
  'approve execution-engine': [33, 951, 70, 7, 3],
  init: [34, 975, 85, 1, 14],
  'init --execute': [35, 1065, 79, 5, 5],
  'list --json': [2, 50, 6, 0, 0],
  manifest: [2, 75, 8, 0, 0],
  next: [2, 56, 7, 0, 0],
  'status --json': [2, 77, 7, 0, 0],
  'step complete analyze-full': [9, 493, 30, 1, 1],
  'step complete classify-intent --choice': [3, 277, 19, 0, 1],
  'step complete codex-synth': [11, 501, 32, 1, 1],
  'step complete decision-confirm --choice': [8, 375, 26, 0, 1],
  'step complete execution-engine': [19, 598, 106, 14, 33],
  'step complete explore-full': [9, 493, 27, 1, 1],
  'step complete generate-plan': [8, 389, 31, 1, 1],
  'step complete interview': [6, 367, 19, 0, 1],
  'step complete review': [11, 501, 34, 1, 1],
};

const costs = new Map<string, Costs>();
let project: Project;

beforeAll(() => {
  project = createProject();
  const notes = join(project.home, 'loaded.jsonl');
  Object.assign(project.env, { NODE_OPTIONS: `--require ${COUNTER}`, DEV_CLI_TEST_LOADED: notes });
  const former = runLinesBy(inShell);
  let at = '';
  const before = (action: Action) => {
    at = action.block;
    return undefined;
  };
  const onCall = ({ command }: { command: string }) => {
    for (const loaded of takeLoaded(notes)) note(name(command, at), loaded);
  };
  try {
    const agent = new StandIn({ project, scenario: { before }, onCall });
    const first = agent.start('--recipe specify-standard-interactive');
    for (const question of ['status --json', 'list --json', 'manifest']) agent.run(`dev-cli ${question}`);
    agent.drive(first);
    agent.drive(agent.execute());
  } finally {
    runLinesBy(former);
  }
});
afterAll(() => project.remove());

/** Names a call by its command, the options that matter, and the block that it acknowledges. */
function name(command: string, block: string): string {
  const [, words = ''] = /^dev-cli (step complete|[a-z]+(?: --json)?)/.exec(command) ?? [];
  const options = ['--execute', '--choice'].filter((option) => command.includes(option));
  return [words, ...(/^(step|approve)/.test(words) ? [block] : []), ...options].join(' ');
}

function note(call: string, { files, bytes, opened, processes, fsyncs }: Loaded): void {
  const found: Costs = [files.length, Math.ceil(bytes / 1000), opened, processes, fsyncs];
  const most = costs.get(call) ?? found;
  costs.set(call, found.map((cost, index) => Math.max(cost, most[index] ?? 0)) as Costs);
}

const findDearer = (found: ReadonlyMap<string, Costs>) =>
  [...found].filter(([call, these]) => these.some((cost, index) => cost > (BOUNDS[call]?.[index] ?? 0)));

describe('every call', () => {
  it('is listed, and takes no more than its bound', () => {
    expect(Object.fromEntries(findDearer(costs))).toEqual({});
    expect([...costs.keys()].toSorted()).toEqual(Object.keys(BOUNDS).toSorted());
  });

  it('is far from none of its bounds', () => {
    const slack = [...costs].filter(([call, these]) =>
      these.some((cost, index) => cost < 0.9 * (BOUNDS[call]?.[index] ?? 0) - 1),
    );
    expect(Object.fromEntries(slack), 'these have become cheaper: lower their bounds').toEqual({});
  });

  it.each([0, 1, 2, 3, 4])('is found where it takes more of a kind (%i)', (index) => {
    const [call, bound] = Object.entries(BOUNDS)[0] ?? ['', [0, 0, 0, 0, 0]];
    const more = bound.map((cost, at) => cost + (at === index ? 1 : 0)) as Costs;
    expect(findDearer(new Map([[call, more]]))).toHaveLength(1);
    expect(findDearer(new Map([['a new command', more]]))).toHaveLength(1);
  });
});
