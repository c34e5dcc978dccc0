import { posix, resolve } from 'node:path';
import type { Answer } from '../../../base/answer.js';
import { formatInstant } from '../../../base/clock.js';
import { DevCliError, type ErrorDetail } from '../../../base/errors.js';
import { isRecord, parseOrNull } from '../../../base/json.js';
import { toBoundedLine, toWholeLine } from '../../../documents/foreign.js';
import { type CheckedSchema, findFaults } from '../../../documents/schema-faults.js';
import { describeFaults } from '../../../documents/schema-findings.js';
import outline from '../../../generated/protocol-result-outline.js';
import { makePrivateDirectory } from '../../../project/own-places.js';
import type { Context } from '../../../run/context.js';
import { readRegular, readStats } from '../../../store/inside.js';
import { withIoErrors } from '../../../store/io.js';
import { applyPatchToCommit, commitTree, listPathChanges, type PathChange } from '../../../work/attempt-commits.js';
import { type GitOptions, nullIfRefused, executeGit as runGit } from '../../../work/git-command.js';
import { findCommitOf } from '../../../work/trees.js';
import { openLoopBackend } from '../backend.js';
import { buildAttempt, reserveNumber } from '../begin.js';
import { buildEvent, nameBatch } from '../core/events.js';
import { judgeSession } from '../core/judge.js';
import { readLoopFiles } from '../files.js';
import { type LoopGoal, listGoals } from '../goals.js';
import { flushEventsQuietly } from '../log.js';
import { writeOwedStatuses } from '../owed.js';
import { listOffers } from '../queue/commands.js';
import type { Refs } from '../refs.js';
import { findRecords, type LoopCall, type LoopPorts } from '../site.js';
import { findTrees } from '../start.js';
import { nameAttempt, nameRecords, nameReference } from '../state.js';
import type { Attempt, LoopState, Verdict } from '../state-schema.js';
import { createScopeTest } from '../steps/save.js';
import { buildAttemptEvent, NEW_GOAL, releaseReference, renderVerdict } from '../steps/settle.js';
import { LOOP } from '../streams.js';
import { listChangeFaults, listFindings, listHeaderFaults, type WellFormedResult } from './findings.js';
import { findBatch, findRepositoryBranch, type RepositoryBranch } from './place.js';
import type { PacketResult } from './schemas.js';

const SCHEMA: CheckedSchema = { outline, validator: () => require('../../../generated/protocol-result.js').default };
/** Maximum bytes of a result. */
const LARGEST = 1024 * 1024;
/** Maximum characters of a summary that are kept. */
const SUMMARY = 1_000;
/** Maximum findings that are reported. */
const MOST = 50;

/**
 * `protocol ingest` (loop-operations.md, Packets).
 * @throws DevCliError `PACKET_REFUSED` with every finding, `NO_PROJECT`, `SCHEMA_INVALID`, `NEEDS_MISSING`,
 * `CLAIM_REFUSED` for a claim that ended meanwhile, `GIT_FAILED`, `LOCKED`, `IO`
 */
