import type { Decision, DecisionSection, Look } from '../../base/decision.js';
import { omitUndefined } from '../../base/defined.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { describeReview, renderPlanFacts } from '../../blocks/plan-question.js';
import { listCommandFailuresAt } from '../../blocks/red.js';
import { listLastLines } from '../../documents/command-words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { revealInvisible } from '../../documents/plan-text.js';
import { listProposedCommands } from '../../engine/act/gates/apply-gate.js';
import { findCurrentGate } from '../../engine/act/gates/gates.js';
import { readWholePlan } from '../../engine/act/plan/plan.js';
import { readReviewNotes } from '../../engine/act/prompts/review-notes.js';
import { listEvidence } from '../../engine/act/todo-rows.js';
import { APPLY_PLAN } from '../../machine/engine-program.js';
import { comparePlans } from '../../plan/changes/compare.js';
import { renderPlanChanges } from '../../plan/changes/render.js';
import { checkPlan } from '../../plan/check/check.js';
import { listCommands, renderPlannedCommand } from '../../plan/model/commands.js';
import type { PlanContent } from '../../plan/model/schema.js';
import { readPlanExtras } from '../../plan/page/setting.js';
import { isPlanGate } from '../../recipe/declared.js';
import type { GateAction } from '../../run/action.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { displayPath, PLAN, parseDisplayPath } from '../../run/paths.js';
import { readPlan } from '../../run/plan/content.js';
import type { RunHead } from '../../run/state.js';
import { getBlock, openTransaction, type Transaction } from '../../run/transaction.js';
import { COMMANDS_HEADING, listPlanSections } from '../../views/gate.js';
import { listEdits, listOpenChoices, type OpenGate } from './plan-at-gate.js';

/**
 * Builds the decision for a person at the terminal: the gate's message; for a plan, its summary sections and every
 * command in full; and the keys that show more before deciding (protocol.md, A person's word).
 * @throws DevCliError `STATE_CORRUPT`
 */
export async function buildGateDecision(context: Context, gate: OpenGate): Promise<Decision> {
  const { head, action } = gate;
  const tx = openTransaction(context, head, copyState(head.snapshot), readCapturedRecipe(head));
  return {
    title: `${action.run} waits for you`,
    sections: listSections(tx, head, action, gate),
    answers: listOpenChoices(tx, gate).map(({ id, label, reason }) => ({ id, label, ...omitUndefined({ reason }) })),
    looks: listLooks(tx, action),
  };
}

function listSections(
  tx: Transaction,
  head: RunHead,
  action: GateAction,
  { asked, faults }: Pick<OpenGate, 'asked' | 'faults'>,
): DecisionSection[] {
  const block = getBlock(tx, action.block);
  const ask = (message: string) => ({ heading: 'Question', lines: splitLines(message) });
  if (block.kind === 'engine') {
    const gate = findCurrentGate(tx);
    if (gate?.stage === APPLY_PLAN) {
      const commands = listProposedCommands(tx);
      const run = commands.length === 0 ? [] : [{ heading: COMMANDS_HEADING, lines: commands }];
      return [ask(action.message), ...faults, ...run];
    }
    const runs = readWholePlan(tx);
    const sections = gate?.todo === null ? listPlanSections(runs) : [];
    // The message lists commands for the agent; here the sections below list them in full.
    const below = new Set(listCommands(runs).map((command) => `- ${renderPlannedCommand(command)}`));
    const question = ask(action.message);
    const lines = question.lines.filter((line) => sections.length === 0 || !below.has(line));
    return [{ ...question, lines }, ...faults, ...listEdits(asked, runs), ...sections];
  }
  const plan = isPlanGate(block) ? readPlan(tx.files) : null;
  const red = listCommandFailuresAt(tx, action.block).map((one) => renderRed(tx, one));
  if (plan === null) return [ask(action.message), ...red, ...faults, ...listArtifact(tx, head, action)];
  const facts = renderPlanFacts(tx);
  // The message summarizes the plan for the agent; here the sections below show it in full.
  const message =
    facts !== '' && action.message.endsWith(facts) ? action.message.slice(0, -facts.length) : action.message;
  const answered = listChanges(head, action.block, plan);
  const changes = answered.length > 0 ? answered : listEdits(asked, plan);
  return [ask(message), ...red, ...faults, ...changes, ...listReview(tx), ...listPlanSections(plan)];
}

