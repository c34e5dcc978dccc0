import type { RunState } from './state.js';

/** `https://forge/pull/7 (draft)`: the pull request of a run in a line; null when it has none. */
export function renderPullRequest({ pullRequest }: Pick<RunState, 'pullRequest'>): string | null {
  if (pullRequest === undefined) return null;
  const { url, standing } = pullRequest;
  return `${url} (${standing === 'draft' ? 'draft' : 'ready for review'})`;
}
