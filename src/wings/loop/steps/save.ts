import { posix } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { inspectJob } from '../../../jobs/detached.js';
import { createFile } from '../../../project/own-places.js';
import { keepDifference, type TreeDifference } from '../../../work/attempt-commits.js';
import { createGlobTest } from '../../../work/paths.js';
import { findCommitOf, listReferences, repairTree } from '../../../work/trees.js';
import { checkWaiting } from '../core/judge.js';
import type { LoopGoal } from '../goals.js';
import { type AttemptSite, findRecords, locateRootInTree, readFact, type StepEnd } from '../site.js';
import { nameAttempt, nameRecords, nameReference } from '../state.js';
import type { Attempt, SessionFacts } from '../state-schema.js';
import { HANDOFFS, listHandoffs, type NamedHandoff, readHandoff, readHandoffText } from './handoffs.js';
import { nameSession } from './session.js';

/** The empty difference, for a session that removed its own tree. */
const NOTHING: TreeDifference = { commit: null, paths: [], left: [] };

/**
 * Keeps the attempt's current work as a commit, and collects the facts for the judge; scope and verdict depend on that
 * commit alone (loop-core.md, auto, step 4). Runs on the machine that has the tree, and changes none of its files.
 * @throws DevCliError `GIT_FAILED`, `IO`
 */
export async function saveAttempt(site: AttemptSite, attempt: Attempt, goal: LoopGoal): Promise<StepEnd> {
  const { git, top, prefix, context, refs } = site;
  const own = `${prefix}.ai/`;
  const change = {
    base: attempt.base,
    zero: attempt.zero ?? attempt.base,
    message: `${nameAttempt(attempt)}: ${goal.title}`,
    leaves: (path: string) => path.startsWith(own),
  };
  const { commit, paths, left } = (await repairTree(top, attempt.tree, git))
    ? await keepDifference(attempt.tree, change, git)
    : NOTHING;
  const kept = commit ?? attempt.kept;
  if (commit !== null) {
    const name = nameReference(attempt);
    const from = await findCommitOf(top, name, git);
    const refused = await refs.move(name, { from, to: commit });
    if (refused !== null)
      throw new DevCliError('GIT_FAILED', `${name} cannot be written.`, {
        details: [{ target: name, problem: refused }],
      });
  }
  const place = locateRootInTree(site, attempt);
  const fresh = listHandoffs(context, `${place}/${HANDOFFS}`).filter(
    ({ name, handoff }) => !attempt.handoffs.includes(name) && handoff.goalId === goal.id,
  );
  const unread = findUnread(site, attempt, fresh);
  const changed = paths.map((path) => posix.relative(prefix === '' ? '.' : prefix, path));
  const strange = left
    .map((path) => path.slice(prefix.length))
    .filter((path) => !isHandoff(path, fresh) && path !== `${HANDOFFS}/${unread}`);
  const misnamed = strange.filter((path) => keepMisnamed(site, attempt, path));
  const facts: SessionFacts = {
    session: readSession(site, attempt),
    handoff: describe(fresh.find(({ name }) => name === attempt.handoff) ?? fresh.at(-1)),
    unread,
    misnamed: misnamed[0] === undefined ? null : { name: posix.basename(misnamed[0]), wanted: attempt.handoff },
    run: await readRun(site, attempt),
    changed: changed.filter((path) => !path.startsWith('.dev/')),
    forbidden: [...strange.filter((path) => !misnamed.includes(path)), ...changed.filter(createScopeTest(site, goal))],
    branches: [...(await listReferences(top, 'refs/heads', git)).keys()].filter(
      (one) => !attempt.branches.includes(one),
    ),
  };
  const documents = fresh.map(({ name, text }) => ({
    path: `${nameRecords(attempt)}/handoffs/${name}`,
    content: text,
  }));
  return { event: 'SAVED', patch: { kept, facts }, documents };
}

/** Reads how the session ended; if it ran on another machine, returns what that machine reported. */
function readSession(site: AttemptSite, attempt: Attempt): SessionFacts['session'] {
  const records = `${findRecords(site, attempt)}/${nameSession(attempt)}`;
  const known = inspectJob(records).state === 'absent' ? attempt.facts?.session : undefined;
  return known ?? readFact(records, attempt.tool);
}

/** Returns the name of the expected handoff if it exists but is invalid; keeps a copy for people to read. */
function findUnread(site: AttemptSite, attempt: Attempt, fresh: readonly NamedHandoff[]): string | null {
  const { handoff: name } = attempt;
  const directory = `${locateRootInTree(site, attempt)}/${HANDOFFS}`;
  if (fresh.some((one) => one.name === name) || !site.context.reader.list(directory).includes(name)) return null;
  const text = readHandoffText(site.context, `${directory}/${name}`);
  if (text !== null) createFile(`${findRecords(site, attempt)}/unread/${name}`, text, site.context.root);
  return name;
}

/**
 * Keeps a new handoff of the goal that has the wrong name, for people to read.
 * @returns whether the path is such a file
 */
function keepMisnamed(site: AttemptSite, attempt: Attempt, path: string): boolean {
  const name = posix.basename(path);
  if (path !== `${HANDOFFS}/${name}` || !name.endsWith('.md') || attempt.handoffs.includes(name)) return false;
  const text = readHandoffText(site.context, `${locateRootInTree(site, attempt)}/${path}`);
  if (text === null || readHandoff(text)?.goalId !== attempt.goal) return false;
  createFile(`${findRecords(site, attempt)}/unread/${name}`, text, site.context.root);
  return true;
}

const isHandoff = (path: string, fresh: readonly NamedHandoff[]): boolean =>
  fresh.some(({ name }) => path === `${HANDOFFS}/${name}`);

function describe(newest: NamedHandoff | undefined): SessionFacts['handoff'] {
  return newest === undefined ? null : { status: newest.handoff.status, reason: newest.handoff.reason ?? '' };
}

/** Creates a test that is true for paths, relative to the root, that an attempt must not change. */
export function createScopeTest(
  { config }: Pick<AttemptSite, 'config'>,
  { allowed_changes: allowed }: LoopGoal,
): (path: string) => boolean {
  const isAllowed = allowed === null ? () => true : createGlobTest(allowed);
  const isProtected = createGlobTest(config.protected_paths);
  return (path) => path.startsWith('.dev/') || isProtected(path) || !isAllowed(path);
}

async function readRun({ context }: AttemptSite, { run, runSeq }: Attempt): Promise<SessionFacts['run']> {
  if (run === null) return null;
  const { snapshot, seq } = await context.store.read(run);
  if (snapshot === null) return { status: 'aborted', waits: false, grew: false, said: 'it is gone' };
  return { status: snapshot.status, ...checkWaiting(snapshot), grew: seq > runSeq };
}
