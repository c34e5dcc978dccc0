import { inspectJob } from '../../../jobs/detached.js';
import { checkOutTree } from '../../../work/attempt-commits.js';
import { judgeChecks, judgeSession } from '../core/judge.js';
import type { LoopGoal } from '../goals.js';
import { type AttemptSite, findRecords, listKeptPaths, type NamedCommand, runCommand, type StepEnd } from '../site.js';
import { isHandedIn } from '../state.js';
import type { Attempt, CommandFact, Verdict } from '../state-schema.js';
import { buildStoppedEnd, nameNextSession, prepareHanded, reviveTree } from './prepare.js';

/**
 * Judges an attempt by its kept commit: the tests run on that commit alone (loop-core.md, auto, step 5). Runs on the
 * machine that has the tree.
 * @throws DevCliError `GIT_FAILED`, `IO`, `COMMAND_FAILED`
 */
export async function judgeAttempt(site: AttemptSite, attempt: Attempt, goal: LoopGoal): Promise<StepEnd> {
  const { facts } = attempt;
  if (facts === null) throw new Error('an attempt without facts is not judged');
  const first = judgeSession(facts, attempt);
  switch (first.next) {
    case 'session':
      return { event: 'AGAIN', patch: await nameNextSession(site, attempt) };
    case 'park':
      return { event: 'PARK', patch: {} };
    case 'verdict':
      return { event: 'OVER', patch: { verdict: first.verdict } };
    case 'test':
      break;
  }
  const isUntested = inspectJob(`${findRecords(site, attempt)}/test-1`).state === 'absent';
  if (isHandedIn(attempt) && attempt.kept !== null && isUntested) {
    const refused = await prepareHanded(site, attempt, attempt.kept);
    if (refused !== null) return refused;
  }
  const checks = await runChecks(site, attempt, goal, 'test');
  if (checks === null) return buildStoppedEnd();
  const second = judgeChecks(goal, facts, checks);
  if (second.next !== 'verdict') throw new Error('checks give a verdict');
  const verdict = await askBase(site, attempt, second.verdict, checks);
  return { event: verdict.success ? 'ACCEPT' : 'OVER', patch: { verdict, checks } };
}

/**
 * If an attempt is refused because the tests fail, runs them on its base, too. If they also fail there, the verdict
 * says so, because then the attempt is not the cause.
 */
async function askBase(
  site: AttemptSite,
  attempt: Attempt,
  verdict: Verdict,
  [tests]: CommandFact[],
): Promise<Verdict> {
  const { config, git, signal } = site;
  if (tests === undefined || tests.exit === 0 || verdict.success) return verdict;
  await checkOutTree(attempt.tree, attempt.base, listKeptPaths(site), git);
  const line = config.test_command;
  const seconds = config.test_timeout_minutes * 60;
  const { exit } = await runCommand(site, attempt, { name: 'base-1', argv: [line], line, shell: true, seconds });
  if (exit === 0 || signal.aborted) return verdict;
  return { ...verdict, reason: `${verdict.reason}; it fails without this attempt, too` };
}

/**
 * Runs the tests and the goal's acceptance commands in the attempt's tree, reset to the kept commit.
 * @param label begins the names of the records; a command whose record exists is not run again
 * @returns null if a signal ended them
 */
export async function runChecks(
  site: AttemptSite,
  attempt: Attempt,
  goal: LoopGoal,
  label: string,
): Promise<CommandFact[] | null> {
  const { config } = site;
  const begun = inspectJob(`${findRecords(site, attempt)}/${label}-1`).state !== 'absent';
  if (!begun && label === 'test' && attempt.kept !== null) {
    await reviveTree(site, attempt, attempt.kept);
    await checkOutTree(attempt.tree, attempt.kept, listKeptPaths(site), site.git);
  }
  const runs = goal.acceptance.flatMap((one) => (typeof one === 'string' ? [] : [one.run]));
  const facts: CommandFact[] = [];
  for (const [index, line] of [config.test_command, ...runs].entries()) {
    const seconds = config.test_timeout_minutes * 60;
    const command: NamedCommand = { name: `${label}-${index + 1}`, argv: [line], line, shell: true, seconds };
    const { interrupted, ...fact } = await runCommand(site, attempt, command);
    if (interrupted && site.signal.aborted) return null;
    facts.push(fact);
    if (index === 0 && (fact.exit !== 0) !== goal.expect_failure) break;
  }
  return facts;
}
