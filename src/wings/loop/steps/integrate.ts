import { toBoundedLine, toWholeLine } from '../../../documents/foreign.js';
import { checkOutTree, commitStaged, pickChanges } from '../../../work/attempt-commits.js';
import { findCommitByLine } from '../../../work/commit-search.js';
import { findCommitOf } from '../../../work/trees.js';
import { failToIntegrate, judgeChecks } from '../core/judge.js';
import type { LoopGoal } from '../goals.js';
import { requireHold } from '../hold.js';
import { type AttemptSite, listKeptPaths, type StepEnd } from '../site.js';
import { nameAttempt } from '../state.js';
import type { Attempt } from '../state-schema.js';
import { runChecks } from './judge.js';
import { buildStoppedEnd, reviveTree } from './prepare.js';

/** How many times to try to move the branch, which others may move meanwhile, before it counts as unmoved. */
const TRIES = 5;
/** Maximum characters of a commit's first line. */
const SUBJECT = 72;

/**
 * Puts the kept commit on the branch, as one commit (loop-core.md, auto, step 6), one attempt at a time. Runs at the
 * root; the user's own work tree only ever moves by a fast-forward.
 * @throws DevCliError `CLAIM_REFUSED`, `GIT_FAILED`, `IO`, `COMMAND_FAILED`
 */
export async function integrateAttempt(site: AttemptSite, attempt: Attempt, goal: LoopGoal): Promise<StepEnd> {
  const { top, git, refs } = site;
  const { branch } = attempt;
  const trailer = `Dev-Cli-Attempt: ${nameAttempt(attempt)}`;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const tip = await refs.findTip(branch);
    if (tip === null) return over('failed', `the branch ${branch} is gone`);
    const done = await findCommitByLine(top, trailer, { since: attempt.base, head: tip }, git);
    if (done !== null) return { event: 'INTEGRATED', patch: { commit: done } };
    const made = await makeCommit(site, attempt, goal, { tip, trailer });
    if ('event' in made) return made;
    await requireHold(site, attempt);
    const moved = await refs.moveBranch(branch, { from: tip, to: made.commit });
    if (moved.kind === 'moved') return { event: 'INTEGRATED', patch: { commit: made.commit } };
    if (moved.kind === 'refused')
      return unmoved(attempt, `the branch could not be moved: ${toBoundedLine(moved.reason, 1_000)}`);
  }
  return unmoved(attempt, `${branch} kept moving`);
}

function unmoved({ verdict }: Attempt, reason: string): StepEnd {
  return { event: 'UNMOVED', patch: verdict === null ? {} : { verdict: { ...verdict, reason } } };
}

/** Makes the commit on a tip, unless an interrupted call already made it. */
async function makeCommit(
  site: AttemptSite,
  attempt: Attempt,
  goal: LoopGoal,
  { tip, trailer }: { tip: string; trailer: string },
): Promise<{ commit: string } | StepEnd> {
  const { git, signal } = site;
  const { tree, kept, base } = attempt;
  if (kept === null) return over('failed', 'nothing was kept');
  await reviveTree(site, attempt, kept);
  const present = await findCommitByLine(tree, trailer, { since: tip, head: 'HEAD' }, git);
  const parent = present === null ? null : await findCommitOf(tree, `${present}^`, git);
  if (present !== null && parent === tip) return { commit: present };
  await checkOutTree(tree, tip, listKeptPaths(site), git);
  const conflict = await pickChanges(tree, kept, git);
  if (conflict !== null)
    return over('merge-fail', `it does not fit on ${attempt.branch}: ${toBoundedLine(conflict, 500)}`);
  if (tip !== base) {
    const checks = await runChecks(site, attempt, goal, `again-${tip.slice(0, 12)}`);
    if (checks === null || signal.aborted) return buildStoppedEnd();
    const judged = judgeChecks(goal, attempt.facts ?? { handoff: null, unread: null, run: null }, checks);
    if (judged.next === 'verdict' && !judged.verdict.success)
      return over('failed', `on the new tip: ${judged.verdict.reason}`);
    // Discards the changes that the tests made.
    await reviveTree(site, attempt, kept);
    await checkOutTree(tree, tip, listKeptPaths(site), git);
    await pickChanges(tree, kept, git);
  }
  const made = await commitStaged(tree, renderMessage(attempt, goal, trailer), git);
  return 'commit' in made ? made : over('failed', `git refused the commit: ${toBoundedLine(made.refused, 1_000)}`);
}

function renderMessage(attempt: Attempt, goal: LoopGoal, trailer: string): string {
  const subject = toBoundedLine(`${goal.type}(${goal.id}): ${toWholeLine(goal.title)}`, SUBJECT);
  return `${subject}\n\nDev-Cli-Goal: ${attempt.goal}\n${trailer}\n`;
}

function over(classification: 'merge-fail' | 'failed', reason: string): StepEnd {
  return { event: 'OVER', patch: { verdict: failToIntegrate(classification, reason) } };
}
