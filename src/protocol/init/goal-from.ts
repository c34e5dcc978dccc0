import { isAbsolute, relative, resolve } from 'node:path';
import { DevCliError } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import { requireName } from '../../base/name.js';
import { stripInvisible } from '../../base/visible.js';
import { maskSecrets, toWholeLine } from '../../documents/foreign.js';
import type { Context } from '../../run/context.js';
import { readIssue } from '../../work/forge.js';
import { READING_MS, stripHiddenInWorker } from '../foreign-reader.js';

/** A goal's source: an issue or a file. */
interface Source {
  /** The reference added to the goal: a URL, or the file's path, relative if it is inside the root. */
  link: string;
  title: string;
  body: string;
}

/** The number of an issue and its repository. */
interface IssueAddress {
  number: string;
  /** Null for the repository of the work tree. */
  repository: string | null;
}

/**
 * Reads the goal of a run from an issue or a file: its title with a reference to the source, and its body
 * (plans-from-elsewhere.md, init --from).
 * @param from `gh:12`, `OWNER/REPO#12` with or without `gh:`, the URL of an issue, or a file relative to `cwd`
 * @param force whether an unfinished run of the name will be replaced
 * @returns null if the issue cannot be read and is not needed, because an unfinished run continues with its own goal
 * @throws DevCliError `USAGE` if `from` has none of these forms; `COMMAND_FAILED` if `gh` fails; `DATA_MISSING` for an
 * empty file; `DATA_MALFORMED` for a file that is not UTF-8, or text that is too long, too deeply nested or takes too
 * long to parse; `INTERRUPTED`; `IO`
 */
export async function readGoalFrom(
  context: Context,
  given: string,
  { from, force = false, cwd }: { from: string; force?: boolean | undefined; cwd: string },
): Promise<string | null> {
  const name = requireName(given);
  const address = parseAddress(from);
  if (address === null) return buildGoal(await readFile(context, name, { from, cwd }), name);
  try {
    const { url, title, body } = await readIssue(context.workTree, address, { signal: context.signal });
    return buildGoal({ link: url, title, body: await showText(context, name, { link: url, text: body }) }, name);
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

/** Parses the reference to an issue. @returns null if `from` does not refer to one */
function parseAddress(from: string): IssueAddress | null {
  const [, own] = OWN.exec(from) ?? [];
  if (own !== undefined) return { number: own, repository: null };
  const [, repository, number] = SHORT.exec(from) ?? LONG.exec(from) ?? [];
  if (repository !== undefined && number !== undefined && !repository.startsWith('-')) return { number, repository };
  return null;
}

/** Reads a file as if it were an issue: the first line, without a heading's `#`, becomes the title. */
async function readFile(context: Context, name: string, { from, cwd }: { from: string; cwd: string }): Promise<Source> {
  const { reader, root } = context;
  const path = resolve(cwd, from);
  const text = reader.read(path);
  if (text === null) {
    throw new DevCliError('USAGE', '--from names neither an issue nor an existing file.', {
      details: [{ target: '--from', problem: 'not gh:NUMBER, OWNER/REPO#NUMBER, the address of an issue, or a file' }],
      fix: 'Name one of these. For a text, or standard input, use --goal.',
    });
  }
  const target = { target: from };
  if (text.includes('\uFFFD')) {
    throw new DevCliError('DATA_MALFORMED', `${toWholeLine(from)} is not UTF-8 text.`, {
      details: [{ ...target, problem: 'invalid UTF-8' }],
      fix: 'Write it as UTF-8, then run the same command again.',
    });
  }
  const inside = relative(root, path);
  const link = toWholeLine(inside.startsWith('..') || isAbsolute(inside) ? path : inside);
  const [title = '', ...rest] = (await showText(context, name, { link, text })).trim().split('\n');
  if (title === '') {
    throw new DevCliError('DATA_MISSING', `${toWholeLine(from)} is empty.`, {
      details: [{ ...target, problem: 'the file is empty' }],
      fix: 'Write the request into it, then run the same command again.',
    });
  }
  return { link, title: title.replace(/^#+\s+/, ''), body: rest.join('\n') };
}

/** The most characters of a text that are parsed, including those that a reader does not see. */
const MOST_READ = 400_000;

/** Returns the text as a reader of the issue sees it, without HTML comments except those inside code. */
async function showText(
  context: Context,
  name: string,
  { link, text: given }: { link: string; text: string },
): Promise<string> {
  const text = stripInvisible(given).replace(/^\uFEFF/, '');
  if (!/<[!?]/.test(text)) return text;
  if (text.length > MOST_READ) throw buildLengthError(link, name, { length: text.length, most: MOST_READ });
  const shown = await stripHiddenInWorker(context, { path: link, text });
  if (shown === null) throw buildReadError(link, name, `takes more than ${READING_MS / 1000} seconds to read`);
  if (shown.kind === 'too deep') throw buildReadError(shown.at, name, 'is nested more than 20 levels deep');
  return shown.text;
}

function buildReadError(at: string, run: string, problem: string): DevCliError {
  return new DevCliError('DATA_MALFORMED', `${at} ${problem} and cannot be used as a goal.`, {
    run,
    details: [{ target: at, problem }],
    fix: SHORTER,
  });
}

const SHORTER = 'Write the request and its source into a shorter file, and name that file with --from.';

function buildLengthError(link: string, run: string, { length, most }: { length: number; most: number }): DevCliError {
  const problem = `${length} characters, at most ${most}`;
  return new DevCliError('DATA_MALFORMED', `${link} is too long for a goal: ${problem}.`, {
    run,
    details: [{ target: link, problem }],
    fix: SHORTER,
  });
}

/** Joins the title, the reference to the source, and the body. */
function buildGoal({ link, title, body }: Source, name: string): string {
  const text = maskSecrets(stripInvisible(body)).trim();
  const shown = toWholeLine(title);
  const head = shown === '' ? link : `${shown} (${link})`;
  const goal = text === '' ? head : `${head}\n\n${text}`;
  if (goal.length <= LIMITS.freeText) return goal;
  throw buildLengthError(link, name, { length: goal.length, most: LIMITS.freeText });
}
