import type { Decision, DecisionSection, Look } from '../../base/decision.js';
import { defined } from '../../base/defined.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { renderPlanFacts } from '../../blocks/plan-question.js';
import { listRedAt } from '../../blocks/red.js';
import { listLastLines } from '../../documents/command-words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { listProposedCommands } from '../../engine/act/gates/apply-gate.js';
import { findCurrentGate } from '../../engine/act/gates/gates.js';
import { readWholePlan } from '../../engine/act/plan/plan.js';
import { listEvidence } from '../../engine/act/todo-rows.js';
import { APPLY_PLAN } from '../../machine/engine-program.js';
import { comparePlans } from '../../plan/changes/compare.js';
import { renderPlanChanges } from '../../plan/changes/render.js';
import { checkPlan } from '../../plan/check/check.js';
import { listCommands, renderCommand } from '../../plan/model/commands.js';
import type { PlanContent } from '../../plan/model/schema.js';
import { isPlanGate } from '../../recipe/declared.js';
import type { GateAction } from '../../run/action.js';
import { readCapturedRecipe } from '../../run/captured-recipe.js';
import { copyState } from '../../run/codec.js';
import type { Context } from '../../run/context.js';
import { displayPath } from '../../run/paths.js';
import { readPlan } from '../../run/plan-content.js';
import type { RunHead } from '../../run/state.js';
import { getBlock, openTransaction, type Transaction } from '../../run/transaction.js';
import { listPlanSections } from '../../views/gate.js';
import { listArtifact, listArtifactLooks } from './artifact.js';
import { listEdits, listOpenChoices, type OpenGate } from './plan-at-gate.js';
import { listReview, listReviewLooks } from './review.js';

/**
 * Builds what a person at the terminal decides on: the gate's message; for a plan all that its upper layer says, and every command,
 * uncut; what may be looked at first (protocol.md, A person's word).
 * @throws DevCliError `STATE_CORRUPT`
 */
export async function buildGateDecision(context: Context, gate: OpenGate): Promise<Decision> {
  const { head, action } = gate;
  const tx = openTransaction(context, head, copyState(head.snapshot), readCapturedRecipe(head));
  return {
    title: `${action.run} waits for you`,
    sections: listSections(tx, head, action, gate),
    answers: listOpenChoices(tx, gate).map(({ id, label, reason }) => ({ id, label, ...defined({ reason }) })),
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
      const run = commands.length === 0 ? [] : [{ heading: 'Commands, run by dev-cli', lines: commands }];
      return [ask(action.message), ...faults, ...run];
    }
    const runs = readWholePlan(tx);
    const sections = gate?.todo === null ? listPlanSections(runs) : [];
    // The commands that the message lists for the agent stand below, whole.
    const below = new Set(listCommands(runs).map((command) => `- ${renderCommand(command)}`));
    const question = ask(action.message);
    const lines = question.lines.filter((line) => sections.length === 0 || !below.has(line));
    return [{ ...question, lines }, ...faults, ...listEdits(asked, runs), ...sections];
  }
  const plan = isPlanGate(block) ? readPlan(tx.files) : null;
  const red = listRedAt(tx, action.block).map((one) => renderRed(tx, one));
  if (plan === null) return [ask(action.message), ...red, ...faults, ...listArtifact(tx, head, action)];
  const facts = renderPlanFacts(tx);
  // What the message says of the plan for the agent stands below, whole.
  const message =
    facts !== '' && action.message.endsWith(facts) ? action.message.slice(0, -facts.length) : action.message;
  const answered = listChanges(head, action.block, plan);
  const changes = answered.length > 0 ? answered : listEdits(asked, plan);
  return [ask(message), ...red, ...faults, ...changes, ...listReview(tx), ...listPlanSections(plan)];
}

/** Lines shown of the end of a red command's log, and the longest of them, in characters; a key shows it all. */
const RED_LINES = 8;
const RED_LINE_CAP = 300;
/** How much of its log is looked at for them, in characters. */
const RED_END = 20_000;

/** A command that is red: how it ended, what it printed last, where its log is. */
function renderRed(tx: Transaction, { id, red }: ReturnType<typeof listRedAt>[number]): DecisionSection {
  const output = red.log === undefined ? '' : (tx.files.text(red.log) ?? '').slice(-RED_END);
  const said = listLastLines(output, RED_LINES).map((line) => `  ${toBoundedLine(line, RED_LINE_CAP)}`);
  const log = red.log === undefined ? [] : [`log: ${displayPath(tx.place, tx.state.name, red.log)}`];
  const heading = `${red.exit === null ? 'Without a result' : 'Red'}: ${id}`;
  return { heading, lines: [toBoundedLine(red.outcome, RED_LINE_CAP), ...said, ...log] };
}

/** What has changed in the plan since somebody last answered this gate in this run; empty where nobody has. */
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

/** What may be looked at: the plan, or whatever else the gate is about; its review; the end of the last command of the todo that it is about. */
function listLooks(tx: Transaction, action: GateAction): Look[] {
  const log = findLog(tx, action);
  return [
    ...listArtifactLooks(tx, action),
    ...(isPlanGate(getBlock(tx, action.block)) ? listReviewLooks(tx) : []),
    ...(log === null ? [] : [{ key: 'l', word: 'log', label: 'the last log', look: async () => log }]),
  ];
}

/** The output of the command that ran last for the todo of a gate, or is red where it asks; null where there is none. */
function findLog(tx: Transaction, { todoId, block }: GateAction): string | null {
  const { engine } = tx.state;
  const last =
    engine !== null && todoId !== undefined ? listEvidence(engine, todoId).at(-1) : listRedAt(tx, block).at(-1)?.red;
  const output = last?.log === undefined ? null : tx.files.text(last.log);
  return last === undefined || output === null ? null : `${last.outcome}\n\n${output}`;
}
