import type { DecisionSection, Look } from '../../base/decision.js';
import { describeReview } from '../../blocks/plan-question.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { readReviewNotes } from '../../engine/act/prompts/review-notes.js';
import { readPlanSetting } from '../../plan/page/setting.js';
import { displayPath, PLAN } from '../../run/paths.js';
import type { Transaction } from '../../run/transaction.js';

/** What the review of a plan came to, for whoever decides about the plan (protocol.md, A person's word). */

/** Notes that are shown, and the longest, in characters; a key shows the review whole. */
const NOTES = 6;
const NOTE_CAP = 400;

/** Shows the last review's verdict, what the reviewer noted, and words of the request that nothing covers. */
export function listReview(tx: Transaction): DecisionSection[] {
  const { uncovered = [] } = readPlanSetting(tx.files.text(PLAN) ?? '');
  const verdicts = describeReview(tx);
  return [
    ...(verdicts.length === 0 ? [] : [{ heading: 'Review', lines: [...verdicts, ...listNotes(tx)] }]),
    ...(uncovered.length === 0
      ? []
      : [{ heading: 'Words of the request that no requirement covers', lines: uncovered }]),
  ];
}

function listNotes(tx: Transaction): string[] {
  const notes = readReviewNotes(tx, tx.state) ?? [];
  const shown = notes.slice(0, NOTES).map((note) => `- ${toBoundedLine(note, NOTE_CAP)}`);
  return notes.length > NOTES ? [...shown, `- and ${notes.length - NOTES} more notes`] : shown;
}

/** The key that shows the last review whole, each reviewer's. */
export function listReviewLooks(tx: Transaction): Look[] {
  const { reviews } = tx.state;
  const last = reviews.at(-1);
  if (last === undefined || describeReview(tx).length === 0) return [];
  const texts = reviews.flatMap(({ block, round, output }) => {
    const text = block === last.block && round === last.round && output !== null ? tx.files.text(output) : null;
    return text === null || output === null ? [] : [`${displayPath(tx.place, tx.state.name, output)}\n\n${text}`];
  });
  return texts.length === 0
    ? []
    : [{ key: 'r', word: 'review', label: 'the review', look: async () => texts.join('\n') }];
}