export async function ingestResult(
  ports: Pick<LoopPorts, 'openFleet'>,
  context: Context,
  { file }: { file: string },
  call: LoopCall,
): Promise<Answer> {
  const { clock, ids } = context;
  const { config, goals } = readLoopFiles(context);
  const backend = await openLoopBackend(ports, context, call);
  const { streams } = backend;
  const state = await streams.read(LOOP);
  const git = { env: call.env };
  const { value, faults, sound } = readResult(resolve(call.cwd, file), file);
  // Attempts under way are left out here, because the transaction that accepts the result checks them.
  const offers = listOffers(context, goals, { ...state, attempts: {} });
  const listNow = (now: LoopState, at: string) => listFindings(sound, { state: now, at, offers });
  const isAttempt = 'ref' in value || 'patch' in value || isQuestion(sound);
  const place = isAttempt ? await findRepositoryBranch(context, state, git) : null;
  const work = place === null ? null : await readWork(place, sound, state, git);
  const findings = [...faults, ...listNow(state, formatInstant(clock.now())), ...(work?.findings ?? [])];
  if (findings.length > 0) throw refusePacket(file, findings);
  const result = value as PacketResult;
  const goal = listGoals(goals).find(({ id }) => id === result.goal_id);
  if (goal === undefined) throw new Error('a goal that is offered is one of the file');
  const packet = result.packet_id === undefined ? undefined : state.packets[result.packet_id];
  const runId = result.run_id ?? packet?.runId ?? findBatch(state)?.runId ?? nameBatch(clock.now(), ids.hex(4));
  const attempt =
    place === null || work === null
      ? null
      : await keepWork(context, {
          refs: backend.openRefs(place.top, git),
          place,
          work,
          goal,
          result,
          runId,
          config,
          state,
          env: call.env,
        });
  const id = attempt === null ? null : nameAttempt(attempt);
  const ended = attempt === null || !isQuestion(result) ? null : { attempt, verdict: judgeQuestion(attempt) };
  if (ended !== null) makePrivateDirectory(findRecords({ context }, ended.attempt), context.root);
  const key = result.packet_id ?? ids.hex(16);
  const event = await streams
    .transact(
      LOOP,
      (now, at) => {
        const late = listNow(now, at);
        if (late.length > 0) throw refusePacket(file, late);
        const told = buildEvent('protocol_result_ingested', { key, at, payload: describe(result, runId, attempt) });
        const { [result.packet_id ?? '']: given } = now.packets;
        const known = now.goals[result.goal_id] ?? NEW_GOAL;
        return {
          answer: told,
          state: {
            ...now,
            unsent: [
              ...now.unsent,
              told,
              ...(ended === null ? [] : [buildAttemptEvent(ended.attempt, ended.verdict, 'block', at)]),
            ],
            ...(given && { packets: { ...now.packets, [key]: { ...given, seen: true } } }),
            ...(attempt !== null && {
              ...(ended === null && { attempts: { ...now.attempts, [nameAttempt(attempt)]: attempt } }),
              goals: {
                ...now.goals,
                [goal.id]: { ...known, n: Math.max(known.n, attempt.n), ...(ended !== null && block(ended.verdict)) },
              },
            }),
          },
          entry: { type: 'ingested', data: { goal: goal.id, attempt: id } },
          ...(ended !== null && {
            documents: [
              {
                path: `${nameRecords(ended.attempt)}/verdict.json`,
                content: renderVerdict(ended.attempt, ended.verdict, at),
              },
            ],
          }),
        };
      },
      { claim: result.claim_id ?? null },
    )
    .catch(async (error: unknown) => {
      // The transaction was refused, for example because another result was first: the number becomes free again.
      if (attempt !== null && place !== null) {
        const from = attempt.kept ?? attempt.base;
        await backend.openRefs(place.top, git).move(nameReference(attempt), { from, to: null });
      }
      throw error;
    });
  if (place !== null && ended !== null && ended.attempt.kept === null)
    await releaseReference({ refs: backend.openRefs(place.top, git) }, ended.attempt);
  await flushEventsQuietly({ streams, context });
  if (ended !== null) await writeOwedStatuses({ streams, context });
  const { goal_id, adapter } = result;
  return {
    exit: 0,
    json: { ok: true, run_id: runId, goal_id, adapter, event_id: event['event_id'] ?? null, attempt: id },
    text: () =>
      id === null
        ? `Recorded for ${goal_id}. Without a patch or a ref it does not finish the goal.`
        : ended === null
          ? `${id}: the batch at work, or the next one, judges it.`
          : `${id}: ${goal_id} is blocked, and waits for a person: dev-cli inbox list`,
  };
}

/** Returns whether a worker stops to ask a question, as a session does with a blocked handoff. */
const isQuestion = ({ success, action_taken: action }: WellFormedResult): boolean =>
  success === false && action === 'block';

