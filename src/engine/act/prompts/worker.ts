import { isSameJson } from '../../../base/json.js';
import { fillWholeText } from '../../../blocks/values/values.js';
import { renderForeignBlock, toCommandLine, toQuotedLine, toWholeLine } from '../../../documents/foreign.js';
import { isCommand } from '../../../plan/model/commands.js';
import { findReferences, listDependencies, replaceReferences } from '../../../plan/model/graph.js';
import type { PlanAcceptance, PlanTodo } from '../../../plan/model/schema.js';
import type { ResolvedHandler } from '../../../recipe/resolved.js';
import { createFormatterFor } from '../../../registry/render.js';
import type { CommandEvidence } from '../../../run/engine-rows.js';
import { LEARNINGS, toAbsolutePath } from '../../../run/paths.js';
import type { Transaction } from '../../../run/transaction.js';
import { readLearnings } from '../notes.js';
import { requireEngine, requireEngineRecipe, runsCommands } from '../plan/plan.js';
import { isFix } from '../results/fixes.js';
import { renderRules } from '../results/must-nots.js';
import { ownHandlerApplies } from '../stage-conditions.js';
import { getTodoRow } from '../todo-rows.js';
import { getOutput, renderReported, substituteReferences } from '../values.js';
import {
  joinParts,
  listAttemptFailures,
  listOpenEnds,
  renderBullets,
  renderDelivery,
  renderEvidence,
  renderPlanText,
  renderPromptSection,
  renderPurpose,
  renderRequestAndChanges,
  renderRole,
  renderSteps,
  renderSurroundings,
  renderValueOrPath,
  takeLinesWithin,
} from './parts.js';
import { renderReviewNotes } from './review-notes.js';
import { renderTodoRulings } from './rulings.js';

/** The facts about a task that its prompt file states. */
export interface PromptTask {
  actionId: string;
  attempt: number;
  /** Path of the result, relative to the run's directory. */
  output: string;
}

/**
 * Renders a worker's whole task. A new attempt gets the whole task again, plus the failures and where the evidence is.
 */
export function renderWorkerPrompt(
  tx: Transaction,
  handler: ResolvedHandler,
  todo: PlanTodo,
  task: PromptTask,
): string {
  const { name } = tx.state;
  const verification = todo.type === 'verification';
  return joinParts([
    `# ${todo.id}: ${toWholeLine(todo.title)}\n\nFor the run ${name}${task.attempt > 1 ? `, attempt ${task.attempt}` : ''}; ${todo.type}, risk ${todo.risk}.`,
    ...renderRole(tx, handler),
    renderPurpose(tx, todo),
    renderPromptSection('Steps', renderSteps(tx, todo)),
    renderReviewNotes(tx, todo),
    renderTodoRulings(tx, todo.id),
    renderLastAttempt(tx, todo.id, task.attempt),
    renderRedCommands(tx, todo),
    renderAnswers(tx, todo.id),
    renderInputs(tx, todo),
    renderFiles(tx, todo, verification),
    renderPromptSection('Must not be done', renderBullets(renderRules(tx, todo))),
    renderPromptSection(
      'Look here (as of the plan: lines may have moved)',
      renderBullets(todo.references.map((reference) => renderPlanText(tx, reference))),
    ),
    renderAcceptance(tx, todo, task),
    renderLearnings(tx, todo),
    renderRequestAndChanges(tx),
    renderSurroundings(tx),
    renderWorkerDelivery(tx, todo, task, verification),
  ]);
}

function renderLastAttempt(tx: Transaction, todo: string, attempt: number): string {
  if (attempt < 2) return '';
  const { evidence = [], report, planChanges = [], undone = [] } = getTodoRow(requireEngine(tx), todo);
  const red = evidence.filter(({ ok }) => !ok);
  const shown = [
    ...listAttemptFailures(tx, todo),
    ...renderEvidence(tx, red),
    ...planChanges.map((line) => `changed in the plan: ${toWholeLine(line)}`),
    ...undone.map((sha) => `taken back by a person: \`git show ${sha}\``),
  ];
  if (shown.length === 0) return '';
  const open = report === undefined ? [] : listOpenEnds(report);
  return renderPromptSection('How the previous attempt ended', [
    ...renderBullets(shown),
    '',
    ...(open.length === 0 ? [] : [renderForeignBlock(open.join('\n'), { label: 'what its worker left open' }), '']),
    undone.length === 0
      ? 'Its work is still in the tree: look at it first, then fix what is listed here.'
      : 'Its work is no longer in the tree: look at what was reverted, and reuse what is still valid.',
  ]);
}

