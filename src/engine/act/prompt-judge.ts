import { renderForeignBlock, toWholeLine } from '../../documents/foreign.js';
import type { PlanTodo } from '../../documents/plan-schema.js';
import type { ResolvedHandler } from '../../recipe/resolved.js';
import { CAPTURED_PLAN, toAbsolutePath } from '../../run/paths.js';
import type { Transaction } from '../../run/transaction.js';
import { AUDIT } from './notes.js';
import { readPlanHead, requireEngine, requireEngineRecipe } from './plan.js';
import {
  joinParts,
  listMustNots,
  renderBullets,
  renderDelivery,
  renderEvidence,
  renderLocations,
  renderPart,
  renderPlanText,
  renderRequest,
  renderRole,
  takeWithin,
} from './prompt-parts.js';
import type { PromptTask } from './prompt-worker.js';
import { renderAllRulings, renderTodoRulings } from './rulings.js';

/** Prompt files of those who judge: the verifier, a recipe's own agents, the code reviewer. None of them changes sources. */

const READ_ONLY = 'You change no source: you read, and run what only reads.';

/** The task of the verifier: the assertions of one todo, after dev-cli has run its commands. */
export function renderVerifierPrompt(
  tx: Transaction,
  handler: ResolvedHandler,
  todo: PlanTodo,
  task: PromptTask,
): string {
  const criteria = todo.acceptance.filter((item) => item.kind === 'assertion');
  const rules = listMustNots(tx, todo);
  return joinParts([
    renderHead(tx, `Verify ${todo.id}: ${toWholeLine(todo.title)}`, task),
    ...renderRole(tx, handler),
    renderPart('Criteria', renderBullets(criteria.map(({ id, text }) => `${id}: ${renderPlanText(tx, text)}`))),
    renderPart('Must not have been done', renderBullets(rules)),
    renderTodoRulings(tx, todo.id),
    ...renderWork(tx, todo),
    renderRequest(tx),
    renderLocations(tx),
    renderConsequences(tx, todo.id),
    renderJudgeDelivery(
      tx,
      task,
      criteria.map(({ id }) => id),
      rules[0],
    ),
  ]);
}

/** The task of a recipe's own agent: its rules say what it looks for. */
export function renderOwnJudgePrompt(
  tx: Transaction,
  handler: ResolvedHandler,
  todo: PlanTodo,
  task: PromptTask,
): string {
  const rules = listMustNots(tx, todo);
  return joinParts([
    renderHead(tx, `${handler.key} of ${todo.id}: ${toWholeLine(todo.title)}`, task),
    ...renderRole(tx, handler),
    renderPart('Must not have been done', renderBullets(rules)),
    renderTodoRulings(tx, todo.id),
    ...renderWork(tx, todo),
    renderRequest(tx),
    renderLocations(tx),
    renderConsequences(tx, todo.id),
    renderJudgeDelivery(tx, task, null, rules[0]),
  ]);
}

/** The task of the code reviewer: all that the run changed. */
export function renderReviewPrompt(tx: Transaction, handler: ResolvedHandler, task: PromptTask): string {
  const { objectives } = readPlanHead(tx);
  const { order, todos, summaries } = requireEngine(tx);
  const done = order.filter((id) => todos[id]?.status === 'done' && (todos[id]?.attempt ?? 0) > 0);
  const told = done.map((id) => `${id} (${todos[id]?.title ?? ''}): ${summaries[id] ?? ''}`);
  const shownClaims = takeWithin(told, CLAIMS_SHOWN);
  return joinParts([
    renderHead(tx, `Review what the run ${tx.state.name} changed`, task),
    ...renderRole(tx, handler),
    renderPart('The changes', renderBullets(describeDiff(tx))),
    renderPart(
      'What it was to reach',
      renderBullets([objectives.core, ...objectives.definitionOfDone].map((text) => renderPlanText(tx, text))),
    ),
    renderPart('Must not have been done', renderBullets(listMustNots(tx, null))),
    renderAllRulings(tx),
    renderPart('What the workers say', [
      renderForeignBlock(shownClaims.join('\n'), { label: 'claims of the workers' }),
      ...(shownClaims.length === told.length
        ? []
        : [
            '',
            `And of ${told.length - shownClaims.length} more todos: ${toAbsolutePath(tx.place, tx.state.name, AUDIT)}.`,
          ]),
    ]),
    renderRequest(tx),
    renderLocations(tx),
    renderDelivery(tx, task.output, {
      example: {
        verdict: '<SHIP or NEEDS_FIXES>',
        issues: [
          {
            file: '<path from the work tree>',
            line: 1,
            severity: '<minor, major or critical>',
            description: '<what is wrong, and what would be right>',
          },
        ],
        summary: '<one or two sentences>',
      },
      fields: [
        '`verdict`: NEEDS_FIXES only for what must not stay as it is; each issue becomes work for somebody.',
        '`issues`: the worst first, at most 12; `line` null where none can be named. Nothing found is a valid result: `[]`.',
      ],
      notes: [READ_ONLY],
    }),
  ]);
}

function renderHead(tx: Transaction, title: string, { attempt }: PromptTask): string {
  return `# ${title}\n\nFor the run ${tx.state.name}${attempt > 1 ? `, attempt ${attempt}` : ''}. ${READ_ONLY}`;
}