/** Returns the verdict on a question, for which no tests are run. */
function judgeQuestion(attempt: Attempt): Verdict {
  const judged = attempt.facts === null ? null : judgeSession(attempt.facts, attempt);
  if (judged?.next !== 'verdict') throw new Error('a question is a verdict');
  return judged.verdict;
}

/** The fields of a goal's record while the goal waits for an answer. */
const block = ({ reason }: Verdict) => ({ counted: 0, owed: { status: 'blocked' as const, reason } });

/**
 * Reads a result, and lists the faults of its form.
 * @throws DevCliError `PACKET_REFUSED` unless it is a regular file with a JSON object
 */
function readResult(
  path: string,
  shown: string,
): { value: WellFormedResult; faults: ErrorDetail[]; sound: WellFormedResult } {
  const read = (): Buffer | string => {
    const stats = readStats(path);
    if (stats === undefined) return 'there is no such file';
    if (!stats.isFile()) return stats.isSymbolicLink() ? 'it is a link' : 'it is not a regular file';
    return readRegular(path, LARGEST) ?? 'it has more than 1 MB';
  };
  const bytes = withIoErrors(path, null, read);
  if (typeof bytes === 'string') throw refusePacket(shown, [{ problem: bytes }]);
  const value = parseOrNull(bytes.toString('utf8'));
  if (!isRecord(value)) throw refusePacket(shown, [{ problem: 'it is not a JSON object' }]);
  const faults = describeFaults(findFaults(SCHEMA, value));
  if ('patch' in value && 'ref' in value)
    faults.push({ pointer: '/patch', problem: 'comes together with a ref: give only one of them' });
  if ('patch' in value && !('packet_id' in value))
    faults.push({ pointer: '/patch', problem: 'needs a packet_id, because the packet names its base' });
  const unfit = new Set(faults.map(({ pointer }) => pointer?.split('/')[1]));
  const sound: WellFormedResult = Object.fromEntries(Object.entries(value).filter(([name]) => !unfit.has(name)));
  return { value, faults, sound };
}

/** The work of a result, as it will be judged. */
interface Work {
  base: string;
  tree: string;
  changes: readonly PathChange[];
  findings: ErrorDetail[];
}

/** Reads the handed-in work and its faults; writes nothing. */
async function readWork(
  { top, tip, branch }: RepositoryBranch,
  { ref, patch, packet_id: id, ...rest }: WellFormedResult,
  state: LoopState,
  git: GitOptions,
): Promise<Work> {
  const refuse = (pointer: string, ...problems: string[]): Work => ({
    ...{ base: '', tree: '', changes: [], findings: problems.map((problem) => ({ pointer, problem })) },
  });
  if (ref === undefined && patch === undefined && isQuestion(rest))
    return { ...refuse(''), base: tip, tree: `${tip}^{tree}` };
  if (ref !== undefined) {
    const commit = await findCommitOf(top, ref, git);
    if (commit === null) return refuse('/ref', 'is not a commit of this repository');
    const base = (await nullIfRefused(runGit(top, ['merge-base', tip, commit], git)))?.toString('utf8').trim();
    if (base === undefined) return refuse('/ref', `has no commit in common with ${branch}`);
    const changes = await listPathChanges(top, { from: base, to: commit }, git);
    return { ...refuse('/ref', ...listChangeFaults(changes)), base, tree: `${commit}^{tree}`, changes };
  }
  const named = listHeaderFaults(patch ?? '');
  const given = id === undefined ? undefined : state.packets[id];
  if (given === undefined || patch === undefined) return refuse('/patch', ...named);
  const base = await findCommitOf(top, given.base, git);
  if (base === null) return refuse('/patch', ...named, `its base ${given.base} is not in this repository`);
  const applied = await applyPatchToCommit(top, { base, text: patch, keeps: false }, git);
  if ('refused' in applied)
    return refuse('/patch', ...named, `does not apply on ${base}: ${toBoundedLine(applied.refused, 500)}`);
  const faults = [...new Set([...named, ...listChangeFaults(applied.changes)])];
  return { ...refuse('/patch', ...faults), base, ...applied };
}

