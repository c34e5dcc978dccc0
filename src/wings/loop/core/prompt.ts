import { renderForeignBlock, toBoundedLine, toWholeLine } from '../../../documents/foreign.js';
import type { LoopGoal } from '../goals.js';

/** Renders the prompt of a session (loop-core.md, auto, step 2). Pure: the same facts give the same bytes. */

/** An earlier attempt of the goal. */
export interface EarlierAttempt {
  n: number;
  classification: string;
  reason: string;
  /** The diff of the kept commit from its base. */
  diff: string;
  /** The output of the tests. */
  tests: string;
}

/** The decision on a question that was left open. */
export interface TicketDecision {
  /** The decision's id; `alternative` is the id of the chosen alternative. */
  id: string;
  alternative: string;
  question: string;
  approach: string;
  /** References to the evidence, as in the ticket. */
  refs: readonly string[];
}

export interface GoalPromptFacts {
  goal: LoopGoal;
  /** Memory's context for the goal. */
  context: string;
  /** Where to write the handoff, relative to the session's directory; null if a result is handed in instead. */
  handoff: string | null;
  testCommand: string;
  protectedPaths: readonly string[];
  /** The run that the session carries out; null: the session works without a recipe. */
  run: string | null;
  /**
   * `decided`: the decision that the session must follow, and the reference of the commit that its trial left. `tried`:
   * the alternative that this session of a spike tries.
   */
  decision: (TicketDecision & { kind: 'decided' | 'tried'; ref: string | null }) | null;
  notes: readonly string[];
  tried: readonly EarlierAttempt[];
  /** Whether the work tree already contains the last attempt's work. */
  continues: boolean;
}

/** Maximum characters of an earlier attempt's diff, and maximum lines of its test output. */
const DIFF = 5_000;
const TEST_LINES = 30;
/** Maximum number of earlier attempts described; if there are more, the oldest are left out. */
export const MAX_EARLIER_ATTEMPTS = 3;

/** Renders the prompt of a session. */
export function renderPrompt(facts: GoalPromptFacts): string {
  const { goal, context, decision, notes, tried } = facts;
  const parts = [
    `You work unattended on one goal: ${toWholeLine(goal.id)}: ${toWholeLine(goal.title)}`,
    context.trim(),
    ['What to do:', ...listOrders(facts).map((line, index) => `${index + 1}. ${line}`)].join('\n'),
    listTerms(facts).join('\n'),
    renderAcceptance(goal),
    ...(decision === null ? [] : renderDecision(decision)),
    ...notes.map((note) => renderForeignBlock(note, { label: 'A person adds', holds: true })),
    ...tried.slice(-MAX_EARLIER_ATTEMPTS).map((one, index, all) => renderTried(one, all[index - 1])),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function listOrders({ goal, run, testCommand, handoff, continues }: GoalPromptFacts): string[] {
  const here = continues
    ? 'this directory, which holds what the last attempt left'
    : 'this directory, a fresh copy of the branch';
  const work =
    run === null
      ? `Do the work in ${here}. Commit or not, as you like: what differs at the end counts.`
      : `Carry out the run ${run} in ${here}: call \`dev-cli next ${run}\`, do what it says, acknowledge as it says, until it is done. Where it waits for a person, end with status complete: dev-cli tells the person.`;
  const tests = `\`${toWholeLine(testCommand)}\``;
  return [
    work,
    goal.expect_failure
      ? `Write tests, not the code that they ask for: in the end ${tests} has to fail, by your new tests alone. It is run again afterwards, and decides.`
      : `Run the tests: ${tests}. If they fail because of your work, fix it and run them again, at most three times. They are run again afterwards, and decide. Never remove or weaken a test that is not about this goal.`,
    handoff === null
      ? 'Write no handoff: how it ended is said in the result, as the instructions of this packet say.'
      : `At the end, write how it ended into ${handoff}; without it nothing counts. Its form:\n   ---\n   timestamp: "<now, ISO 8601 with offset>"\n   status: complete|failed|blocked\n   goal_id: "${toWholeLine(goal.id)}"\n   reason: "<why, if not complete; in double quotes>"\n   ---\n   ## Done, ## Key Decisions, ## Changed Files, ## Next: a list below each`,
    'If the goal cannot be reached without a person, or makes no sense: ' +
      (handoff === null ? 'success false, action_taken "block", and the summary' : 'status blocked, and the reason') +
      ' says what is missing or asks the question. Nothing else stops the work.',
    `Do not ask questions: nobody reads them. Assume what is safe and can be undone, and ${handoff === null ? 'say it in the summary' : 'list it below Key Decisions'}.`,
  ];
}

/** Lists one sentence for each field of the goal that binds the session. */
function listTerms({ goal, protectedPaths, handoff }: GoalPromptFacts): string[] {
  const { allowed_changes: allowed, prompt_mode: mode } = goal;
  return [
    ...(allowed === null ? [] : [`Change nothing but ${quote(allowed)}.`]),
    ...(protectedPaths.length === 0 ? [] : [`Never change ${quote(protectedPaths)}.`]),
    `Do not change .ai/${handoff === null ? '' : ', except for the one handoff'}, nor .dev/.`,
    ...(mode === 'adversarial'
      ? ['Try to break what is there: look for inputs, orders and surroundings in which it fails.']
      : []),
  ];
}

function renderAcceptance({ acceptance }: LoopGoal): string {
  if (acceptance.length === 0) return '';
  const lines = acceptance.map((one) =>
    typeof one === 'string' ? toWholeLine(one) : `\`${toWholeLine(one.run)}\` exits with 0`,
  );
  return ['It is done when:', ...lines.map((line) => `- ${line}`)].join('\n');
}

function renderDecision({
  kind,
  id,
  alternative,
  question,
  approach,
  ref,
}: NonNullable<GoalPromptFacts['decision']>): string[] {
  return [
    kind === 'decided'
      ? `A question of this goal was decided, in ${toWholeLine(id)}: ${toWholeLine(alternative)}. Follow its approach.`
      : `You try one answer to a question: ${toWholeLine(alternative)}. Others try the others, and what they leave is compared: the smallest change that passes wins. Follow this approach, and change no more than it takes.`,
    renderForeignBlock(question, { label: 'The question' }),
    renderForeignBlock(approach, { label: 'The approach', holds: true }),
    ...(ref === null ? [] : [`An earlier attempt is kept as ${ref}: \`git show ${ref}\` shows it. Use what fits.`]),
  ];
}

function renderTried(
  { n, classification, reason, diff, tests }: EarlierAttempt,
  before: EarlierAttempt | undefined,
): string {
  const last = tests.trimEnd().split('\n').slice(-TEST_LINES).join('\n');
  const same = diff !== '' && diff === before?.diff;
  return [
    `Attempt ${n} ended as ${classification}: ${toBoundedLine(reason, 500)}${same ? ` (it changed the same as attempt ${before.n})` : ''}`,
    ...(diff === '' || same ? [] : [renderForeignBlock(diff, { label: `What attempt ${n} changed`, cap: DIFF })]),
    ...(last === '' ? [] : [renderForeignBlock(last, { label: `What its tests printed last` })]),
  ].join('\n\n');
}

const quote = (globs: readonly string[]): string => globs.map((glob) => `\`${toWholeLine(glob)}\``).join(', ');
