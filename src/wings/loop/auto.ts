import type { Answer } from '../../base/answer.js';
import { formatInstant } from '../../base/clock.js';
import type { ExitCode } from '../../base/error-codes.js';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import type { HandlersOf } from '../../protocol/ports.js';
import { createNotifier } from '../../protocol/questions/notifier.js';
import type { Context } from '../../run/context.js';
import { openLoopBackend } from './backend.js';
import { type BatchEnd, runBatch } from './batch.js';
import { renewSteps } from './begin.js';
import { buildEvent, nameBatch } from './core/events.js';
import { findOther } from './core/leases.js';
import { chooseGoals } from './core/order.js';
import { finishSpike } from './decisions/finish.js';
import { findUndecided } from './decisions/ticket.js';
import type { BatchOrder } from './drive.js';
import { readLoopFiles } from './files.js';
import type { LoopGoal } from './goals.js';
import { finishAnswers } from './inbox/answers.js';
import { describeOpenItems } from './inbox/items.js';
import { createQueue, flushEvents } from './log.js';
import { writeOwedStatuses } from './owed.js';
import { type AttemptSite, isSession, type LoopCall, type LoopPorts } from './site.js';
import type { LOOP_SPECS } from './specs.js';
import { findTool, holdBatch, openSite, requireRecipes, type Start } from './start.js';
import type { Batch } from './state-schema.js';
import { findNewestGoal } from './steps/handoffs.js';
import { previewPrompt } from './steps/session.js';
import { removeStray } from './stray.js';
import { LOOP } from './streams.js';
import { computeConfigDigest, listConfigCommands } from './trust.js';

/** Maximum parallel attempts; in a fleet, the workers' slots may allow fewer. */
const MOST = 32;

type Handlers = HandlersOf<typeof LOOP_SPECS>;
type Input = Parameters<Handlers['auto']>[1];

/**
 * `auto` (loop-core.md, auto).
 * @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `GOAL_REFUSED`, `LOCKED`, `TREE_DIRTY`, `TOOL_MISSING`,
 * `CONFIG_UNTRUSTED`, `NEEDS_MISSING`, `IDENTITY_MISSING`, and any code with which a goal's recipe is refused
 */
export async function runAuto(ports: LoopPorts, context: Context, input: Input, call: LoopCall): Promise<Answer> {
  const files = readLoopFiles(context);
  const newest = findNewestGoal(context);
  const goals = chooseGoals(files.goals, { named: input.goal, recursive: input.recursive === true, newest });
  const parallel = input.parallel ?? (input.fleet === true ? MOST : 1);
  if (parallel < 1 || parallel > MOST) {
    throw new DevCliError('USAGE', '--parallel takes a number from 1 to 32.', {
      fix: 'Leave it out to run one attempt at a time.',
    });
  }
  requireFleet(files, input);
  const start: Start = { ...input, files, goals };
  if (input.dryRun || input.dryRunFull) return showPlan(ports, context, start, call, input.dryRunFull === true);
  return runLockedBatch(ports, context, { ...start, parallel, explain: input.explain === true }, call);
}

/** Requires `--fleet` if and only if the project has a fleet. @throws DevCliError `USAGE` */
function requireFleet({ config }: Start['files'], { fleet: isAsked, dryRun, dryRunFull }: Input): void {
  if (dryRun || dryRunFull || (isAsked === true) === (config.fleet !== null)) return;
  throw isAsked
    ? new DevCliError('USAGE', 'This project has no fleet.', { fix: 'Add `fleet` to .ai/config.yaml: docs/fleet.md.' })
    : new DevCliError('USAGE', 'The goals of this project are worked on by a fleet.', {
        fix: ['Have its workers do it: ', { command: 'auto', input: { fleet: true } }, '.'],
      });
}

/** A request to run a batch. */
export interface BatchRequest extends Start {
  parallel: number;
  explain: boolean;
  /** Called under the lock, before anything else. */
  prepare?: (site: AttemptSite) => Promise<void>;
}