/** Keeps handed-in work as the next attempt of its goal, and returns the attempt to judge. */
async function keepWork(
  context: Context,
  made: {
    refs: Refs;
    place: RepositoryBranch;
    work: Work;
    goal: LoopGoal;
    result: PacketResult;
    runId: string;
    config: Parameters<typeof createScopeTest>[0]['config'];
    state: LoopState;
    env: NodeJS.ProcessEnv;
  },
): Promise<Attempt> {
  const { refs, place, work, goal, result, runId, config, state, env } = made;
  const { top, prefix, branch } = place;
  const { base, changes } = work;
  const git = { env };
  const tree = await writeWork(place, work, result, git);
  const n = await reserveNumber({ refs }, goal.id, { last: state.goals[goal.id]?.n ?? 0, base });
  const about = { goal: goal.id, n };
  const message = `${nameAttempt(about)}: ${toWholeLine(goal.title)}`;
  const kept = changes.length === 0 ? null : await commitTree(top, { tree, base, message }, git);
  const refused = kept && (await refs.move(nameReference(about), { from: base, to: kept }));
  if (refused !== null) throw new DevCliError('GIT_FAILED', `${nameReference(about)} cannot be written.`);
  const changed = changes.map(({ path }) => posix.relative(prefix === '' ? '.' : prefix, path));
  const reason = toBoundedLine(result.summary ?? '', SUMMARY);
  const begun = { n, runId, branch, base, from: null, tool: `protocol ingest: ${result.adapter}` };
  const attempt = buildAttempt({ trees: findTrees(context, env), context }, goal, begun);
  return {
    ...attempt,
    ...{ state: 'judging', kept, claim: null },
    facts: {
      session: { line: attempt.tool, exit: 0, timedOut: false, started: true, log: reason },
      handoff: { status: isQuestion(result) ? 'blocked' : result.success ? 'complete' : 'failed', reason },
      ...{
        unread: null,
        run: null,
        changed,
        forbidden: changed.filter(createScopeTest({ config }, goal)),
        branches: [],
      },
    },
  };
}

/** Returns the tree of the handed-in work, after writing its objects to the repository. */
async function writeWork(
  { top }: RepositoryBranch,
  { base, tree }: Work,
  { patch }: PacketResult,
  git: GitOptions,
): Promise<string> {
  if (patch === undefined) return tree;
  const applied = await applyPatchToCommit(top, { base, text: patch, keeps: true }, git);
  if ('tree' in applied) return applied.tree;
  throw new DevCliError('GIT_FAILED', `The patch cannot be kept: ${toBoundedLine(applied.refused, 500)}`);
}

function describe(result: PacketResult, runId: string, attempt: Attempt | null) {
  const { goal_id, adapter, packet_id = null, claim_id = null, success, action_taken = null } = result;
  return {
    ...{ run_id: runId, goal_id, adapter, packet_id, claim_id, attempt: attempt?.n ?? result.attempt ?? null, success },
    ...{ action_taken, classification: toBoundedLine(result.classification ?? '', 80) || null },
    summary: toBoundedLine(result.summary ?? '', SUMMARY),
  };
}

function refusePacket(file: string, findings: readonly ErrorDetail[]): DevCliError {
  const target = toBoundedLine(file, 200);
  const count = findings.length === 1 ? 'one finding' : `${findings.length} findings`;
  return new DevCliError('PACKET_REFUSED', `The result in ${target} is not accepted: ${count}.`, {
    details: findings.slice(0, MOST).map((one) => ({ target, ...one })),
    fix: 'Fix what `details` lists, then hand it in again.',
  });
}
