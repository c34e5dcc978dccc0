import type { Answer } from '../../base/answer.js';
import { formatInstant } from '../../base/clock.js';
import { DevCliError } from '../../base/errors.js';
import type { DocumentReader } from '../../base/files.js';
import type { JsonObject } from '../../base/json.js';
import { requireName } from '../../base/name.js';
import type { CommandContext } from '../../blocks/commands/command-context.js';
import { generatePlan } from '../../blocks/commands/plan.js';
import { createCommandContext } from '../../blocks/own-command.js';
import { listCommands } from '../../plan/model/commands.js';
import { isEdited } from '../../plan/page/boxes.js';
import { READING_MS, readInWorker } from '../../protocol/foreign-reader.js';
import { isExecuting } from '../../protocol/plan/decide.js';
import type { InputIn } from '../../registry/spec.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { createDocumentOverlay } from '../../run/documents/pending.js';
import { getRunDirectory, PLAN, PLAN_CONTENT } from '../../run/paths.js';
import type { RunState } from '../../run/state.js';
import { transact } from '../../run/transact.js';
import { recordEntry } from '../../run/transaction.js';
import type { ImportEnding, ImportedPlan, ImportRequest, ImportSource } from './import-plan.js';
import { malformedSourceError, readImportSource } from './import-source.js';
import { nameInvented } from './invented.js';
import type { PLAN_IMPORT_SPECS } from './specs.js';

type Input = Omit<InputIn<typeof PLAN_IMPORT_SPECS, 'plan import'>, 'name'>;

/** If a source has no open task, the error names at most this many of its unticked lines. */
const REFUSED = 20;
/** Maximum number of tasks in a plan. */
const MAX_TASKS = 1_000;

/**
 * `plan import`: writes plan-content.json and PLAN.md from a plan that was written for another tool
 * (plans-from-elsewhere.md, plan import). Never replaces an existing plan, and approves nothing.
 * @param cwd absolute; `path` is relative to it
 * @throws DevCliError `PLAN_CONFLICT` if there is a plan; `DATA_MISSING`, `DATA_MALFORMED` for the source;
 * `SCHEMA_INVALID` for a plan that cannot be carried out
 */
export async function importPlanCommand(
  context: Context,
  given: string,
  { source: path, format, dryRun = false }: Input,
  cwd: string,
): Promise<Answer> {
  const name = requireName(given);
  const head = await context.store.read(name);
  const source = readImportSource({ files: head.files, root: context.root, cwd, path, format });
  const imported = await readPlan(context, { source, goal: head.snapshot?.goal ?? null }, path);
  requireTasks(imported, path);
  const text = `${JSON.stringify(imported.plan, null, 2)}\n`;
  const scene: CommandContext = {
    name,
    files: createDocumentOverlay(head.files),
    state: null,
    recipe: null,
    at: formatInstant(context.clock.now()),
    warnings: [...head.notices, ...(listCommands(imported.plan).length === 0 ? [UNASKED] : [])],
  };
  refuseExisting(name, head.files, head.snapshot, text);
  const made = { name, source, imported, warnings: scene.warnings };
  if (dryRun) {
    const done = write({ ...scene, state: head.snapshot === null ? null : copyState(head.snapshot) }, text);
    return buildAnswer({ ...made, status: 'judged', done, shown: scene.files.text(PLAN) ?? '' });
  }
  if (head.snapshot === null) {
    return context.store.place(name, (files) => {
      const again = refuseExisting(name, files, null, text);
      const placing = { ...scene, files: createDocumentOverlay(files) };
      const done = write(placing, text);
      return {
        answer: buildAnswer({ ...made, status: again ? 'unchanged' : 'imported', done }),
        files: placing.files.changes(),
      };
    });
  }
  return transact(context, name, (tx) => {
    const again = refuseExisting(name, tx.files, tx.state, text);
    const done = write(createCommandContext(tx), text);
    const paths = [PLAN_CONTENT, PLAN].map((file) => `${getRunDirectory(name)}/${file}`);
    if (!again) recordEntry(tx, 'document', { command: 'plan import', paths, summary: done.summary });
    const warnings = [...scene.warnings, ...tx.warnings];
    return buildAnswer({ ...made, warnings, status: again ? 'unchanged' : 'imported', done });
  });
}

/** A warning for the person who starts a plan without commands (engine.md, Approvals). */
const UNASKED = `The plan has no command that checks its work, so its execution begins without asking anyone. Read ${PLAN} first.`;

/**
 * @throws DevCliError `INTERRUPTED`; `DATA_MALFORMED` for a source that is nested too deeply, or takes too long to read
 */
async function readPlan(context: Context, request: ImportRequest, path: string): Promise<ImportedPlan> {
  const ending = await readInWorker<ImportEnding>(context, { kind: 'plan', given: request });
  if (ending === null) throw malformedSourceError(path, `takes more than ${READING_MS / 1000} seconds to read`);
  if (ending.kind === 'too deep') throw malformedSourceError(ending.at, 'lies more than 20 levels deep');
  return ending.plan;
}

function write(scene: CommandContext, text: string): { report: JsonObject; summary: string } {
  return generatePlan(scene, { data: { source: 'inline', text } });
}