/**
 * How many lines at the end of a failed command's log are shown, and how many characters of each at most; a key shows
 * the whole log.
 */
const RED_LINES = 8;
const RED_LINE_CAP = 300;
/** How many characters at the end of the log are searched for these lines. */
const RED_END = 20_000;

/** Renders a failed command: how it ended, its last output, and the path of its log. */
function renderRed(tx: Transaction, { id, red }: ReturnType<typeof listCommandFailuresAt>[number]): DecisionSection {
  const output = red.log === undefined ? '' : (tx.files.text(red.log) ?? '').slice(-RED_END);
  const said = listLastLines(output, RED_LINES).map((line) => `  ${toBoundedLine(line, RED_LINE_CAP)}`);
  const log = red.log === undefined ? [] : [`log: ${displayPath(tx.place, tx.state.name, red.log)}`];
  const heading = `${red.exit === null ? 'Without a result' : 'Red'}: ${id}`;
  return { heading, lines: [toBoundedLine(red.outcome, RED_LINE_CAP), ...said, ...log] };
}

/** Lists the changes to the plan since this gate was last answered in this run; empty if it never was. */
function listChanges({ past }: RunHead, block: string, plan: PlanContent): DecisionSection[] {
  let answered: string | undefined;
  past.scan(({ type, data }) => {
    if (type === 'init') answered = undefined;
    else if (type === 'acknowledged' && isRecord(data) && data['block'] === block && typeof data['plan'] === 'string')
      answered = data['plan'];
  });
  const content = answered === undefined ? undefined : past.contents([answered]).get(answered);
  const before = content === undefined ? null : checkPlan(parseOrNull(content.toString('utf8')));
  if (before?.ok !== true) return [];
  const changes = comparePlans(before.plan, plan);
  const lines = changes.length === 0 ? ['Nothing.'] : splitLines(renderPlanChanges(changes, { whole: true }));
  return [{ heading: 'What changed since you last answered', lines }];
}

function splitLines(message: string): string[] {
  return message.split('\n').filter((line) => line.trim() !== '');
}

/**
 * Lists the keys that show more: the document that the gate is about, the plan's review, and the log of the todo's last
 * command.
 */
function listLooks(tx: Transaction, action: GateAction): Look[] {
  const log = findLog(tx, action);
  return [
    ...listArtifactLooks(tx, action),
    ...(isPlanGate(getBlock(tx, action.block)) ? listReviewLooks(tx) : []),
    ...(log === null ? [] : [{ key: 'l', word: 'log', label: 'the last log', look: async () => log }]),
  ];
}

/** Returns the output of the last command of a gate's todo, or of the last failed command; null if there is none. */
function findLog(tx: Transaction, { todoId, block }: GateAction): string | null {
  const { engine } = tx.state;
  const last =
    engine !== null && todoId !== undefined
      ? listEvidence(engine, todoId).at(-1)
      : listCommandFailuresAt(tx, block).at(-1)?.red;
  const output = last?.log === undefined ? null : tx.files.text(last.log);
  return last === undefined || output === null ? null : `${last.outcome}\n\n${output}`;
}

/** How many lines of a gate's document are shown, and how many characters of each at most; a key shows all of it. */
const LINES = 40;
const LINE_CAP = 400;

/**
 * Renders the document that a gate is about, since an approval covers exactly this document, and says if it is
 * unchanged since the last answer. Returns nothing if the document is the plan, or if there is none.
 */
