import { existsSync, lstatSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { addDigest, markByComment, readMark } from '../../documents/mark.js';
import { findWholeRegion, putRegion, removeRegion } from '../../documents/region.js';
import type { Context } from '../../run/context.js';
import { makeDirectories, replaceFile } from '../../store/durable.js';
import { pathError, withIoErrors } from '../../store/io.js';
import { queryShell, SHELLS, type ShellId } from './shells.js';

interface Input {
  command: 'install' | 'uninstall';
  shell?: ShellId;
  dryRun?: boolean;
  yes?: boolean;
}

/**
 * A file with its present and future content; null if it does not or will not exist. In latin1, which preserves the
 * bytes of any encoding.
 */
interface Piece {
  path: string;
  was: string | null;
  becomes: string | null;
  /** The inserted text, to show to the person who is asked. */
  shown: string;
  change: Change;
}

/** `edited`: somebody has edited it since dev-cli wrote it, so it is left alone. */
type Change = 'written' | 'removed' | 'none' | 'edited';

/**
 * What to do with dev-cli's block in a startup file. `put` adds or renews it; `take` removes it. `keep` renews it if it
 * is there, but neither adds nor removes one: the shell may report that it needs no block only because it has loaded
 * this one.
 */
type Aim = 'put' | 'keep' | 'take';

const MARKERS = { begin: '# >>> dev-cli completion >>>', end: '# <<< dev-cli completion <<<' };

const EDITED = 'was edited since dev-cli wrote it, and is left alone';

/** Marks a block whose startup file dev-cli created, so that uninstalling can remove the file. */
const MADE = '# The file was made for this block.\n';

/** Marks a block before which dev-cli added a missing line end, so that uninstalling can remove it. */
const ENDED = '# The line before this block had no line end.\n';

/** Matches the script that `dev-cli completion bash` printed in earlier versions, for the user to save. */
const PRINTED = /^(?:#compdef dev-cli\n)?# dev-cli completion for \w+\n(?!# installed-by)/;

/**
 * `completion install` and `uninstall` (view.md, Completion).
 * @throws DevCliError `USAGE` for an unknown or missing shell, `TERMINAL_REQUIRED` if consent is missing,
 * `DOCUMENT_UNREADABLE` for a damaged block, `IO`
 */
export async function changeCompletion(context: Context, input: Input, env: NodeJS.ProcessEnv): Promise<Answer> {
  const id = input.shell ?? pickShell(env['SHELL']);
  // Without a home directory, the paths that the shell reports would be the system's, not the user's.
  if (!isAbsolute(context.home))
    throw new DevCliError('USAGE', 'No home directory is known: HOME is empty, or no absolute path.', {
      fix: 'Set HOME to your home directory, then repeat the call.',
    });
  const around = { cwd: '/', env: { ...env, HOME: context.home }, signal: context.signal };
  const { directory, startup, looks } = await queryShell(id, 'probe', around);
  if (!directory)
    throw new DevCliError('USAGE', `${id} does not start.`, { fix: 'Start it by hand, and fix what it reports.' });
  const aim = input.command === 'uninstall' ? 'take' : looks === undefined ? 'put' : 'keep';
  const dryRun = input.dryRun === true;
  const file = planFile(join(directory, SHELLS[id].file), aim === 'take' ? null : readScript(context, id));
  const block = startup ? planBlock(startup, file.path, id, aim) : null;
  const pieces = block === null ? [file] : [file, block];
  const due = pieces.filter(({ change }) => change === 'written' || change === 'removed');
  for (const { path } of due) requireWritable(path, aim);
  if (!dryRun) await carryOut(context, due, block, { ...input, shell: id });
  const says = dryRun || aim === 'take' ? null : await queryShell(id, 'ask', around);
  const works = says && (says['offers'] ?? '').startsWith('status');
  const ok = works !== false && pieces.every(({ change }) => change !== 'edited');
  const files = pieces.map((piece) => {
    const { path, change, shown } = piece;
    return { path, change, ...((dryRun || piece === block) && due.includes(piece) ? { text: shown } : {}) };
  });
  const json = { ok, shell: id, dryRun, files, ...(works === null ? {} : { works }) };
  return { json, exit: ok ? 0 : 3, text: () => renderText(json, block) };
}

interface Done {
  shell: ShellId;
  dryRun: boolean;
  files: { path: string; change: Change; text?: string }[];
  works?: boolean;
}

function renderText({ shell, dryRun, files, works }: Done, block: Piece | null): string {
  const would = dryRun ? 'would be ' : '';
  const [whole, was] = [{ none: 'stays as it is', edited: EDITED }, dryRun ? 'would be' : 'was'];
  const script = { ...whole, written: `${would}written`, removed: `${would}removed` };
  const removed = block?.becomes === null ? `${would}removed, with this block` : `this block ${was} taken out`;
  const startup = { ...whole, written: `this block ${was} put in`, removed };
  const lines = files.map(({ path, change, text }) => {
    const standing = (path === block?.path ? startup : script)[change];
    return [`${path}: ${standing}`, ...(text ? [text.replace(/^/gm, '  ').trimEnd()] : [])].join('\n');
  });
  if (works === true) lines.push(`${shell} was started and asked: it completes dev-cli. Start open shells anew.`);
  if (works === false) {
    lines.push(`${shell} was started and asked, and does not complete dev-cli. Does it find dev-cli by its PATH?`);
  }
  return lines.join('\n');
}

function pickShell(path = ''): ShellId {
  const name = basename(path).replace(/^pwsh$/, 'powershell');
  if (Object.hasOwn(SHELLS, name)) return name as ShellId;
  throw new DevCliError('USAGE', `$SHELL is ${JSON.stringify(path)}, for which there is no completion.`, {
    fix: `Name one of ${Object.keys(SHELLS).join(', ')}.`,
  });
}

const readScript = ({ library }: Context, id: ShellId): string =>
  toBytes(addDigest(readFileSync(join(library.shipped, 'completions', SHELLS[id].script), 'utf8')));

function planFile(path: string, becomes: string | null): Piece {
  const was = read(path);
  const isOurs = was === null || was === becomes || readMark(fromBytes(was)) === 'intact' || PRINTED.test(was);
  return {
    path,
    was,
    becomes,
    shown: fromBytes(becomes ?? ''),
    change: findChange(was === becomes, isOurs, becomes === null ? 'take' : 'put'),
  };
}

function planBlock(path: string, script: string, id: ShellId, aim: Aim): Piece {
  const was = read(path);
  const text = was ?? '';
  const found = findWholeRegion(text, MARKERS, path);
  const isFound = found.kind === 'found';
  const isMade = isFound ? found.body.includes(MADE) : was === null;
  const isEnded = isFound ? found.body.includes(ENDED) : /[^\n]$/.test(text);
  const body = markByComment(`${isMade ? MADE : ''}${isEnded ? ENDED : ''}${SHELLS[id].load(script)}`);
  const isOurs = !isFound || readMark(fromBytes(found.body)) === 'intact';
  const without = isFound ? takeBlock(text, isEnded && /^\r?\n?$/.test(text.slice(found.to))) : was;
  const isPut = aim === 'put' || (aim === 'keep' && isFound);
  const rest = isMade && without === '' ? null : without;
  const ended = isEnded && !isFound ? `${text}\n` : text;
  const becomes = isPut ? putRegion(ended, MARKERS, toBytes(body), 'last') : rest;
  const shown = [MARKERS.begin, body, MARKERS.end].join('\n');
  return { path, was, becomes, shown, change: findChange(was === becomes, isOurs, aim) };
}

/** @param isEnd whether to remove the line end before the block: dev-cli added it, and no text follows that needs it */
function takeBlock(text: string, isEnd: boolean): string {
  const taken = removeRegion(text, MARKERS);
  return isEnd ? taken.replace(/\n$/, '') : taken;
}

function findChange(isSame: boolean, isOurs: boolean, aim: Aim): Change {
  if (!isOurs) return 'edited';
  return isSame ? 'none' : aim === 'take' ? 'removed' : 'written';
}

const toBytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
const fromBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8');

function read(path: string): string | null {
  return withIoErrors(path, null, () => (existsSync(path) ? readFileSync(path, 'latin1') : null));
}

/** Refuses a read-only file: although it could be replaced, somebody made it read-only on purpose. */
function requireWritable(path: string, aim: Aim): void {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const facts = statSync(path, { throwIfNoEntry: false });
  if (isLink && facts === undefined)
    throw pathError(path, null, 'it is a link that leads nowhere', 'Fix or remove the link.');
  if (facts === undefined || (facts.mode & 0o222) !== 0) return;
  const by = aim === 'take' ? 'take out' : 'put in';
  throw pathError(path, null, 'it is read-only', `Make it writable, or ${by} by hand what --dry-run shows.`);
}

async function askForYes(context: Context, { path, becomes, shown }: Piece, { command, shell }: Input): Promise<void> {
  const verb = command === 'install' ? 'gets' : becomes === null ? 'is removed, with' : 'loses';
  const question = `${path} ${verb} this block:\n${shown}`;
  if (context.caller.terminal !== true) {
    const answer = { command: `completion ${command}`, input: { ...(shell && { shell }) } };
    throw new DevCliError('TERMINAL_REQUIRED', `${path} is changed only after a yes; nothing was changed.`, {
      details: [{ target: path, problem: question }],
      fix: 'Show the user `details`. With their yes, repeat the call with --yes; or they run what `answer` says.',
      answer,
    });
  }
  const typed = await context.ask(`${question}\nGo on? y or n: `);
  if (/^y(es)?$/i.test(typed.trim())) return;
  throw new DevCliError('USAGE', 'Nothing was changed.', { fix: 'Answer y, or repeat the command with --yes.' });
}

async function carryOut(context: Context, due: readonly Piece[], block: Piece | null, input: Input): Promise<void> {
  if (block !== null && due.includes(block) && input.yes !== true) await askForYes(context, block, input);
  for (const piece of due) write(piece);
}

/** Writes a file; if the path is a link, writes its target. */
function write({ path, was, becomes }: Piece): void {
  withIoErrors(path, null, () => {
    if (read(path) !== was) throw pathError(path, null, 'it has changed meanwhile', 'Repeat the command.');
    const target = existsSync(path) ? realpathSync(path) : path;
    if (becomes === null) return rmSync(target);
    makeDirectories(dirname(path));
    replaceFile(target, Buffer.from(becomes, 'latin1'), null, { durable: true });
  });
}
