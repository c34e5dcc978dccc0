import { DevCliError } from '../../base/errors.js';
import type { Instruction, Invocation } from '../../base/invocation.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { ReadContext } from '../../run/context.js';
import type { RunHead, RunState } from '../../run/state.js';

/** Reads runs for memory, each time anew: memory never stores them (memory.md, Entries). */

/** A run that is not completed. */
interface RunNews {
  name: string;
  recipe: string;
  state: string;
  where: string;
  updated: string;
  goal: string | null;
  /** The id of the goal that the run was begun for, if any. */
  goal_id?: string;
  /** The text of the manifest's sections. */
  decisions?: string;
  failed?: string;
}

/** Something that waits for a person. */
export interface Waiting {
  kind: 'gate' | 'halted' | 'blocked';
  run?: string;
  summary: string;
  since: string;
  /** How a person answers it. */
  answer?: Invocation | Instruction;
}

/** A report on a root's runs. */
export interface RunsReport {
  runs: RunNews[];
  waiting: Waiting[];
  warnings: string[];
}

/** Maximum number of runs shown. */
const SHOWN = 3;
const LONGEST = 400;

/** Reads the newest runs that are not completed, newest first, and everything in any run that waits for a person. */
export async function readRuns(context: ReadContext): Promise<RunsReport> {
  const { open, warnings } = await readOpen(context);
  return {
    runs: await Promise.all(open.slice(0, SHOWN).map((head) => tellRun(context, head))),
    waiting: open.flatMap(({ snapshot }) => findWaiting(snapshot)),
    warnings,
  };
}

/** Lists what waits for a person in any run, with the run, action and goal that distinguish the items. */
export async function listWaiting(
  context: ReadContext,
): Promise<(Waiting & { run: string; action: string; goal: string | null })[]> {
  const { open } = await readOpen(context);
  return open.flatMap(({ snapshot }) => {
    const { name: run, origin, pendingAction } = snapshot;
    const action = pendingAction === null || pendingAction.action === 'done' ? 'halted' : pendingAction.actionId;
    const goal = origin?.kind === 'goal' ? origin.id : null;
    return findWaiting(snapshot).map((one) => ({ ...one, run, action, goal }));
  });
}

async function readOpen(context: ReadContext) {
  const open: (RunHead & { snapshot: RunState })[] = [];
  const warnings: string[] = [];
  for (const name of await context.store.streams()) {
    try {
      const head = await context.store.read(name);
      const { snapshot } = head;
      if (snapshot !== null && snapshot.status !== 'completed') open.push({ ...head, snapshot });
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      warnings.push(`The run ${name} is left out (${error.code}): dev-cli status ${name} says more.`);
    }
  }
  open.sort(({ snapshot: a }, { snapshot: b }) => compare(b.updatedAt, a.updatedAt) || compare(a.name, b.name));
  return { open, warnings };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Describes a run. The code that renders runs is large, so it is loaded only here. */
async function tellRun(context: ReadContext, head: RunHead & { snapshot: RunState }): Promise<RunNews> {
  const [{ buildRow }, { createRunView }, { MANIFEST_SECTIONS }, { renderSections }] = await Promise.all([
    import('../../views/list.js'),
    import('../../protocol/questions/run-view.js'),
    import('../../views/manifest-sections.js'),
    import('../../views/run-view.js'),
  ]);
  const { skill: _, waitsFor: __, ...row } = buildRow(head.snapshot);
  const told = MANIFEST_SECTIONS.filter(({ id }) => id === 'decisions' || id === 'failed');
  const sections = renderSections(createRunView(context, head), 'manifest', told);
  const { goal, origin } = head.snapshot;
  return {
    ...row,
    goal: goal === null ? null : toBoundedLine(goal, LONGEST),
    ...(origin?.kind === 'goal' && { goal_id: origin.id }),
    ...Object.fromEntries(sections.map(({ id, text }) => [id, text])),
  };
}

function findWaiting({ name: run, status, pendingAction: action, updatedAt }: RunState): Waiting[] {
  if (status === 'live' && action?.action === 'wait-for-user') {
    const { message, issuedAt: since } = action;
    const { answer = { command: 'approve', input: { name: run } } } = action;
    return [{ kind: 'gate', run, summary: toBoundedLine(message, LONGEST), since, answer }];
  }
  if (status !== 'halted' || action?.action !== 'done') return [];
  const { summary, resume: answer } = action;
  return [
    { kind: 'halted', run, summary: toBoundedLine(summary, LONGEST), since: updatedAt, ...(answer && { answer }) },
  ];
}