/** Renders the failed commands that a fix todo has to make pass again, with their logs. */
function renderRedCommands(tx: Transaction, todo: PlanTodo): string {
  const engine = requireEngine(tx);
  const parent = engine.todos[todo.id]?.parent;
  const seen = parent != null ? (engine.todos[parent]?.evidence ?? []) : isFix(todo) ? engine.evidence : [];
  const own = todo.acceptance.filter(isCommand);
  // A fix from the final stages gives its commands new ids, so the command lines are compared; a fix for a verification
  // todo keeps the ids.
  const isOwn = ({ id, argv }: CommandEvidence) =>
    own.some((item) => (parent != null ? item.id === id : isSameJson(item.run, argv)));
  const red = seen.filter((one) => !one.ok && isOwn(one));
  return renderPromptSection('What was red', renderBullets(renderEvidence(tx, red)));
}

function renderAnswers(tx: Transaction, todo: string): string {
  const known = getTodoRow(requireEngine(tx), todo).answers ?? [];
  const lines = known.map(({ question, answer }) =>
    renderForeignBlock(`Q: ${question}\nA: ${answer}`, { label: 'asked by a worker, answered by the user' }),
  );
  return renderPromptSection('What the user said', lines);
}

function renderInputs(tx: Transaction, todo: PlanTodo): string {
  if (todo.inputs.length === 0) return '';
  const values = todo.inputs.map(({ name, from }): [string, unknown] => [name, resolveInputValue(tx, from)]);
  const text = JSON.stringify(Object.fromEntries(values), null, 2);
  return renderPromptSection('Inputs', [renderForeignBlock(text, { label: 'values that earlier todos handed on' })]);
}

function resolveInputValue(tx: Transaction, from: string): unknown {
  const text = replaceReferences(from, (reference) => renderValueOrPath(tx, reference));
  const [only] = findReferences(from);
  if (only === undefined || from !== `\${${only.todo}.outputs.${only.output}}`) return text;
  const value = getOutput(requireEngine(tx).todos, only.todo, only.output);
  // If a reference is the whole text, the value keeps its JSON type, unless it is too long to quote.
  return text === renderReported(value) ? value : text;
}

function renderFiles(tx: Transaction, todo: PlanTodo, verification: boolean): string {
  if (verification)
    return renderPromptSection('What you may touch', ['Nothing but your result: only read, and change no source.']);
  const globs = requireEngine(tx).todos[todo.id]?.files ?? todo.files;
  if (globs.length === 0)
    return renderPromptSection('What you may touch', ['Whatever the task needs, outside `.dev/`.']);
  return renderPromptSection('What you may touch', [
    ...renderBullets(globs.map((glob) => toWholeLine(`\`${glob}\``))),
    '',
    'Others may be at work beside you. If another file is needed: status BLOCKED, `needs: {"files": [...]}`.',
  ]);
}

function renderAcceptance(tx: Transaction, todo: PlanTodo, { actionId }: PromptTask): string {
  // The command names the root, because the agent may work in any directory.
  const format = createFormatterFor(tx.place.root);
  const command = format({ command: 'check', input: { subject: tx.state.name, action: actionId } });
  const exactly = runsCommands(tx) ? ' exactly as the verification will' : '';
  const does = [
    ...(todo.acceptance.some(isCommand) ? [`runs these commands${exactly}`] : []),
    ...(tx.state.baseline !== null && todo.type === 'work'
      ? ['names as `unlisted` the changed files that your result does not list']
      : []),
  ];
  const runs = does.length === 0 ? [] : ['', `\`${command}\` ${does.join(', and ')}.`];
  return renderPromptSection('How it will be judged', [
    ...renderBullets([...todo.acceptance.map((item) => renderCriterion(tx, item)), ...listOwnJudges(tx, todo)]),
    ...runs,
  ]);
}

/** Lists the recipe's own handlers that judge the todo after its worker. */
function listOwnJudges(tx: Transaction, { id }: PlanTodo): string[] {
  const { program, handlers } = requireEngineRecipe(tx);
  return program.stages.flatMap((stage) => {
    const handler = handlers[stage.id];
    if (handler === undefined || handler.shipped !== null || !ownHandlerApplies(tx, id, stage.id)) return [];
    return `${handler.key}, a step of this recipe: ${describeOwnJudge(tx, handler)}`;
  });
}

