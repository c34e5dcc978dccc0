import { instant } from '../../base/clock.js';
import { beginDraft } from '../../blocks/draft-begin.js';
import { readDraft } from '../../documents/draft.js';
import type { Job } from '../../jobs/job.js';
import type { Context } from '../../run/context.js';
import type { RunState } from '../../run/state.js';
import { record, type Turn } from '../../run/turn.js';
import { SCHEMA_VERSION } from '../../run/version.js';
import { recipeOfRun } from '../../run/workflow.js';
import type { Head } from '../../store/store.js';
import { baselineOf, type Present } from '../../work/git.js';
import { abortRun } from '../abort.js';
import type { Rare } from '../rare.js';
import { capturedOrNone, openTurn } from '../turns.js';
import { begin } from '../walk/advance.js';
import { freshFields, freshWorkflow } from '../walk/phases.js';
import { type Asked, passOver } from './needs.js';
import type { Prepared } from './prepare.js';

/** An id that no other run has (storage.md, Identity). */
export function newRunId(context: Context, at: string): string {
  return `${instant(Date.parse(at)).replace(/[-:]|\.\d+/g, '')}-${context.ids.hex(6)}`;
}

export function freshState(
  context: Context,
  head: Head<RunState>,
  name: string,
  prepared: Extract<Prepared, { kind: 'new' }>,
  tree: Present | null,
): RunState {
  const { captured } = prepared;
  const at = head.at;
  return {
    schemaVersion: SCHEMA_VERSION,
    runId: newRunId(context, at),
    name,
    status: 'live',
    outcome: null,
    ...freshFields(captured.recipe),
    mode: prepared.mode,
    goal: prepared.goal,
    vars: prepared.vars,
    earlierRun: head.snapshot?.runId ?? null,
    written: [],
    origin: null,
    workTree: context.workTree === context.root ? '.' : context.workTree,
    place: context.store.home(name),
    phase: 'agent',
    lastAction: head.snapshot?.lastAction ?? 0,
    acknowledged: {},
    gates: {},
    lastHuman: null,
    stops: {},
    reviewRounds: [],
    warnings: [],
    recovered: [],
    workflow: captured.workflow === undefined ? null : freshWorkflow(captured.workflow),
    // What an earlier run of the name has opened is still the pull request of this work.
    ...(head.snapshot?.pullRequest === undefined ? {} : { pullRequest: head.snapshot.pullRequest }),
    events: [],
    preferences: prepared.preferences,
    baseline: tree === null ? null : baselineOf(tree),
    cliVersion: context.cliVersion,
    recipeHash: captured.digest,
    createdAt: at,
    updatedAt: at,
    seq: head.seq,
  };
}

export function start(
  turn: Turn,
  context: Context,
  head: Head<RunState>,
  asked: Asked & { prepared: Extract<Prepared, { kind: 'new' }> },
  rare: Rare,
): Job[] {
  const { state } = turn;
  const abandoned = endEarlier(turn, context, head, rare);
  record(turn, 'init', {
    recipe: recipeOfRun(state),
    recipeHash: state.recipeHash,
    goal: state.goal,
    mode: state.mode,
    cliVersion: state.cliVersion,
  });
  turn.files.write('recipe.json', `${JSON.stringify(asked.prepared.captured)}\n`);
  const recipes = turn.captured.workflow?.phases.map(({ recipe }) => recipe) ?? [turn.captured.recipe];
  if (recipes.some(({ usesDraft }) => usesDraft)) openDraft(turn, head);
  passOver(turn, asked);
  begin(turn);
  return abandoned;
}

/** `--force`: the run that is there is aborted in the same commit. Gives the commands that it leaves at work. */
function endEarlier(turn: Turn, context: Context, head: Head<RunState>, rare: Rare): Job[] {
  const { snapshot } = head;
  if (snapshot === null || (snapshot.status !== 'live' && snapshot.status !== 'halted')) return [];
  const captured = capturedOrNone(head, rare.recompile);
  const earlier = openTurn(context, head, structuredClone(snapshot), captured, rare);
  const abandoned = abortRun(earlier, 'a new run was started with --force');
  turn.entries.push(...earlier.entries);
  for (const { path, content } of earlier.files.changes()) if (content !== null) turn.files.write(path, content);
  return abandoned;
}

/** A draft that somebody brought along is adopted; one of an earlier run makes room and is kept beside it. */
function openDraft(turn: Turn, head: Head<RunState>): void {
  const present = turn.files.text('DRAFT.md');
  if (present !== null && head.snapshot === null) readDraft(present);
  else if (present !== null) {
    const aside = `DRAFT.before-${turn.state.runId}.md`;
    turn.files.write(aside, present);
    turn.warnings.push(`DRAFT.md of the earlier run is now ${aside}`);
    turn.files.remove('DRAFT.md');
  }
  beginDraft(turn);
}
