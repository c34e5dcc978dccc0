import { findRequestDocument, renderNotes } from '../../../blocks/request.js';
import { fillWholeText } from '../../../blocks/values/values.js';
import { renderForeignBlock, toCommandLine, toWholeLine } from '../../../documents/foreign.js';
import type { WorkerResult } from '../../../documents/results.js';
import { replaceReferences } from '../../../plan/model/graph.js';
import type { PlanTodo } from '../../../plan/model/schema.js';
import type { ResolvedHandler } from '../../../recipe/resolved.js';
import type { CommandEvidence } from '../../../run/engine-rows.js';
import { OUTPUTS, PLAN, toAbsolutePath } from '../../../run/paths.js';
import type { Transaction } from '../../../run/transaction.js';
import { renderChangedParts } from '../plan/changed-parts.js';
import { readPlanHead, requireEngine } from '../plan/plan.js';
import { getTodoRow } from '../todo-rows.js';
import { getOutput, renderReported } from '../values.js';

/** Parts that the prompt files of an execution share (protocol.md, Prompt files). */

/** Renders a section of a prompt file; empty without lines. */
export function renderPromptSection(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`;
}

/** Joins the sections of a prompt file, leaving out empty ones. */
export function joinParts(parts: readonly string[]): string {
  return `${parts.filter((text) => text !== '').join('\n\n')}\n`;
}

/** Turns each line into an item of a Markdown list. */
export function renderBullets(lines: readonly string[]): string[] {
  return lines.map((line) => `- ${line}`);
}

/** Returns as many of the first lines as fit into `cap` characters, but at least one. Cuts no line. */
export function takeLinesWithin(lines: readonly string[], cap: number): string[] {
  let left = cap;
  const end = lines.findIndex((line, index) => {
    left -= line.length + 1;
    return left < 0 && index > 0;
  });
  return lines.slice(0, end < 0 ? undefined : end);
}

/**
 * Renders a text from the plan as one line, with references to other todos' outputs filled in (`renderValueOrPath`).
 */
export function renderPlanText(tx: Transaction, text: string): string {
  return toWholeLine(replaceReferences(text, (reference) => renderValueOrPath(tx, reference)));
}

/** Maximum length in characters of another todo's value that a prompt file quotes. */
const VALUE_CAP = 4000;

/** Renders another todo's value, or where to find it if it is too long to quote. */
export function renderValueOrPath(tx: Transaction, { todo, output }: { todo: string; output: string }): string {
  const value = renderReported(getOutput(requireEngine(tx).todos, todo, output));
  if (value.length <= VALUE_CAP) return value;
  return `(${value.length} characters: \`${todo}\`, \`${output}\` in ${toAbsolutePath(tx.place, tx.state.name, OUTPUTS)})`;
}

/** Renders the agent's role and the rules of its task. */
export function renderRole(tx: Transaction, handler: ResolvedHandler): string[] {
  const definition = handler.agent === undefined ? undefined : tx.captured.agents[handler.agent];
  const rules = handler.prompt ?? definition?.body ?? '';
  // An agent definition already begins with the role.
  const isDefinition = handler.prompt === undefined && definition !== undefined;
  return [
    ...(isDefinition ? [] : [definition?.role ?? `You are ${handler.agent ?? 'an agent'}.`]),
    ...(rules.trim() === '' ? [] : [fillWholeText(tx, rules, tx.state.currentBlock).trim()]),
  ];
}

/** Returns what the user asked for: the run's goal, otherwise the original request in the plan. */
export function getRequest(tx: Transaction): string {
  return tx.state.goal ?? readPlanHead(tx).context.originalRequest ?? '';
}

/**
 * Renders the user's request, fenced as foreign text, followed by the changes to the plan since.
 * @param papers documents that the prompt names; if one of them contains the request, the prompt names that document
 * instead of quoting the request
 */
export function renderRequestAndChanges(tx: Transaction, papers: readonly string[] = []): string {
  const holder = findRequestDocument(tx, papers);
  const request =
    holder === undefined
      ? renderForeignBlock(getRequest(tx), { label: 'the request, as the user gave it' })
      : `Word for word in ${toAbsolutePath(tx.place, tx.state.name, holder)}.`;
  return ['## The request', request, ...renderChangesSince(tx)].join('\n\n');
}

/** Maximum number of characters of changes to the plan that are shown after the request. */
const CHANGES_SHOWN = 3000;

function renderChangesSince(tx: Transaction): string[] {
  const lines = renderChangedParts(requireEngine(tx));
  if (lines.length === 0) return [];
  const shown = takeLinesWithin(lines, CHANGES_SHOWN);
  const more = lines.length - shown.length;
  const rest = `and ${more} more; what holds now: ${toAbsolutePath(tx.place, tx.state.name, PLAN)}`;
  return [
    'A person has changed the plan since the work began. Where the request says otherwise, this holds; what is withdrawn is not wanted any more:',
    renderBullets([...shown, ...(more === 0 ? [] : [rest])]).join('\n'),
  ];
}

/** Renders the project's rules for all work, the root and work tree, and the preferences of the run. */
export function renderSurroundings(tx: Transaction): string {
  const { root, workTree } = tx.place;
  const preferences = Object.entries(tx.state.preferences).map(
    ([key, value]) => `${key}=${toWholeLine(String(value))}`,
  );
  const places = renderPromptSection(
    'Where things are',
    renderBullets([
      `project root: ${root}`,
      ...(workTree === root ? [] : [`work tree, where the sources are: ${workTree}`]),
      ...(preferences.length === 0 ? [] : [`preferences: ${preferences.join(', ')}`]),
    ]),
  );
  return [renderNotes(tx), places].filter((part) => part !== '').join('\n\n');
}

/** Numbers the steps of a todo. */
export function renderSteps(tx: Transaction, { steps }: PlanTodo): string[] {
  return steps.map((step, index) => `${index + 1}. ${renderPlanText(tx, step)}`);
}

/** Lists why the previous attempt failed. */
export function listAttemptFailures(tx: Transaction, todo: string): readonly string[] {
  const { failures = [], why } = getTodoRow(requireEngine(tx), todo);
  return failures.length > 0 || why === undefined ? failures : [toWholeLine(why)];
}

/** Lists what a worker reports as left open. */
export function listOpenEnds({ issues }: WorkerResult): string[] {
  return issues.map((issue) => `open: ${toWholeLine(issue)}`);
}

/** Renders the outcome of each command that dev-cli ran, with its log. */
export function renderEvidence(tx: Transaction, evidence: readonly CommandEvidence[]): string[] {
  return evidence.map(
    ({ id, argv, outcome, log }) =>
      `${id}: ${toCommandLine(argv)}: ${toWholeLine(outcome)}; log: ${toAbsolutePath(tx.place, tx.state.name, log)}`,
  );
}

/**
 * Renders the last section of a prompt file: what to write, where and how.
 * @param output path of the result, relative to the run's directory
 * @param example a result with all its keys
 * @param fields one line for each field that needs explaining
 * @param notes additional rules for the agent
 */
export function renderDelivery(
  tx: Transaction,
  output: string,
  { example, fields, notes }: { example: object; fields: readonly string[]; notes: readonly string[] },
): string {
  const path = toAbsolutePath(tx.place, tx.state.name, output);
  const rules = [
    'Write it whole, in one go.',
    ...notes,
    'Do not commit, do not touch `.dev/` beyond that file, run neither `dev-cli next` nor `dev-cli step`.',
    'Reply with two lines: the path, and the summary.',
  ];
  return `## What to deliver

One file: \`${path}\`. JSON, all keys as here:

\`\`\`json
${JSON.stringify(example, null, 2)}
\`\`\`

${renderBullets(fields).join('\n')}

${renderBullets(rules).join('\n')}`;
}

/** Renders the purpose of a todo: the objective, the requirements that it serves, and the decisions that concern it. */
export function renderPurpose(tx: Transaction, { serves = [] }: Pick<PlanTodo, 'serves'>): string {
  const { objectives, requirements = [], decisions = [] } = readPlanHead(tx);
  const served = requirements.filter(({ id }) => serves.includes(id));
  // A decision that names no requirement concerns every todo.
  const concerning = decisions.filter(
    (one) => one.serves === undefined || one.serves.some((id) => serves.includes(id)),
  );
  return renderPromptSection('What it is for', [
    ...renderBullets([
      renderPlanText(tx, objectives.core),
      ...served.map(({ id, text, quote }) => `${id}: ${renderPlanText(tx, text)}${renderQuote(text, quote)}`),
      ...concerning.map(({ text, reason, by }) => {
        const why = reason === undefined ? '' : ` (${renderPlanText(tx, reason)})`;
        return `decided (${by}): ${renderPlanText(tx, text)}${why}`;
      }),
    ]),
  ]);
}

/** Renders the quoted words behind a requirement, unless its text repeats them. */
function renderQuote(text: string, quote: string): string {
  return text.includes(quote) ? '' : ` (in the words: "${toWholeLine(quote)}")`;
}