/** What was done, by whom it is claimed, and what dev-cli itself saw. */
function renderWork(tx: Transaction, todo: PlanTodo): string[] {
  const { todos, evidence, reports, charged } = requireEngine(tx);
  const report = reports[todo.id];
  const files = todos[todo.id]?.files ?? todo.files;
  const claim =
    report === undefined
      ? []
      : [
          report.summary,
          ...capLines(
            report.filesChanged.map((path) => `changed: ${path}`),
            'git shows them',
          ),
        ];
  const outside = charged[todo.id] ?? [];
  return [
    renderPart('Files of this todo', renderBullets(files.map((glob) => `\`${toWholeLine(glob)}\``))),
    renderPart('Changed outside its files', renderBullets(outside.map((path) => `\`${toWholeLine(path)}\``))),
    renderPart('Commands, run by dev-cli itself', renderBullets(renderEvidence(tx, evidence[todo.id] ?? []))),
    claim.length === 0
      ? ''
      : renderPart('What the worker says', [renderForeignBlock(claim.join('\n'), { label: 'claims of the worker' })]),
  ];
}

/** @param criteria the ids to judge; null: the agent finds its own */
function renderJudgeDelivery(
  tx: Transaction,
  task: PromptTask,
  criteria: readonly string[] | null,
  rule: string | undefined,
): string {
  const rows = (criteria ?? ['<short id>']).map((id) => ({
    id,
    pass: true,
    evidence: '<what you saw: file:line, output>',
  }));
  return renderDelivery(tx, task.output, {
    example: {
      status: '<VERIFIED or FAILED>',
      criteria: rows,
      mustNotDoViolations: rule === undefined ? [] : [{ rule, violated: false, evidence: '<what you saw>' }],
      sideEffects: [],
      environmentError: null,
      suggestedAdaptation: null,
      summary: '<one or two sentences>',
    },
    fields: [
      describeCriteria(criteria),
      '`mustNotDoViolations`: each rule above. `sideEffects`: `{"description", "severity": "none|minor|major|critical"}` of what else was changed.',
      '`environmentError`: why nothing could be judged (a tool is missing, nothing starts), else null.',
      '`suggestedAdaptation`: null, or work that is missing in the plan: `{"reason", "category": "<dependency, config, schema, api, auth, ci, security, other>", "todo": {"title", "files": [globs], "steps": [..], "acceptance": [{"kind": "assertion", "text"}]}}`.',
    ],
    notes: [READ_ONLY],
  });
}

/** What each word of the result leads to: whoever writes one weighs it by that (engine.md, Triage). */
function renderConsequences(tx: Transaction, id: string): string {
  const { maxRetries, mustNot } = requireEngineRecipe(tx).program.policies;
  const left = maxRetries - (requireEngine(tx).todos[id]?.retries ?? 0);
  const again =
    left > 0
      ? `this attempt fails, and the todo is done again with your evidence as the reason (${left === 1 ? 'one attempt is' : `${left} attempts are`} left)`
      : 'this attempt fails; it was the last, so the todo fails';
  const atOnce =
    'this todo fails at once, without another attempt; what depends on it is not done, and the run ends halted until a person takes it up';
  return renderPart('What your words do', [
    ...renderBullets([
      `a criterion with \`pass: false\`${mustNot === 'halt' ? '' : ', or `violated: true`'}: ${again}.`,
      `${mustNot === 'halt' ? '`violated: true`, ' : ''}a side effect of severity \`critical\`, an \`environmentError\`, a \`suggestedAdaptation\` of category schema, api, auth, ci or security: ${atOnce}.`,
      'a side effect of severity `major`: noted in the report, for a person to look at.',
    ]),
    '',
    'Use each for what you have seen and can point to, not for a doubt; a doubt belongs into `summary`.',
  ]);
}

/** Paths that are listed in a prompt file. */
const LISTED = 200;

/** All of them, or the first with where the others are. */
function capLines(lines: readonly string[], others: string): string[] {
  if (lines.length <= LISTED) return [...lines];
  return [...lines.slice(0, LISTED), `and ${lines.length - LISTED} more: ${others}`];
}

/** Characters of claims that the code reviewer is shown; the others are named by their place. */
const CLAIMS_SHOWN = 12_000;

function describeCriteria(criteria: readonly string[] | null): string {
  if (criteria === null)
    return '`criteria`: what you judged, each with an id of its own; `[]` when there was nothing to judge.';
  return criteria.length === 0
    ? '`criteria`: empty; this todo has no assertion.'
    : '`criteria`: every id above, each once, with what you saw; a claim is no evidence.';
}

/** How to see all that the run changed. What was dirty before it began is not its work. */
function describeDiff(tx: Transaction): string[] {
  const { baseline } = tx.state;
  if (baseline === null) {
    const { order, todos } = requireEngine(tx);
    const files = [...new Set(order.flatMap((id) => todos[id]?.files ?? []))].map((glob) => `\`${toWholeLine(glob)}\``);
    const plan = toAbsolutePath(tx.place, tx.state.name, CAPTURED_PLAN);
    return ['there is no repository; look at these files:', ...capLines(files, `the plan names them: ${plan}`)];
  }
  const dirty = Object.keys(baseline.dirty).map((path) => `\`${toWholeLine(path)}\``);
  const state = toAbsolutePath(tx.place, tx.state.name, 'state.json');
  return [
    baseline.head === null ? 'everything in the repository: it had no commit before' : `\`git diff ${baseline.head}\``,
    'and what `git status --short` shows as untracked',
    ...(dirty.length === 0
      ? []
      : [`not of this run, changed before it began: ${capLines(dirty, `\`baseline.dirty\` in ${state}`).join(', ')}`]),
  ];
}
