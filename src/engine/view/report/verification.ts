import { cutToSecond } from '../../../base/clock.js';
import { toBoundedLine, toCommandLine } from '../../../documents/foreign.js';
import type { PlanAcceptance } from '../../../plan/model/schema.js';
import type { CommandEvidence, TodoState } from '../../../run/engine-rows.js';
import type { Transaction } from '../../../run/transaction.js';
import { getTodoBody, requireEngine, requireEngineRecipe } from '../../act/plan/plan.js';
import { isJudgedByItself } from '../../act/results/judges.js';
import { getCriterionId } from '../../act/results/requirements.js';
import { getGateKey } from '../../core/events.js';

/** Renders the evidence: each command with its outcome, each judgement with its judge. */
export function renderVerification(tx: Transaction, rows: readonly TodoState[]): string[] {
  const { evidence, reviews } = requireEngine(tx);
  const verifies = requireEngineRecipe(tx).program.stages.some(({ id }) => id === 'verify');
  const tried = rows.filter(({ attempt, status }) => attempt > 0 && (status === 'done' || status === 'failed'));
  return [
    ...tried.flatMap((row) => {
      const { id, evidence: proofs = [], verdicts = [] } = row;
      const lines = [
        ...proofs.map((one) => `${id} ${renderEvidenceLine(tx, one)}`),
        ...verdicts.map((one) => `${id} ${renderVerdict(one)}`),
        ...(verifies && row.status === 'done' ? renderJudgements(tx, id) : []),
      ];
      if (lines.length > 0 || row.status === 'failed') return lines;
      return [verifies ? `${id}: nothing to verify` : `${id}: unverified`];
    }),
    ...reviews.map(({ verdict, summary }, index) => {
      return `code review${reviews.length > 1 ? `, round ${index + 1}` : ''}: ${verdict}; ${toBoundedLine(summary, 300)}`;
    }),
    ...evidence.map((one) => `final verification: ${one.todo ?? ''} ${renderEvidenceLine(tx, one)}`),
  ];
}

/** Renders the verdict of one of the recipe's own handlers. */
function renderVerdict({ stage, attempt, status, summary }: NonNullable<TodoState['verdicts']>[number]): string {
  return `${stage}, attempt ${attempt}: ${status}; ${summary}`;
}

/** Renders the criteria of a done todo that no command can prove, each with its judge. */
function renderJudgements(tx: Transaction, todo: string): string[] {
  const body = getTodoBody(tx, todo);
  const byPaths = body.mustNotDo.filter((rule) => typeof rule !== 'string').length;
  const judged = body.mustNotDo.length - byPaths;
  const own = isJudgedByItself(tx, body);
  const reviewed = requireEngine(tx).reviews.length > 0;
  const judge = own
    ? ' kept, as a verifier judged'
    : reviewed
      ? ' kept, as the code review judged'
      : ' judged by nobody';
  return [
    ...body.acceptance.flatMap((item) => renderJudgement(tx, todo, item, own)),
    ...(judged === 0 ? [] : [`${todo}: ${renderRuleCount(judged)}${judge}`]),
    ...(byPaths === 0 ? [] : [`${todo}: ${renderRuleCount(byPaths)} kept, by the paths that changed`]),
  ];
}

function renderRuleCount(count: number): string {
  return count === 1 ? 'its rule of what must not be done is' : 'its rules of what must not be done are';
}

/**
 * Renders the judgement on an assertion or a human check; nothing for a command, which is listed as evidence.
 * @param own whether a verifier judged the todo's assertions, rather than the code review
 */
function renderJudgement(tx: Transaction, todo: string, item: PlanAcceptance, own: boolean): string[] {
  switch (item.kind) {
    case 'command':
      return [];
    case 'assertion':
      return [
        `${todo} ${item.id}: ${own ? 'holds, as a verifier judged' : renderReviewed(tx, todo, item.id)}: ${toBoundedLine(item.text, 200)}`,
      ];
    case 'human': {
      const key = getGateKey({ todo, stage: 'verify', part: 'human' });
      const { gates } = tx.state;
      const gate = Object.hasOwn(gates, key) ? gates[key] : undefined;
      const passed = gate?.choice === 'pass' && gate.by === 'human';
      const judged = passed ? 'holds, as a person judged' : 'judged by nobody (autopilot)';
      return [`${todo} ${item.id}: ${judged}: ${toBoundedLine(item.text, 200)}`];
    }
  }
}

/** Renders what the code review said about an assertion. */
function renderReviewed(tx: Transaction, todo: string, id: string): string {
  const asked = getCriterionId(todo, id);
  const said = requireEngine(tx)
    .reviews.at(-1)
    ?.criteria?.find((one) => one.id === asked);
  if (said === undefined) return 'judged by nobody';
  return `${said.pass ? 'holds' : 'does not hold'}, as the code review judged`;
}

/** Renders one command's evidence. Names the log only if it still exists. */
function renderEvidenceLine(tx: Transaction, one: CommandEvidence): string {
  return `${one.id}: ${toCommandLine(one.argv, 200)}: ${renderOutcome(one)}${renderPlace(one)}${renderLog(tx, one)}`;
}

/** Renders how a command ended. For a reused result, adds when it was produced. */
function renderOutcome({ reused, outcome, exit, at }: CommandEvidence): string {
  if (reused !== true) return outcome;
  const expected = exit === null || exit === 0 ? '' : ', as expected,';
  return `exit ${exit ?? 0}${expected} at ${cutToSecond(at)}, and nothing has changed since`;
}

/**
 * Renders the commit that was checked out, which a reader can look up, and the digest that identifies the work tree.
 */
function renderPlace({ commit, tree }: CommandEvidence): string {
  return `${commit === null ? '' : `, on commit ${commit.slice(0, 7)}`}${tree === null ? '' : `, tree ${tree.slice(0, 7)}`}`;
}

function renderLog({ files }: Transaction, { log }: CommandEvidence): string {
  return files.facts(log).kind === 'file' ? ` (${log})` : '';
}

/**
 * Lists commands that failed on the same tree on which they passed in the final verification. No change to the tree
 * explains the difference, so they may fail again.
 */
export function listUnsteady(tx: Transaction): string[] {
  const { evidence, reds = [] } = requireEngine(tx);
  return reds.flatMap((red) => {
    const green = evidence.find((one) => one.ok && one.tree === red.tree && isSameCommand(one, red));
    if (green === undefined) return [];
    const command = toCommandLine(red.argv, 200);
    const where = `${renderPlace(red)}${renderLog(tx, red)}`.replace(/^, /, '');
    return [
      `red and green on the same tree: ${red.todo ?? ''} ${red.id}: ${command}: ${red.outcome} at ${cutToSecond(red.at)}, ${where}; nothing that git sees was changed before it passed`,
    ];
  });
}

function isSameCommand(one: CommandEvidence, other: CommandEvidence): boolean {
  return one.argv.length === other.argv.length && one.argv.every((word, index) => word === other.argv[index]);
}