/** @throws DevCliError `DATA_MISSING`, `DATA_MALFORMED` */
function requireTasks({ open: left, tasks, done, unticked }: ImportedPlan, path: string): void {
  if (tasks === 0) {
    throw new DevCliError('DATA_MISSING', `${JSON.stringify(path)} contains no tasks.`, {
      details: [{ target: path, problem: 'no list that looks like tasks' }],
      fix: 'Write the tasks as a list, one entry each, or name the format with --format.',
    });
  }
  if (left === 0) {
    const isTicked = unticked.length === 0;
    const said = isTicked
      ? 'Every task is ticked: nothing is left to do.'
      : `No task is open; ${done.length} of ${tasks} are ticked.`;
    throw new DevCliError('DATA_MISSING', said, {
      details: [
        { target: path, problem: isTicked ? 'every box is ticked' : 'no task has an open box' },
        ...unticked.slice(0, REFUSED).map(({ at, what }) => ({ target: at, problem: `not ticked: ${what}` })),
      ],
      fix: 'Untick what is still to be done, then repeat the command.',
    });
  }
  if (left <= MAX_TASKS) return;
  throw new DevCliError('DATA_MALFORMED', `${left} tasks are too many for a plan: at most ${MAX_TASKS} are allowed.`, {
    details: [{ target: path, problem: `${left} tasks, at most ${MAX_TASKS}` }],
    fix: 'Split the source, and import each part under a name of its own.',
  });
}

/**
 * Refuses to replace another plan of the same name, or a plan that is being carried out. Importing the same plan again
 * is allowed.
 * @returns whether the same plan is already there
 */
function refuseExisting(
  name: string,
  files: Pick<DocumentReader, 'read' | 'facts'>,
  state: RunState | null,
  text: string,
): boolean {
  const there = [PLAN_CONTENT, PLAN].filter((path) => files.facts(path).kind !== 'missing');
  const isMoving = state !== null && isExecuting(state);
  if (there.length === 0 && !isMoving) return false;
  const shownPlan = files.read(PLAN);
  const isEditedByHand = shownPlan !== null && isEdited(shownPlan.toString('utf8'));
  if (!isMoving && !isEditedByHand && files.read(PLAN_CONTENT)?.toString('utf8') === text) return true;
  const shown = there.map((path) => `${getRunDirectory(name)}/${path}`);
  throw new DevCliError(
    'PLAN_CONFLICT',
    isMoving
      ? `"${name}" is carrying out a plan.`
      : `"${name}" already has a plan, and an import does not replace a plan.`,
    {
      run: name,
      details: shown.map((target) => ({ target, problem: 'already exists' })),
      fix: isMoving
        ? [`Change ${PLAN} or ${PLAN_CONTENT} by hand, then: `, { command: 'plan apply', input: { name } }]
        : `Import under another name, or move ${shown.join(' and ')} out of the way.`,
    },
  );
}

interface Made {
  name: string;
  status: 'imported' | 'unchanged' | 'judged';
  source: ImportSource;
  imported: ImportedPlan;
  done: { report: JsonObject; summary: string };
  warnings: readonly string[];
  /** The text of PLAN.md in a dry run. */
  shown?: string;
}

/** Maximum entries per list in the JSON answer. A dry run shows all of them. */
const LISTED = 50;
/** Maximum entries per list in the text answer. */
const TOLD = 8;

function buildAnswer({ name, status, source, imported, done, warnings, shown }: Made): Answer {
  const { invented, unplaced, plan } = imported;
  const [listed, told] = shown === undefined ? [LISTED, TOLD] : [Infinity, Infinity];
  const json = {
    ok: true,
    run: name,
    status,
    format: source.format,
    sources: source.files.map(({ path }) => path).slice(0, listed),
    ...done.report,
    invented: invented.map((entry) => ({ ...entry, ...(entry.todos && { todos: entry.todos.slice(0, listed) }) })),
    ...list('unplaced', unplaced, listed),
    ...list('done', imported.done, listed),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(shown === undefined ? {} : { plan: plan as unknown as JsonObject }),
  };
  return {
    exit: 0,
    json,
    text: (format) =>
      [
        ...(shown === undefined ? [] : [shown]),
        `${status} from ${source.format}: ${done.summary}`,
        ...tell('Not in the source:', nameInvented(invented), told),
        ...tell(
          'Done in the source, left out:',
          imported.done.map(({ at, what }) => `${at}: ${what}`),
          told,
        ),
        ...tell(
          'Without a place in the plan:',
          unplaced.map(({ at, what, why }) => `${at}: ${what} (${why})`),
          told,
        ),
        ...warnings.map((line) => `! ${line}`),
        ...(status === 'judged'
          ? ['Nothing was written.']
          : [
              `Read ${getRunDirectory(name)}/${PLAN}, then: ${format({ command: 'init', input: { name, execute: true } })}`,
            ]),
      ].join('\n'),
  };
}

function list(key: string, all: readonly object[], listed: number): JsonObject {
  const more = all.length - listed;
  return { [key]: all.slice(0, listed).map((entry) => ({ ...entry })), ...(more > 0 ? { [`${key}More`]: more } : {}) };
}

function tell(heading: string, all: readonly string[], told: number): string[] {
  if (all.length === 0) return [];
  const more = all.length - told;
  return [heading, ...all.slice(0, told).map((line) => `- ${line}`), ...(more > 0 ? [`- and ${more} more`] : [])];
}
