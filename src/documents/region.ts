import { DevCliError } from '../base/errors.js';

/**
 * Adds, replaces or removes dev-cli's marked block in a file that belongs to somebody else. All other bytes stay the
 * same. Pure. Callers decode a file of unknown encoding as latin1, which loses nothing.
 */

/** The lines that mark the beginning and the end of a block. */
export interface Markers {
  begin: string;
  end: string;
}

/** Where a new block goes. */
export type RegionPlace = 'first' | 'last' | 'behind-shebang';

/** The place of a block: from its first character to the end of its last line, without the line end. */
export type FoundRegion =
  | { kind: 'none' }
  | { kind: 'found'; from: number; to: number; body: string }
  /**
   * A block with only one of its markers, with a marker that occurs twice, or with its markers in the wrong order.
   * `line` counts from 1.
   */
  | { kind: 'broken'; problem: string; line: number };

/** Finds the block. Each marker has to be a whole line; its line end may have changed. */
export function findRegion(text: string, { begin, end }: Markers): FoundRegion {
  const [opened, ...more] = findLines(text, begin);
  const [closed, ...rest] = findLines(text, end);
  if (opened === undefined && closed === undefined) return { kind: 'none' };
  const broken = (at: number, problem: string): FoundRegion => {
    return { kind: 'broken', problem, line: text.slice(0, at).split('\n').length };
  };
  if (opened === undefined) return broken(closed?.from ?? 0, `\`${end}\` has no \`${begin}\` before it`);
  if (closed === undefined) return broken(opened.from, `\`${begin}\` has no \`${end}\` after it`);
  const again = more[0] ?? rest[0];
  if (again !== undefined) return broken(again.from, `\`${more[0] === undefined ? end : begin}\` occurs a second time`);
  if (closed.from < opened.from) return broken(closed.from, `\`${end}\` is before \`${begin}\``);
  const body = text
    .slice(opened.to, closed.from)
    .replace(/^\r?\n/, '')
    .replace(/\r?\n$/, '');
  return { kind: 'found', from: opened.from, to: closed.to, body };
}

/**
 * Finds the block, and throws if it is broken, because then nobody can say which lines are dev-cli's.
 * @param path the path of the file, for the error
 * @throws DevCliError `DOCUMENT_UNREADABLE` if there is half a block, or several
 */
export function findWholeRegion(
  text: string,
  markers: Markers,
  path: string,
): Exclude<FoundRegion, { kind: 'broken' }> {
  const found = findRegion(text, markers);
  if (found.kind !== 'broken') return found;
  throw new DevCliError('DOCUMENT_UNREADABLE', `${path} has a damaged dev-cli region; nothing was written.`, {
    details: [{ target: path, at: `${path}:${found.line}`, problem: found.problem }],
    fix: `Remove the remains of the region from ${path}, then repeat the call.`,
  });
}

/**
 * Adds a block, or replaces the body of the existing one.
 * @param text the text, which must not contain a broken block
 * @param body the lines of the block, without a final line end; no line may be a marker
 */
export function putRegion(text: string, markers: Markers, body: string, place: RegionPlace): string {
  const block = `${markers.begin}\n${body}\n${markers.end}`;
  const found = findRegion(text, markers);
  if (found.kind === 'found') return text.slice(0, found.from) + block + text.slice(found.to);
  const at = findPlace(text, place);
  // The missing line end after the block tells `removeRegion` that the line end before the block was added with it.
  if (at > 0 && text[at - 1] !== '\n') return `${text}\n${block}`;
  return `${text.slice(0, at)}${block}\n${text.slice(at)}`;
}

/** Removes the block, which restores the text from before the block was added. */
export function removeRegion(text: string, markers: Markers): string {
  const found = findRegion(text, markers);
  if (found.kind !== 'found') return text;
  const { from, to } = found;
  const isLast = to === text.length;
  return text.slice(0, isLast ? Math.max(0, from - 1) : from) + text.slice(isLast ? to : text.indexOf('\n', to) + 1);
}

function findPlace(text: string, place: RegionPlace): number {
  if (place === 'last') return text.length;
  if (place === 'first' || !text.startsWith('#!')) return 0;
  const end = text.indexOf('\n');
  return end < 0 ? text.length : end + 1;
}

/** Finds the lines that consist of exactly this text. The offsets do not include line ends. */
function findLines(text: string, line: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let from = text.indexOf(line); from >= 0; from = text.indexOf(line, from + line.length)) {
    const to = from + line.length;
    const isBegun = from === 0 || text[from - 1] === '\n';
    if (isBegun && /^(?:\r?\n|$)/.test(text.slice(to, to + 2))) found.push({ from, to });
  }
  return found;
}
