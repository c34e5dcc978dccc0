import { renderForeignBlock, toBoundedLine, toWholeLine } from '../../../documents/foreign.js';
import type { WorkerResult } from '../../../documents/results.js';
import type { PlanTodo } from '../../../plan/model/schema.js';
import type { ResolvedHandler } from '../../../recipe/resolved.js';
import { AUDIT, CAPTURED_PLAN, PLAN, toAbsolutePath } from '../../../run/paths.js';
import type { Transaction } from '../../../run/transaction.js';
import { readPlanHead, requireEngine, requireEngineRecipe } from '../plan/plan.js';
import { renderIssue } from '../results/fixes.js';
import { renderJudgedRules } from '../results/must-nots.js';
import { getTodoRow } from '../todo-rows.js';
import {
  joinParts,
  listAttemptFailures,
  listOpenEnds,
  renderBullets,
  renderDelivery,
  renderEvidence,
  renderPlanText,
  renderPromptSection,
  renderRequestAndChanges,
  renderRole,
  renderSteps,
  renderSurroundings,
  takeLinesWithin,
} from './parts.js';
import { listReviewQuestions, type ReviewQuestions } from './review-questions.js';
import { renderAllRulings, renderTodoRulings } from './rulings.js';
import type { PromptTask } from './worker.js';

/**
 * Renders the prompt files of agents that judge: the verifier, a recipe's own agents and the code reviewer. None of
 * them may change sources.
 */

const READ_ONLY = 'Change no source files: only read, and run only commands that change nothing.';

/**
 * Renders the task of judging one todo, after dev-cli has run its commands. The verifier gets the todo's assertions;
 * the prompt of a recipe's own agent says what to look for.
 */
export function renderJudgePrompt(
  tx: Transaction,
  handler: ResolvedHandler,
  todo: PlanTodo,
  task: PromptTask,
  isVerifier: boolean,
): string {
  const criteria = todo.acceptance.filter((item) => item.kind === 'assertion');
  const rules = renderJudgedRules(tx, todo);
  const shown = isVerifier ? criteria.map(({ id, text }) => `${id}: ${renderPlanText(tx, text)}`) : [];
  const ids = isVerifier ? criteria.map(({ id }) => id) : null;
  return joinParts([
    renderHead(tx, `${isVerifier ? 'Verify' : `${handler.key} of`} ${todo.id}: ${toWholeLine(todo.title)}`, task),
    ...renderRole(tx, handler),
    renderPromptSection('Criteria', renderBullets(shown)),
    renderPromptSection('What the worker was told to do', renderSteps(tx, todo)),
    renderPromptSection('Must not have been done', renderBullets(rules)),
    renderTodoRulings(tx, todo.id),
    renderPromptSection(
      'Why the previous attempt failed',
      renderBullets(task.attempt < 2 ? [] : listAttemptFailures(tx, todo.id)),
    ),
    ...renderWork(tx, todo),
    renderRequestAndChanges(tx),
    renderSurroundings(tx),
    renderConsequences(tx, todo.id),
    renderJudgeDelivery(tx, task, ids, rules[0]),
  ]);
}

