import { isAddress } from '../base/visible.js';
import { toBoundedLine } from '../documents/foreign.js';
import type { RunState } from './state.js';
import type { Transaction } from './transaction.js';

/** Renders the pull request of a run as `https://forge/pull/7 (draft)`; null if it has none. */
export function renderPullRequest({ pullRequest }: Pick<RunState, 'pullRequest'>): string | null {
  if (pullRequest === undefined) return null;
  const { url, standing } = pullRequest;
  return `${url} (${standing === 'draft' ? 'draft' : 'ready for review'})`;
}

/**
 * Finds the issue that a request came from: the issue whose URL the request contains, if it belongs to the repository
 * of the pull request. Null if the request names no such issue, or several.
 * @param url the URL of the pull request
 */
export function findNamedIssue(request: string, url: string | undefined): string | null {
  const repository = /^(.+)\/pull\/\d+$/.exec(url ?? '')?.[1];
  if (repository === undefined) return null;
  const named = request.match(/https?:\/\/[^\s<>"'()[\]]+\/issues\/\d+/g) ?? [];
  const [issue, ...others] = new Set(named.filter((url) => url.replace(/\/issues\/\d+$/, '') === repository));
  return issue !== undefined && others.length === 0 && isAddress(issue) ? issue : null;
}

/** The command of dev-cli that opens or finds the pull request. */
const OPEN = ['dev-cli', 'pull-request', 'open'];

/**
 * Records the pull request that `pull-request open` reports as opened or found, if its URL is valid.
 * @param answer the document that the command printed; null if it printed none
 * @returns text to append to the command's outcome
 */
export function recordPullRequest(
  tx: Transaction,
  argv: readonly string[],
  answer: Record<string, unknown> | null,
): string {
  if (!OPEN.every((word, index) => argv[index] === word) || answer === null) return '';
  const { url, branch, remote, made, draft } = answer;
  if (!isAddress(url) || typeof branch !== 'string' || typeof remote !== 'string') return '';
  tx.state.pullRequest = { url, branch, remote, standing: draft === false ? 'ready' : 'draft' };
  return toBoundedLine(`: ${made === true ? 'opened' : 'found, with its new text'} ${url}`, 400);
}
