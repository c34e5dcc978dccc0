import type { Answer } from '../base/answer.js';
import { omitUndefined } from '../base/defined.js';
import { DevCliError } from '../base/errors.js';
import { isRecord, parseOrNull } from '../base/json.js';
import { toBoundedLine } from '../documents/foreign.js';
import { REQUEST_BODY, REQUEST_TITLE } from '../documents/request-text.js';
import type { Context } from '../run/context.js';
import { refuseHeld } from '../run/hold.js';
import { displayPath, toAbsolutePath } from '../run/paths.js';
import type { RunState } from '../run/state.js';
import { addEmptyCommit, ensureBranch, findCurrentBranch, findUpstream, getPushAddress, push } from '../work/branch.js';
import {
  type ExistingPullRequest,
  findPullRequest,
  openDraft,
  type PullRequest,
  updatePullRequestText,
} from '../work/forge.js';
import { findRun } from './find/find-run.js';
import { requirePlace } from './trust/place.js';

/** The file with the text of a pull request, in the run's directory. */
const TEXT = 'pr.json';

/**
 * `pull-request branch`: puts the run's work tree on a branch `dev/<name>`, unless its current branch is one that is
 * not shared with others (recipes.md §4).
 * @param name the run's name, if any
 * @throws DevCliError `GIT_FAILED`, `NO_SUCH_RUN`, `RUN_HELD`, `RUN_UNTRUSTED`
 */
export async function ensurePullRequestBranch(context: Context, name: unknown): Promise<Answer> {
  const { run, workTree } = await findRunPlace(context, name, 'to put it on a branch');
  const { branch, made } = await ensureBranch(workTree, `dev/${run}`, { signal: context.signal });
  return {
    exit: 0,
    json: { ok: true, run, branch, made },
    text: () => `${made ? 'Made' : 'On'} the branch ${branch}.`,
  };
}

/**
 * `pull-request open`: pushes the branch and opens a draft pull request with the text of pr.json. Safe to repeat: an
 * open pull request gets the new text. A branch whose pull request was closed or merged is not pushed (recipes.md §4).
 * @param name the run's name, if any
 * @throws DevCliError `NO_SUCH_RUN`, `RUN_HELD`, `RUN_UNTRUSTED`; `EVIDENCE_MISSING`, `EVIDENCE_INVALID` for pr.json; `GIT_FAILED`;
 * `COMMAND_FAILED` for `gh`, after the branch has been pushed
 */
export async function openPullRequest(context: Context, name: unknown): Promise<Answer> {
  const { run, runId, workTree } = await findRunPlace(context, name, 'to open its pull request');
  const around = { signal: context.signal };
  const text = readRequestText(context, run);
  const branch = await findCurrentBranch(workTree, around);
  if (branch === null) {
    throw new DevCliError('GIT_FAILED', 'HEAD is detached: no branch could be pushed.', {
      fix: { command: 'pull-request branch', input: { name: run } },
    });
  }
  const upstream = await findUpstream(workTree, branch, around);
  const { remote } = upstream;
  const address = await getPushAddress(workTree, remote, around);
  // If gh fails here, the branch is pushed before the error is thrown: a person can then open the pull request by
  // hand.
  const known = await findPullRequest(workTree, branch, address, around).catch(returnRefusal);
  if (known !== null && !(known instanceof DevCliError) && known.state !== 'open')
    throw requestClosedError(branch, known);
  await addEmptyCommit(workTree, upstream, `${text.title}\n\nDev-Cli-Task: ${runId}/open`, around);
  await push(workTree, remote, branch, around);
  if (known instanceof DevCliError) throw addPushNote(context, run, branch, known);
  try {
    const made = known === null;
    const url = known?.url ?? (await openDraft(workTree, branch, address, text, around));
    if (!made) await updatePullRequestText(workTree, url, text, around);
    return {
      exit: 0,
      json: { ok: true, run, branch, remote, url, made, draft: known?.draft ?? true },
      text: () => `${made ? 'Opened' : 'Already open, updated with this text:'} ${url}`,
    };
  } catch (error) {
    throw error instanceof DevCliError ? addPushNote(context, run, branch, error) : error;
  }
}

/**
 * Returns the error if gh itself failed, because the caller pushes the branch before throwing it; throws any other
 * error.
 */
function returnRefusal(error: unknown): DevCliError {
  if (error instanceof DevCliError && error.code === 'COMMAND_FAILED') return error;
  throw error;
}

/** Builds the error for a pull request that somebody closed or merged: opening another would bypass that decision. */
function requestClosedError(branch: string, { url, state }: ExistingPullRequest): DevCliError {
  return new DevCliError(
    'COMMAND_FAILED',
    `The pull request of the branch ${branch} is ${state}: ${url}. Nothing was pushed.`,
    {
      details: [{ target: branch, problem: `its pull request is ${state}` }],
      fix: 'Ask the user either to reopen that pull request or to switch to a new branch for this work; then repeat this step.',
    },
  );
}

/**
 * Finds the run and its work tree; refuses if a person holds the run, or if it is an untrusted run from elsewhere.
 * @param what completes the refusal of a held run, for example `to open its pull request`
 */
async function findRunPlace(context: Context, name: unknown, what: string) {
  const run = await findRun(context, name, true);
  const { snapshot } = await context.store.read(run);
  if (snapshot !== null && !isAtWork(snapshot)) {
    refuseHeld(context, snapshot, what);
    await requirePlace(context, snapshot);
  }
  const workTree = snapshot?.workTree ?? '.';
  return { run, runId: snapshot?.runId ?? run, workTree: workTree === '.' ? context.root : workTree };
}

/** Whether the run is itself running a `pull-request` command, which a hold does not stop (control.md, Holding). */
function isAtWork({ pendingAction }: RunState): boolean {
  return (
    pendingAction?.action === 'running' &&
    pendingAction.commands.some(({ run }) => run.join(' ').includes('pull-request'))
  );
}

function readRequestText(context: Context, run: string): PullRequest {
  const place = { root: context.root, workTree: context.root };
  const text = context.reader.read(toAbsolutePath(place, run, TEXT));
  const target = displayPath(place, run, TEXT);
  if (text === null || text.trim() === '') {
    throw new DevCliError('EVIDENCE_MISSING', 'The text of the pull request is missing.', {
      details: [{ target, problem: 'not written' }],
      fix: `Write ${target}: {"title": …, "body": …}.`,
    });
  }
  const value = parseOrNull(text);
  const { title, body } = isRecord(value) ? value : {};
  const line = typeof title === 'string' ? toBoundedLine(title, REQUEST_TITLE) : '';
  if (line === '' || typeof body !== 'string') throw invalidTextError(target, 'title and body must be strings');
  if (body.length > REQUEST_BODY) throw invalidTextError(target, `body has more than ${REQUEST_BODY} characters`);
  return { title: line, body };
}

function invalidTextError(target: string, problem: string): DevCliError {
  return new DevCliError('EVIDENCE_INVALID', 'The text of the pull request is not a valid {title, body} object.', {
    details: [{ target, problem }],
    fix: `Correct ${target}.`,
  });
}

/**
 * Adds to an error of gh what a person needs to open the pull request by hand: the name of the pushed branch, and the
 * path of the text.
 */
function addPushNote(context: Context, run: string, branch: string, error: DevCliError): DevCliError {
  const target = displayPath({ root: context.root, workTree: context.root }, run, TEXT);
  return new DevCliError(error.code, `${error.message} The branch ${branch} is pushed; the text is in ${target}.`, {
    ...omitUndefined({ fix: error.fix }),
    cause: error,
  });
}