/** Renders the code reviewer's task: to review everything that the run changed. */
export function renderReviewPrompt(tx: Transaction, handler: ResolvedHandler, task: PromptTask): string {
  const { objectives } = readPlanHead(tx);
  const decided = describeDecisions(tx);
  const asked = listReviewQuestions(tx);
  const { order, todos } = requireEngine(tx);
  const done = order.filter((id) => todos[id]?.status === 'done' && (todos[id]?.attempt ?? 0) > 0);
  const claims = done.map((id) => `${id} (${todos[id]?.title ?? ''}): ${todos[id]?.summary ?? ''}`);
  const shown = takeLinesWithin(claims, CLAIMS_SHOWN);
  const more = claims.length - shown.length;
  return joinParts([
    renderHead(tx, `Review what the run ${tx.state.name} changed`, task),
    ...renderRole(tx, handler),
    renderPromptSection('The changes', renderBullets([...describeDiff(tx), ...decided])),
    renderPromptSection(
      'What it was to reach',
      renderBullets([objectives.core, ...objectives.definitionOfDone].map((text) => renderPlanText(tx, text))),
    ),
    renderPromptSection(
      'Criteria that you judge',
      renderBullets(asked.criteria.map(({ id, text }) => `${id}: ${text}`)),
    ),
    renderPromptSection(
      'Requirements that you judge',
      renderBullets(asked.requirements.map(({ id, text }) => `${id}: ${toWholeLine(text)}`)),
    ),
    renderPromptSection('Must not have been done', renderBullets([...renderJudgedRules(tx, null), ...asked.rules])),
    renderAllRulings(tx),
    renderPromptSection('What the workers say', [
      renderForeignBlock(shown.join('\n'), { label: 'claims of the workers' }),
      ...(more === 0 ? [] : ['', `And of ${more} more todos: ${toAbsolutePath(tx.place, tx.state.name, AUDIT)}.`]),
    ]),
    renderEarlierReview(tx),
    renderRequestAndChanges(tx, decided.length === 0 ? [] : [PLAN]),
    renderSurroundings(tx),
    renderDelivery(tx, task.output, {
      example: {
        verdict: '<SHIP or NEEDS_FIXES>',
        issues: [
          {
            file: '<path from the work tree>',
            line: 1,
            severity: '<minor, major or critical>',
            description: '<what is wrong, and what would be right>',
            title: '<the fix in at most 72 characters: the subject of its commit>',
          },
        ],
        ...renderAnswerForm(asked),
        summary: '<one or two sentences>',
      },
      fields: [
        '`verdict`: NEEDS_FIXES only for what must not stay as it is; what is critical or major becomes work.',
        '`issues`: the worst first, at most 12; `line` null where none can be named. Nothing found is a valid result: `[]`.',
        ...(asked.criteria.length === 0
          ? []
          : ['`criteria`: each one above, by its id; what you cannot settle does not pass.']),
        ...(asked.requirements.length === 0
          ? []
          : ['`requirements`: each one above; `met` only where you can point to what meets it on the final tree.']),
      ],
      notes: [READ_ONLY],
    }),
  ]);
}

function renderAnswerForm({ criteria, requirements }: ReviewQuestions): object {
  return {
    ...(criteria.length === 0
      ? {}
      : { criteria: criteria.map(({ id }) => ({ id, pass: true, evidence: '<what you saw: file:line, output>' })) }),
    ...(requirements.length === 0
      ? {}
      : { requirements: requirements.map(({ id }) => ({ id, met: true, why: '<what meets it, with file:line>' })) }),
  };
}

/** Renders the previous review's findings, so that this review checks whether each has been fixed. */
function renderEarlierReview(tx: Transaction): string {
  const { reviews } = requireEngine(tx);
  const found = (reviews.at(-1)?.issues ?? []).map((issue) => renderIssue(issue));
  if (found.length === 0) return '';
  return renderPromptSection('What the previous review found', [
    renderForeignBlock(found.join('\n'), { label: 'issues of the review before' }),
    '',
    'First check whether each is fixed; one that is not is an issue again.',
  ]);
}

function renderHead(tx: Transaction, title: string, { attempt }: PromptTask): string {
  return `# ${title}\n\nFor the run ${tx.state.name}${attempt > 1 ? `, attempt ${attempt}` : ''}. ${READ_ONLY}`;
}

/** Renders what a todo changed: its files, the evidence of its commands, and the worker's claims. */
function renderWork(tx: Transaction, todo: PlanTodo): string[] {
  const { report, charged: outside = [], evidence = [], files, baseline } = getTodoRow(requireEngine(tx), todo.id);
  const base = baseline?.head == null ? [] : [`what changed since it began: \`git diff ${baseline.head}\``];
  const changed = (report?.filesChanged ?? []).map((path) => `changed: ${path}`);
  const claim =
    report === undefined
      ? []
      : [report.summary, ...listOpenEnds(report), ...renderOutputs(report), ...capLines(changed, 'git shows them')];
  return [
    renderPromptSection(
      'Files of this todo',
      renderBullets([...files.map((glob) => toWholeLine(`\`${glob}\``)), ...base]),
    ),
    renderPromptSection('Changed outside its files', renderBullets(outside.map((path) => toWholeLine(`\`${path}\``)))),
    renderPromptSection('Commands, run by dev-cli itself', renderBullets(renderEvidence(tx, evidence))),
    claim.length === 0
      ? ''
      : renderPromptSection('What the worker says', [
          renderForeignBlock(claim.join('\n'), { label: 'claims of the worker' }),
        ]),
  ];
}

/** Maximum number of characters of a value that a judge is shown. */
const VALUE_SHOWN = 500;

function renderOutputs({ outputs }: WorkerResult): string[] {
  return Object.entries(outputs).map(([name, value]) =>
    toBoundedLine(`output ${name}: ${JSON.stringify(value)}`, VALUE_SHOWN),
  );
}