/** Takes the lock, runs the batch, and reports the result. @throws DevCliError as `runAuto` */
export async function runLockedBatch(
  ports: LoopPorts,
  context: Context,
  given: BatchRequest,
  call: LoopCall,
): Promise<Answer> {
  const { files, goals, parallel } = given;
  if (isSession(context, call.env))
    throw new DevCliError('TERMINAL_REQUIRED', 'A session of the loop may not start others.', {
      fix: 'A person can do it.',
    });
  files.warnings.forEach(call.tell);
  const site = await openSite(ports, context, given, call);
  const held = await holdBatch(site);
  const notifier = createNotifier(context);
  try {
    await given.prepare?.(site);
    await finishAnswers({ ...site, isHere: true });
    await finishSpike(site);
    await writeOwedStatuses(site);
    await removeStray(site);
    await renewSteps(site);
    const batch = await beginBatch(site, held.branch, held.base, goals);
    const order: BatchOrder = {
      ...{ site, parallel, explain: given.explain, goals: files.goals },
      readGoals: () => readLoopFiles(context).goals,
      tell: call.tell,
      notify: (message) => notifier.tell(toBoundedLine(message, 300), { DEV_CLI_EVENT: 'goal-waits' }),
    };
    const ended = await runBatch(order);
    const end = await endBatch(site, batch, ended);
    notifier.tell(toBoundedLine(summarize(end), 300), { DEV_CLI_EVENT: 'batch-ended' });
    await notifier.finish();
    return render(end, context.signal.aborted, await describeOpenItems(ports, site));
  } finally {
    await held.release();
  }
}

function beginBatch(
  { streams, context }: AttemptSite,
  branch: string,
  base: string,
  goals: readonly LoopGoal[],
): Promise<Batch> {
  const { clock, ids } = context;
  return streams.transact(LOOP, (state, at) => {
    const batch: Batch = {
      ...{ runId: nameBatch(clock.now(), ids.hex(4)), startedAt: at, endedAt: null, branch, base },
      ...{ goals: goals.map(({ id }) => id), sessions: 0, failures: 0, toolErrors: 0, pausedUntil: null },
      ...{ costUsd: 0, outcomes: {} },
    };
    const payload = { run_id: batch.runId, branch, base, goals: [...batch.goals] };
    const event = buildEvent('batch_started', { key: batch.runId, at, payload });
    return {
      answer: batch,
      state: { ...state, batch, unsent: [...state.unsent, event] },
      entry: { type: 'batch-started', data: { runId: batch.runId } },
    };
  });
}

async function endBatch(site: AttemptSite, { runId }: Batch, ended: BatchEnd): Promise<BatchEnd> {
  const batch = await site.streams.transact(LOOP, (state, at) => {
    const now = { ...(state.batch ?? ended.batch), endedAt: at };
    const payload = {
      ...{ run_id: runId, cost_usd: now.costUsd, sessions: now.sessions },
      done: Object.keys(now.outcomes).filter((id) => now.outcomes[id]?.success),
      not_run: ended.notRun.map((one) => ({ ...one })),
    };
    const event = buildEvent('batch_ended', { key: runId, at, payload });
    return {
      answer: now,
      state: { ...state, batch: now, unsent: [...state.unsent, event] },
      entry: { type: 'batch-ended', data: { runId } },
    };
  });
  await flushEvents(site, createQueue());
  return { ...ended, batch };
}

/** Builds the answer: exit 0 if every goal is done without an error, 130 if a signal interrupted the batch, else 1. */
function render(end: BatchEnd, interrupted: boolean, open: string): Answer {
  const { batch, notRun, parked, errors } = end;
  const outcomes = Object.entries(batch.outcomes);
  const isDone = batch.goals.every((id) => batch.outcomes[id]?.success === true);
  const exit: ExitCode = interrupted ? 130 : isDone && errors.length === 0 ? 0 : 1;
  const json = {
    ok: exit === 0,
    ...{ exit_code: exit, run_id: batch.runId },
    goals_processed: outcomes.map(([id, { success, classification, action, attempts, ref, reason }]) => ({
      ...{ id, success, classification, action_taken: action, attempts, ref },
      ...(success ? {} : { reason }),
    })),
    not_run: notRun,
    ...{ parked, changed_files: [...new Set(outcomes.flatMap(([, one]) => (one.success ? one.changed : [])))].sort() },
    ...{ errors, cost_usd: batch.costUsd },
  };
  return { exit, json, text: () => [renderText(end), ...(open === '' ? [] : [open])].join('\n') };
}

