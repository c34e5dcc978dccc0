import { foreignLine } from '../../../documents/foreign.js';
import type { PlanAcceptance } from '../../../documents/plan-schema.js';
import { commandLine } from '../../../documents/plan-text.js';
import type { Evidence } from '../../../run/engine.js';
import type { TodoState } from '../../../run/engine-rows.js';
import type { Turn } from '../../../run/turn.js';
import { gateKey } from '../../act/gates.js';
import { bodyOf, engineOf, recipeEngine } from '../../act/plan.js';

/** What the report tells of the evidence: commands and what they came to, judgements and whose they are. */
export function verification(turn: Turn, rows: readonly TodoState[]): string[] {
  const { evidence, reviews } = engineOf(turn);
  const verifies = recipeEngine(turn).program.stages.some(({ id }) => id === 'verify');
  const tried = rows.filter(({ attempt, status }) => attempt > 0 && (status === 'done' || status === 'failed'));
  return [
    ...tried.flatMap((row) => {
      const { id } = row;
      const lines = [
        ...(evidence[id] ?? []).map((one) => `${id} ${evidenceLine(turn, one)}`),
        ...verdictLines(turn, id),
        ...(verifies && row.status === 'done' ? judgements(turn, id) : []),
      ];
      if (lines.length > 0 || row.status === 'failed') return lines;
      return [verifies ? `${id}: nothing to verify` : `${id}: unverified`];
    }),
    ...reviews.map(({ verdict, summary }, index) => {
      return `code review${reviews.length > 1 ? `, round ${index + 1}` : ''}: ${verdict}; ${foreignLine(summary, 300)}`;
    }),
    ...(evidence[''] ?? []).map((one) => `final verification: ${one.todo ?? ''} ${evidenceLine(turn, one)}`),
  ];
}

/** What agents of the recipe's own handlers said, attempt by attempt. */
function verdictLines(turn: Turn, todo: string): string[] {
  const verdicts = engineOf(turn).verdicts?.[todo] ?? [];
  return verdicts.map(
    ({ stage, attempt, status, summary }) => `${todo} ${stage}, attempt ${attempt}: ${status}; ${summary}`,
  );
}

/** What no command could prove of a todo that is done, and who judged it. */
function judgements(turn: Turn, todo: string): string[] {
  const { acceptance, mustNotDo } = bodyOf(turn, todo);
  const rules =
    mustNotDo.length === 1 ? 'its rule of what must not be done is' : 'its rules of what must not be done are';
  return [
    ...acceptance.flatMap((item) => judgement(turn, todo, item)),
    ...(mustNotDo.length === 0 ? [] : [`${todo}: ${rules} kept, as a verifier judged`]),
  ];
}

function judgement(turn: Turn, todo: string, item: PlanAcceptance): string[] {
  switch (item.kind) {
    case 'command':
      return [];
    case 'assertion':
      return [`${todo} ${item.id}: holds, as a verifier judged: ${foreignLine(item.text, 200)}`];
    case 'human': {
      const key = gateKey({ todo, stage: 'verify', part: 'human' });
      const { gates } = turn.state;
      const gate = Object.hasOwn(gates, key) ? gates[key] : undefined;
      const passed = gate?.choice === 'pass' && gate.by === 'human';
      const told = passed ? 'holds, as a person judged' : 'judged by nobody (autopilot)';
      return [`${todo} ${item.id}: ${told}: ${foreignLine(item.text, 200)}`];
    }
  }
}

/** A log is named only while it is there. */
function evidenceLine(turn: Turn, { id, argv, outcome, tree, log }: Evidence): string {
  const where = tree === null ? '' : `, tree ${tree.slice(0, 7)}`;
  const kept = turn.files.facts(log).kind === 'file' ? ` (${log})` : '';
  return `${id}: ${foreignLine(commandLine(argv), 200)}: ${outcome}${where}${kept}`;
}