/**
 * Renders what the judge has to write as its result.
 * @param criteria the ids to judge; null if the agent chooses its own
 */
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
      `\`mustNotDoViolations\`: ${rule === undefined ? '`[]`, as there is no rule for you to judge' : 'each rule above'}.`,
      '`sideEffects`: `{"description", "severity": "none|minor|major|critical"}` of what else was changed.',
      '`environmentError`: why nothing could be judged (a tool is missing, nothing starts), else null.',
      '`suggestedAdaptation`: null, or work that is missing in the plan: `{"reason", "category": "<dependency, config, schema, api, auth, ci, security, other>", "todo": {"title", "files": [globs], "steps": [..], "acceptance": [{"kind": "assertion", "text"}]}}`.',
    ],
    notes: [READ_ONLY],
  });
}

/** Tells the agent the consequence of each kind of finding, so that it can weigh its findings (engine.md, Triage). */
function renderConsequences(tx: Transaction, id: string): string {
  const { maxRetries, mustNot } = requireEngineRecipe(tx).program.policies;
  const left = maxRetries - (requireEngine(tx).todos[id]?.retries ?? 0);
  const again =
    left > 0
      ? `this attempt fails, and the todo is done again with your evidence as the reason (${left === 1 ? 'one attempt is' : `${left} attempts are`} left)`
      : 'this attempt fails; it was the last, so the todo fails';
  const atOnce =
    'this todo fails at once, without another attempt; what depends on it is not done, and the run ends halted until a person takes it up';
  return renderPromptSection('What your words do', [
    ...renderBullets([
      `a criterion with \`pass: false\`${mustNot === 'halt' ? '' : ', or `violated: true`'}: ${again}.`,
      `${mustNot === 'halt' ? '`violated: true`, ' : ''}a side effect of severity \`critical\`, an \`environmentError\`, a \`suggestedAdaptation\` of category schema, api, auth, ci or security: ${atOnce}.`,
      'a side effect of severity `major`: noted in the report, for a person to look at.',
    ]),
    '',
    'Use each for what you have seen and can point to, not for a doubt; a doubt belongs into `summary`.',
  ]);
}

/** How many paths a prompt file lists. */
const LISTED = 200;

/** Returns the first `LISTED` lines, and where to find the others. */
function capLines(lines: readonly string[], others: string): string[] {
  if (lines.length <= LISTED) return [...lines];
  return [...lines.slice(0, LISTED), `and ${lines.length - LISTED} more: ${others}`];
}

/** Maximum number of characters of workers' claims that the code reviewer is shown; a file has the rest. */
const CLAIMS_SHOWN = 12_000;

function describeCriteria(criteria: readonly string[] | null): string {
  if (criteria === null)
    return '`criteria`: what you judged, each with an id of its own; `[]` when there was nothing to judge.';
  return criteria.length === 0
    ? '`criteria`: empty; this todo has no assertion.'
    : '`criteria`: every id above, each once, with what you saw; a claim is no evidence.';
}

/** Tells the reviewer where to read the plan's decisions, so that it does not report them as mistakes. */
function describeDecisions(tx: Transaction): string[] {
  const { decisions = [] } = readPlanHead(tx);
  return decisions.length === 0
    ? []
    : [`decided on purpose: Decisions in ${toAbsolutePath(tx.place, tx.state.name, PLAN)}`];
}

/** Tells the reviewer how to see the run's changes, and which paths were dirty before the run began. */
function describeDiff(tx: Transaction): string[] {
  const { baseline } = tx.state;
  if (baseline === null) {
    const { order, todos } = requireEngine(tx);
    const files = [...new Set(order.flatMap((id) => todos[id]?.files ?? []))].map((glob) => toWholeLine(`\`${glob}\``));
    const plan = toAbsolutePath(tx.place, tx.state.name, CAPTURED_PLAN);
    return ['there is no repository; look at these files:', ...capLines(files, `the plan names them: ${plan}`)];
  }
  const dirty = Object.keys(baseline.dirty).map((path) => toWholeLine(`\`${path}\``));
  const state = toAbsolutePath(tx.place, tx.state.name, 'state.json');
  return [
    baseline.head === null ? 'everything in the repository: it had no commit before' : `\`git diff ${baseline.head}\``,
    'and what `git status --short` shows as untracked',
    ...(dirty.length === 0
      ? []
      : [`not of this run, changed before it began: ${capLines(dirty, `\`baseline.dirty\` in ${state}`).join(', ')}`]),
  ];
}
