import { DevCliError } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { requireName } from '../../base/name.js';
import { stripInvisible } from '../../base/visible.js';
import { maskSecrets, toWholeLine } from '../../documents/foreign.js';
import type { Context } from '../../run/context.js';
import { type Issue, readIssue } from '../../work/forge.js';

/** Where an issue lies. */
interface IssueAddress {
  number: string;
  /** Null: the repository of the work tree. */
  repository: string | null;
}

/**
 * Reads the goal of a run from an issue: its title with its address, and its body (plans-from-elsewhere.md, init --from).
 * @param from `gh:12`, `OWNER/REPO#12` with or without `gh:`, or the address of an issue
 * @param force whether an unfinished run of the name gives way
 * @returns null where the issue cannot be read and is not needed, because an unfinished run goes on with its own goal
 * @throws DevCliError `USAGE` for any other form; `COMMAND_FAILED` for `gh`; `DATA_MALFORMED` for one that is too long
 */
export async function readGoalFrom(
  context: Context,
  given: string,
  { from, force = false }: { from: string; force?: boolean | undefined },
): Promise<string | null> {
  const name = requireName(given);
  const address = parseAddress(from);
  try {
    return buildGoal(await readIssue(context.workTree, address, { signal: context.signal }), name);
  } catch (error) {
    const failed = error instanceof DevCliError && error.code === 'COMMAND_FAILED';
    if (!failed || force) throw error;
    const { snapshot } = await context.store.read(name);
    if (snapshot?.status !== 'live' && snapshot?.status !== 'halted') throw error;
    return null;
  }
}

const SHORT = /^(?:gh:)?(?:([\w.-]+\/[\w.-]+)#(\d{1,12}))$/;
const OWN = /^gh:#?(\d{1,12})$/;
const LONG = /^https:\/\/([\w.-]+\/[\w.-]+\/[\w.-]+)\/issues\/(\d{1,12})(?:[?#]\S*)?$/;

function parseAddress(from: string): IssueAddress {
  const [, own] = OWN.exec(from) ?? [];
  if (own !== undefined) return { number: own, repository: null };
  const [, repository, number] = SHORT.exec(from) ?? LONG.exec(from) ?? [];
  if (repository !== undefined && number !== undefined && !repository.startsWith('-')) return { number, repository };
  throw new DevCliError('USAGE', '--from names no issue.', {
    details: [{ target: '--from', problem: 'neither gh:NUMBER, OWNER/REPO#NUMBER nor the address of an issue' }],
    fix: 'Name the issue in one of these forms. For the text of a file: --goal @FILE; from standard input: --goal -',
  });
}

/** Comments in HTML, which nobody sees who reads the issue. */
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;

/** Its title with its address, then what it says, as far as a reader of it sees that. */
function buildGoal({ url, title, body }: Issue, name: string): string {
  const text = maskSecrets(stripInvisible(body).replace(COMMENT, '')).trim();
  const goal = `${toWholeLine(title)} (${url})${text === '' ? '' : `\n\n${text}`}`;
  if (goal.length <= LIMITS.freeText) return goal;
  const problem = `${goal.length} characters, at most ${LIMITS.freeText}`;
  throw new DevCliError('DATA_MALFORMED', `The issue is too long for a goal: ${problem}.`, {
    run: name,
    details: [{ target: url, problem }],
    fix: `Write what is to be done, and the address of the issue, into a file, and name that file with --goal @FILE.`,
  });
}
