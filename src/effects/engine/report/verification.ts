import { foreignLine } from '../../../documents/foreign.js';
import type { PlanAcceptance } from '../../../documents/plan-schema.js';
import { commandLine } from '../../../documents/plan-text.js';
import type { TodoState } from '../../../machine/engine/state.js';
import type { Evidence } from '../../../run/engine.js';
import type { Turn } from '../../turn.js';
import { gateKey } from '../gates.js';
import { bodyOf, engineOf, recipeEngine } from '../plan.js';

/** What the report tells of the evidence: commands and what they came to, judgements and whose they are. */
export function verification(turn: Turn, rows: readonly TodoState[]): string[] {
  const { evidence, reviews } = engineOf(turn);
  const verifies = recipeEngine(turn).program.stages.some(({ id }) => id === 'verify');
  const judged = rows.filter(({ attempt, status }) => attempt > 0 && status === 'done');
  return [
    ...judged.flatMap(({ id }) => {
      if (!verifies) return [`${id}: unverified`];
      const ran = (evidence[id] ?? []).map((one) => `${id} ${evidenceLine(one)}`);
      const lines = [...ran, ...bodyOf(turn, id).acceptance.flatMap((item) => judgement(turn, id, item))];
      return lines.length > 0 ? lines : [`${id}: nothing to verify`];
    }),
    ...reviews.map(({ verdict, summary }, index) => {
      return `code review${reviews.length > 1 ? `, round ${index + 1}` : ''}: ${verdict}; ${foreignLine(summary, 300)}`;
    }),
    ...(evidence[''] ?? []).map((one) => `final tree: ${one.todo ?? ''} ${evidenceLine(one)}`),
  ];
}

/** What no command could prove of a todo that is done, and who judged it. */
function judgement(turn: Turn, todo: string, item: PlanAcceptance): string[] {
  switch (item.kind) {
    case 'command':
      return [];
    case 'assertion':
      return [`${todo} ${item.id}: holds, as a verifier judged: ${foreignLine(item.text, 200)}`];
    case 'human': {
      const gates = turn.state.gates;
      const asked = Object.hasOwn(gates, gateKey({ todo, stage: 'verify', part: 'human' }));
      return asked ? [`${todo} ${item.id}: holds, as a person judged: ${foreignLine(item.text, 200)}`] : [];
    }
  }
}

function evidenceLine({ id, argv, outcome, tree, log }: Evidence): string {
  const where = tree === null ? '' : `, tree ${tree.slice(0, 7)}`;
  return `${id}: ${foreignLine(commandLine(argv), 200)}: ${outcome}${where} (${log})`;
}