function describeOwnJudge(
  tx: Transaction,
  { actor, agent = 'an agent', command, message = '' }: ResolvedHandler,
): string {
  switch (actor) {
    case 'cli':
      return `dev-cli runs \`${toCommandLine(command?.argv ?? [])}\``;
    case 'subagent':
      return `${agent} looks at it`;
    case 'human':
      return `a person is asked: ${toWholeLine(fillWholeText(tx, message, tx.state.currentBlock))}`;
  }
}

function renderCriterion(tx: Transaction, item: PlanAcceptance): string {
  switch (item.kind) {
    case 'command': {
      const line = toCommandLine(item.run.map((word) => substituteReferences(requireEngine(tx).todos, word)));
      const where = item.cwd === undefined ? '' : ` in ${toWholeLine(item.cwd)}`;
      const { exitCode = 0, stdoutContains, stdoutLacks } = item.expect ?? {};
      const exit = exitCode === 0 ? 'passes' : `ends with exit ${[exitCode].flat().join(' or ')}`;
      const prints = stdoutContains === undefined ? '' : ` and prints ${toQuotedLine(stdoutContains)}`;
      const lacks = stdoutLacks === undefined ? '' : ` and does not print ${toQuotedLine(stdoutLacks)}`;
      return `${item.id}: \`${line}\`${where} ${exit}${prints}${lacks}`;
    }
    case 'assertion':
      return `${item.id}: ${renderPlanText(tx, item.text)}`;
    case 'human':
      return `${item.id}, judged by a person: ${renderPlanText(tx, item.text)}`;
  }
}

/** Maximum number of characters of earlier learnings that a prompt file quotes; a file has the rest. */
const LEARNINGS_SHOWN = 3000;

function renderLearnings(tx: Transaction, todo: PlanTodo): string {
  const { order, todos } = requireEngine(tx);
  // A fix from the final stages has no dependencies, and may concern the work of any todo.
  const before = isFix(todo) ? order.filter((id) => todos[id]?.status === 'done') : listDependencies(todo);
  const notes = readLearnings(tx, before);
  if (notes.length === 0) return '';
  const shown = takeLinesWithin(notes, LEARNINGS_SHOWN);
  const more = notes.length - shown.length;
  return renderPromptSection('What the workers before you learned', [
    renderForeignBlock(shown.join('\n\n'), { label: 'notes of other agents' }),
    ...(more === 0 ? [] : ['', `And of ${more} more todos: ${toAbsolutePath(tx.place, tx.state.name, LEARNINGS)}.`]),
  ]);
}

function renderWorkerDelivery(tx: Transaction, todo: PlanTodo, { output }: PromptTask, verification: boolean): string {
  const promised = todo.outputs.map(({ name, description }) => [name, `<${toWholeLine(description)}>`]);
  const example = {
    status: 'DONE',
    outputs: Object.fromEntries(promised),
    filesChanged: verification ? [] : ['<path from the work tree>'],
    learnings: ['<what a later worker should know>'],
    issues: ['<what stays open>'],
    summary: '<what was done, one or two sentences>',
  };
  return renderDelivery(tx, output, {
    example,
    fields: [
      '`status`: DONE when everything above holds; BLOCKED when you cannot go on. BLOCKED without `needs` fails this todo at once, and what depends on it is not done.',
      promised.length === 0
        ? '`outputs`: empty; this todo promises none.'
        : '`outputs`: each of these names with its value; later todos build on them.',
      '`filesChanged`: every path you changed, made or deleted. Only these are committed.',
      '`notMine`, optional: paths inside your files that changed meanwhile and are not your work.',
      '`learnings`, `issues`: one line each, at most 12; `[]` for none.',
      '`reason`: only with BLOCKED: why you are blocked. `needs`: only with BLOCKED, either `{"files": ["<path>"]}` or `{"question": "<one question to the user>"}`.',
    ],
    notes: [
      runsCommands(tx)
        ? 'Report only facts: dev-cli runs the commands itself afterwards.'
        : 'Report only facts: nothing is verified after you, and the report quotes you as the source.',
      ...(toAbsolutePath(tx.place, tx.state.name, output).includes(' ') ? ['The path contains spaces: quote it.'] : []),
    ],
  });
}
