// door: plan

import { toBoundedLine } from '../documents/foreign.js';
import { SUMMARY_LIMIT } from '../documents/report.js';
import { listCommands, renderCommandList, renderPlannedCommand } from '../plan/model/commands.js';
import { readPlanExtras } from '../plan/page/setting.js';
import { PLAN } from '../run/paths.js';
import { readPlan } from '../run/plan/content.js';
import type { Transaction } from '../run/transaction.js';

/**
 * Renders what the person who decides about the plan must know beyond PLAN.md, which was rendered before the review:
 * the review's verdict, words of the request that no requirement covers, and the commands that execution runs without
 * asking again.
 */
export function renderPlanFacts(tx: Transaction): string {
  const facts = [...describeReview(tx), ...renderUncovered(tx), ...renderCommands(tx)];
  return facts.map((fact) => `\n\n${fact}`).join('');
}

/**
 * Describes the last review: its round, and each reviewer's verdict and summary; empty if there is no review that still
 * holds.
 */
export function describeReview({ state: { reviews, steps } }: Transaction): string[] {
  const last = reviews.at(-1);
  const status = last === undefined ? undefined : steps[last.block]?.status;
  // If the block of the last review is neither done nor failed, the plan was rewritten after that review, which
  // therefore no longer holds.
  if (last === undefined || (status !== 'done' && status !== 'failed')) return [];
  const rows = reviews.filter(({ block, round }) => block === last.block && round === last.round);
  const verdicts = rows.map(({ agent, verdict, summary }) => {
    const who = rows.length === 1 ? '' : `${agent} `;
    const said = verdict === 'OKAY' ? '' : `: ${toBoundedLine(summary, SUMMARY_LIMIT)}`;
    return `${who}${verdict ?? 'no verdict'}${said}`;
  });
  const since = last.edited === true ? ', before the plan was edited' : '';
  return [`Review, round ${last.round}${since}: ${verdicts.join('; ')}`];
}

function renderUncovered({ files }: Transaction): string[] {
  const { uncovered } = readPlanExtras(files.text(PLAN) ?? '');
  return uncovered === undefined ? [] : [`${PLAN} names words of the request that no requirement covers.`];
}

function renderCommands({ files }: Transaction): string[] {
  const plan = readPlan(files);
  const commands = plan === null ? [] : listCommands(plan);
  if (commands.length === 0) return [];
  return [
    `Execution will run these commands:\n${renderCommandList(commands.map(renderPlannedCommand), `${PLAN} lists them all`)}`,
  ];
}