function renderText(end: BatchEnd): string {
  const { batch, notRun, parked, errors } = end;
  const lines = Object.entries(batch.outcomes).map(
    ([id, { success, classification, action, reason, ref, attempts }]) => {
      const kept = ref === null || success ? '' : `\n    dev-cli attempt show ${id}#${attempts}`;
      const asked = action === 'park' ? parked.find(({ goal, run }) => goal === id && run !== null) : undefined;
      if (asked !== undefined) return `  waits    ${id}: ${toBoundedLine(reason, 300)}\n    ${asked.answer}`;
      return success
        ? `  done     ${id}`
        : `  ${action.padEnd(8)} ${id}: ${classification}: ${toBoundedLine(reason, 300)}${kept}`;
    },
  );
  const rest = notRun.map(({ id, reason }) => `  not run  ${id}: ${reason}`);
  return [summarize(end), ...lines, ...rest, ...errors.map((one) => `  error    ${one}`)].join('\n');
}

function summarize({ batch, notRun, parked }: BatchEnd): string {
  const outcomes = Object.values(batch.outcomes);
  const done = outcomes.filter(({ success }) => success).length;
  const cost = batch.costUsd > 0 ? `, ${batch.costUsd.toFixed(2)} USD` : '';
  const others = [
    ...(parked.length === 0 ? [] : [`${parked.length} waiting for you`]),
    ...(notRun.length === 0 ? [] : [`${notRun.length} not run`]),
  ];
  const all = new Set([...batch.goals, ...Object.keys(batch.outcomes)]);
  return `${done} of ${all.size} goals done on ${batch.branch}${others.map((one) => `, ${one}`).join('')}${cost}.`;
}

/** Shows what a batch would do, for `--dry-run`; takes no lock, starts nothing, and writes nothing. */
async function showPlan(
  ports: LoopPorts,
  context: Context,
  start: Start,
  call: LoopCall,
  full: boolean,
): Promise<Answer> {
  const { files, goals } = start;
  const trust = { digest: computeConfigDigest(context, files), commands: listConfigCommands(files) };
  requireRecipes(context, goals);
  const { streams } = await openLoopBackend(ports, context, call);
  const { leases } = await streams.read(LOOP);
  const at = formatInstant(context.clock.now());
  const rows = goals.map((goal) => {
    const waits = findUndecided(context, goal) ?? findOther(leases, goal.id, at);
    return {
      ...{ id: goal.id, title: goal.title, tool: findTool(files, start.tool, goal) },
      ...(goal.recipe === null ? {} : { recipe: goal.recipe }),
      ...(waits === null ? {} : { waits }),
    };
  });
  const prompts: { id: string; prompt: string }[] = [];
  if (full) {
    const tellContext = (goal: string) => ports.tellContext(context, call, goal);
    const site = { context, streams, config: files.config, tellContext, top: context.root, git: {} };
    for (const goal of goals)
      prompts.push({ id: goal.id, prompt: await previewPrompt(site, goal, findTool(files, start.tool, goal)) });
  }
  return {
    exit: 0,
    json: { ok: true, goals: rows, trust, ...(full ? { prompts } : {}), warnings: files.warnings },
    text: () =>
      [
        rows.length === 0 ? 'No goal is active.' : 'In this order:',
        ...rows.map(
          ({ id, title, tool, recipe, waits }, index) =>
            `  ${index + 1}. ${id}: ${toBoundedLine(title, 120)}   (${recipe === undefined ? '' : `${recipe}; `}${toBoundedLine(tool, 80)})${waits === undefined ? '' : `\n     not now: ${waits}`}`,
        ),
        `Commands, to be trusted as ${trust.digest}:`,
        ...trust.commands.map((line) => `  ${toBoundedLine(line, 300)}`),
        ...files.warnings,
        ...prompts.map(({ id, prompt }) => `\n--- prompt of ${id} ---\n${prompt}`),
      ].join('\n'),
  };
}
