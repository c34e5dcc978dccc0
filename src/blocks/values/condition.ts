// door: conditions

import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { readDraft } from '../../documents/draft.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { SECTION_IDS } from '../../documents/sections.js';
import { findCurrentBlock } from '../../machine/position.js';
import { evaluateCondition } from '../../recipe/conditions/conditions.js';
import { listRootNames } from '../../recipe/conditions/text.js';
import { getSize } from '../../run/facts.js';
import { getRound, type Transaction } from '../../run/transaction.js';
import { type BlockValues, readBlockValues } from './block-values.js';

/** Conditions over the values of a run (recipes.md, Conditions). */

/** The block whose `when` condition is being evaluated, before the run enters that block. */
export interface Entering {
  block: string;
  /** Whether the block that the run is about to leave has failed; otherwise it is done. */
  failed: boolean;
}

/**
 * Whether a condition of the recipe holds. If it cannot be evaluated because a block's data, which has no schema, is of
 * an unexpected type, it counts as false and the answer says so: an agent's data must not stop the run.
 * @param block the block whose round the condition sees as `round`; null outside any block
 * @param about other values that the condition uses
 * @throws DevCliError `RECIPE_INVALID` like `evaluateCondition`
 */
export function evaluateConditionInRun(
  tx: Transaction,
  condition: string,
  block: string | null,
  { entering, todo }: { entering?: Entering; todo?: object | null } = {},
): boolean {
  try {
    return evaluateCondition(condition, { ...buildScope(tx, block, entering), ...omitUndefined({ todo }) });
  } catch (error) {
    const isOfValues = error instanceof DevCliError && error.code === 'RECIPE_INVALID';
    if (!isOfValues || !listRootNames(condition).has('blocks')) throw error;
    tx.warnings.push(`${toBoundedLine(error.message, 400)} The condition counts as false.`);
    return false;
  }
}

/** Builds the values that a condition sees. Every declared name exists, and is null when unset. */
function buildScope(tx: Transaction, block: string | null, entering: Entering | undefined): Record<string, unknown> {
  const { state } = tx;
  const draftText = tx.files.text('DRAFT.md');
  const sections = draftText === null ? null : readDraft(draftText);
  const blocks = readBlockValues(tx);
  const foreseen = entering === undefined ? {} : foresee(tx, blocks, entering);
  return {
    mode: state.mode,
    vars: state.vars,
    goal: state.goal,
    preferences: state.preferences,
    round: getRound(tx, block),
    size: getSize(state).value,
    draft: Object.fromEntries(SECTION_IDS.map((id) => [id, sections?.[id] ?? { filled: false, text: '' }])),
    agents: Object.fromEntries(
      Object.entries(state.agents).map(([id, agent]) => [
        id,
        {
          status: agent.status,
          verdict: agent.verdict ?? null,
          summary: agent.summary ?? null,
          questions: agent.questions ?? null,
        },
      ]),
    ),
    blocks: { ...blocks, ...foreseen },
    result: state.result,
  };
}

/**
 * Computes the values of blocks as they will be when the block is entered. They differ from the recorded values,
 * because conditions are evaluated first: the block that the run is leaving counts as ended, and the blocks in between
 * as skipped.
 */
function foresee(
  { state: { machine }, captured }: Transaction,
  blocks: Record<string, BlockValues>,
  { block, failed }: Entering,
): Record<string, BlockValues> {
  const order = captured.recipe.blocks.map(({ id }) => id);
  const resting = order.indexOf(findCurrentBlock(machine) ?? '');
  const between = order.slice(resting + 1, order.indexOf(block));
  const statuses = new Map(between.map((id) => [id, 'skipped']));
  const here = order[resting];
  if (here !== undefined) statuses.set(here, failed ? 'failed' : 'done');
  else if (captured.recipe.program.blocks[0]?.standsForInit === true) statuses.set(order[0] ?? '', 'done');
  return Object.fromEntries(
    [...statuses].flatMap(([id, status]) => {
      const known = blocks[id];
      return known === undefined ? [] : [[id, { ...known, status }]];
    }),
  );
}