function listArtifact(tx: Transaction, head: RunHead, action: GateAction): DecisionSection[] {
  const { artifact } = action;
  if (artifact === undefined || isPlan(tx, action)) return [];
  const text = readArtifact(tx, action);
  const since = findAnsweredDigest(head, action.block);
  const isSame = since !== undefined && since === artifact.digest;
  return [
    ...(isSame ? [{ heading: 'What changed since you last answered', lines: ['Nothing.'] }] : []),
    { heading: artifact.path, lines: text === null ? ['The file is missing, or is not text.'] : listHead(text) },
  ];
}

/** Returns the key that shows the whole document that a gate is about: the plan, or another. */
function listArtifactLooks(tx: Transaction, action: GateAction): Look[] {
  const text = readArtifact(tx, action);
  if (text === null || action.artifact === undefined) return [];
  return isPlan(tx, action)
    ? [{ key: 'p', word: 'plan', label: 'the plan', look: async () => text }]
    : [{ key: 'a', word: 'all', label: `all of ${action.artifact.path.split('/').at(-1)}`, look: async () => text }];
}

function isPlan(tx: Transaction, { artifact, run }: GateAction): boolean {
  return artifact?.path === displayPath(tx.place, run, PLAN);
}

function readArtifact(tx: Transaction, { artifact, run }: GateAction): string | null {
  return artifact === undefined ? null : tx.files.text(parseDisplayPath(tx.place, run, artifact.path));
}

function listHead(text: string): string[] {
  const lines = text.trimEnd().split(/\r\n?|\n/);
  const shown = lines.slice(0, LINES).map((line) => {
    const whole = revealInvisible(line.replaceAll('\t', '  ').trimEnd());
    return `  ${whole.length > LINE_CAP ? `${whole.slice(0, LINE_CAP - 1)}…` : whole}`;
  });
  return lines.length > LINES ? [...shown, `… and ${lines.length - LINES} more lines`] : shown;
}

/** Returns the digest that the document had when the gate was last answered in this run. */
function findAnsweredDigest({ past }: RunHead, block: string): unknown {
  let answered: unknown;
  past.scan(({ type, data }) => {
    if (type === 'init') answered = undefined;
    else if (type === 'acknowledged' && isRecord(data) && data['block'] === block) answered = data['digest'];
  });
  return answered;
}

/** How many notes of a review are shown, and how many characters of each at most; a key shows the whole review. */
const NOTES = 6;
const NOTE_CAP = 400;

/** Renders the last review's verdict, the reviewer's notes, and words of the request that no requirement covers. */
function listReview(tx: Transaction): DecisionSection[] {
  const { uncovered = [] } = readPlanExtras(tx.files.text(PLAN) ?? '');
  const verdicts = describeReview(tx);
  return [
    ...(verdicts.length === 0 ? [] : [{ heading: 'Review', lines: [...verdicts, ...listNotes(tx)] }]),
    ...(uncovered.length === 0
      ? []
      : [{ heading: 'Words of the request that no requirement covers', lines: uncovered }]),
  ];
}

function listNotes(tx: Transaction): string[] {
  const notes = readReviewNotes(tx, tx.state) ?? [];
  const shown = notes.slice(0, NOTES).map((note) => `- ${toBoundedLine(note, NOTE_CAP)}`);
  return notes.length > NOTES ? [...shown, `- and ${notes.length - NOTES} more notes`] : shown;
}

/** Returns the key that shows the whole last review, with all its reviewers. */
function listReviewLooks(tx: Transaction): Look[] {
  const { reviews } = tx.state;
  const last = reviews.at(-1);
  if (last === undefined || describeReview(tx).length === 0) return [];
  const texts = reviews.flatMap(({ block, round, output }) => {
    const text = block === last.block && round === last.round && output !== null ? tx.files.text(output) : null;
    return text === null || output === null ? [] : [`${displayPath(tx.place, tx.state.name, output)}\n\n${text}`];
  });
  return texts.length === 0
    ? []
    : [{ key: 'r', word: 'review', label: 'the review', look: async () => texts.join('\n') }];
}
