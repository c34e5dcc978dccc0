import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { type KnownPlan, readPlanOnDisk, withTodos } from '../../blocks/plan-on-disk.js';
import { comparePlans } from '../../plan/changes/compare.js';
import { renderPlanChanges } from '../../plan/changes/render.js';
import type { PlanContent } from '../../plan/model/schema.js';
import type { InputOf } from '../../registry/catalogue.js';
import type { HistoryContext } from '../../run/context.js';
import { toDocuments } from '../../run/documents/pending.js';
import { CAPTURED_PLAN, PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { parsePlan, readPlan } from '../../run/plan/content.js';
import type { RunState } from '../../run/state.js';
import type { StreamState } from '../../store/store.js';
import { findRun } from '../find/find-run.js';
import { readCheckpoint } from '../questions/checkpoint.js';
import { readKnownPlan } from './documents.js';

type Input = Omit<InputOf<'plan diff'>, 'name'>;

/** An earlier plan and its description. */
interface Earlier {
  plan: PlanContent;
  /** A noun phrase for the plan, used in messages. */
  what: string;
}

/**
 * `plan diff`: shows how the plan in its files differs from the plan being carried out, the plan of a planning round,
 * or the plan after an entry of the journal (living-plan.md, plan apply).
 * @param given the run's name, if any
 * @throws DevCliError `UNKNOWN_ENTRY` for a round or an entry that has no plan; any error of `readPlanOnDisk`
 */
export async function diffPlans(context: HistoryContext, given: unknown, input: Input): Promise<Answer> {
  const { round, run: seq } = input;
  const name = await findRun(context, given, false, (ended) => ({
    command: 'plan diff',
    input: { name: ended, ...input },
  }));
  const head = await context.store.read(name);
  const known = readKnownPlan(context, head, name);
  const files = toDocuments(head.files);
  const disk = readPlanOnDisk(files, known);
  const earlier = await findEarlier(context, head, known, { name, round, seq });
  // Earlier plans lack the todos that an execution added, so these count only in a comparison with the present plan.
  const isRunning = round === undefined && seq === undefined;
  const before = earlier ?? { plan: readPlan(files) ?? disk.plan, what: PLAN_CONTENT };
  const [one, other] = isRunning
    ? [withTodos(before.plan, known.added), withTodos(disk.plan, disk.added)]
    : [before.plan, disk.plan];
  const changes = comparePlans(one, other);
  const source = disk.source ?? PLAN_CONTENT;
  return {
    exit: 0,
    json: { ok: true, run: name, from: before.what, to: source, changes: changes.map((change) => ({ ...change })) },
    text: () =>
      changes.length === 0
        ? renderSame(disk.source, earlier)
        : `${before.what} → ${source}\n\n${renderPlanChanges(changes, { whole: true }).trimEnd()}`,
  };
}

/** Renders that nothing differs, or that there is no plan to compare with: a name without a run has no journal. */
function renderSame(source: string | null, earlier: Earlier | null): string {
  if (earlier !== null) return `${source ?? PLAN_CONTENT} is the same as ${earlier.what}.`;
  return source === null
    ? `${PLAN} and ${PLAN_CONTENT} agree.`
    : `${source} was changed; its earlier version was not kept.`;
}

async function findEarlier(
  context: HistoryContext,
  head: StreamState<RunState>,
  known: KnownPlan,
  { name, round, seq }: { name: string; round: number | undefined; seq: number | undefined },
): Promise<Earlier | null> {
  if (seq !== undefined) return readAt(context, name, seq);
  if (round === undefined && known.plan !== null) return { plan: known.plan, what: 'the plan being executed' };
  const rounds = listRounds(head);
  const at = round ?? rounds.length;
  const digest = rounds[at - 1];
  const plan = digest === undefined ? null : parsePlan(head.past.contents([digest]).get(digest)?.toString());
  if (plan !== null) return { plan, what: round === undefined ? 'the plan in the journal' : `the plan of round ${at}` };
  if (round === undefined) return null;
  throw new DevCliError(
    'UNKNOWN_ENTRY',
    `The journal of "${name}" has no plan of round ${round}: it has ${rounds.length}.`,
    {
      run: name,
      fix: { command: 'history', input: { name, all: true } },
    },
  );
}

/** Lists the digests of plan-content.json in the journal, one for each change: each planning round writes the file. */
export function listRounds({ past }: StreamState<RunState>): string[] {
  const found: string[] = [];
  past.scan(({ files }) => {
    const after = files.find(({ path }) => path === PLAN_CONTENT)?.after;
    if (after != null && after !== found.at(-1)) found.push(after);
  });
  return found;
}

/** Reads the plan after an entry of the journal; in an execution, the plan that was being carried out. */
async function readAt(context: HistoryContext, name: string, seq: number): Promise<Earlier> {
  const { documents, snapshot } = await readCheckpoint(context, name, seq);
  const path = snapshot.engine === null ? PLAN_CONTENT : CAPTURED_PLAN;
  const digest = documents.get(path);
  const contents = await context.store.contents(name, digest === undefined ? [] : [digest]);
  const plan = parsePlan(digest === undefined ? undefined : contents.get(digest)?.toString());
  if (plan !== null) return { plan, what: `the plan after entry ${seq}` };
  throw new DevCliError('UNKNOWN_ENTRY', `After entry ${seq} "${name}" had no plan.`, {
    run: name,
    fix: { command: 'history', input: { name, all: true } },
  });
}
