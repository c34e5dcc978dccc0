import { execFile } from 'node:child_process';
import { DevCliError, systemCode } from '../base/errors.js';
import type { Surroundings } from './git-command.js';

/** What a pull request says. */
export interface PullRequest {
  title: string;
  body: string;
}

const TIMEOUT_MS = 120_000;

/**
 * Opens a draft pull request for a pushed branch with `gh`, or finds the one that is open already.
 * @param workTree absolute path
 * @throws DevCliError `COMMAND_FAILED` when `gh` is not there or refuses, with what it said; `INTERRUPTED`
 */
export async function openDraft(
  workTree: string,
  branch: string,
  { title, body }: PullRequest,
  around: Surroundings = {},
): Promise<{ url: string; made: boolean }> {
  const open = ['pr', 'list', '--head', branch, '--state', 'open', '--json', 'url', '--jq', '.[0].url'];
  const present = (await gh(workTree, open, '', around)).trim();
  if (present !== '') return { url: present, made: false };
  // The body goes through standard input: it may be longer than an argument can be.
  const create = ['pr', 'create', '--draft', '--head', branch, '--title', title, '--body-file', '-'];
  const answer = await gh(workTree, create, body, around);
  return { url: answer.trim().split('\n').at(-1) ?? '', made: true };
}

function gh(cwd: string, args: string[], input: string, around: Surroundings): Promise<string> {
  const env = { ...(around.env ?? process.env), GH_PROMPT_DISABLED: '1', NO_COLOR: '1' };
  const options = { cwd, env, timeout: TIMEOUT_MS, ...(around.signal && { signal: around.signal }) };
  return new Promise((resolve, reject) => {
    const child = execFile('gh', args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (around.signal?.aborted) reject(new DevCliError('INTERRUPTED', 'Interrupted.', { cause: error }));
      else reject(failure(error, args, stderr));
    });
    // A program that does not read its input must not fail the call.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

function failure(error: Error, args: string[], stderr: string): DevCliError {
  if (systemCode(error) === 'ENOENT') {
    return new DevCliError('COMMAND_FAILED', 'gh is not on the PATH.', {
      fix: 'Ask the user to install gh and to sign in with it, or to open the pull request by hand.',
      cause: error,
    });
  }
  const said = stderr.replace(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return new DevCliError(
    'COMMAND_FAILED',
    `gh ${args.slice(0, 2).join(' ')} failed: ${said.slice(0, 500) || 'it gave no reason'}.`,
    {
      fix: 'Ask the user to put it right, or to open the pull request by hand.',
      cause: error,
    },
  );
}
