import { DevCliError } from '../base/errors.js';

/**
 * A marked block in a text that is somebody else's: put, replaced, taken, and all else left byte for byte. Pure. A text in an encoding
 * that is not known is given as latin1, which loses none.
 */

/** The two lines that a block stands between. */
export interface Markers {
  begin: string;
  end: string;
}

/** Where a block is put that is not there yet. */
export type RegionPlace = 'first' | 'last' | 'behind-shebang';

/** Where a block is: from its first character to the end of its last line, without the line end. */
export type FoundRegion =
  | { kind: 'none' }
  | { kind: 'found'; from: number; to: number; body: string }
  /** Half a block, or several; `line` counts from 1. */
  | { kind: 'broken'; problem: string; line: number };

/** Finds the block. A marker is a line of its own; it may have got another line end. */
export function findRegion(text: string, { begin, end }: Markers): FoundRegion {
  const [opened, ...more] = findLines(text, begin);
  const [closed, ...rest] = findLines(text, end);
  if (opened === undefined && closed === undefined) return { kind: 'none' };
  const broken = (at: number, problem: string): FoundRegion => {
    return { kind: 'broken', problem, line: text.slice(0, at).split('\n').length };
  };
  if (opened === undefined) return broken(closed?.from ?? 0, `\`${end}\` without \`${begin}\` before it`);
  if (closed === undefined) return broken(opened.from, `\`${begin}\` without \`${end}\` behind it`);
  const again = more[0] ?? rest[0];
  if (again !== undefined) return broken(again.from, `\`${more[0] === undefined ? end : begin}\` for a second time`);
  if (closed.from < opened.from) return broken(closed.from, `\`${end}\` before \`${begin}\``);
  const body = text
    .slice(opened.to, closed.from)
    .replace(/^\r?\n/, '')
    .replace(/\r?\n$/, '');
  return { kind: 'found', from: opened.from, to: closed.to, body };
}

/**
 * The same, of which nobody can say what is ours where it is broken.
 * @param path of the text, for the error
 * @throws DevCliError `DOCUMENT_UNREADABLE`
 */
export function findWholeRegion(
  text: string,
  markers: Markers,
  path: string,
): Exclude<FoundRegion, { kind: 'broken' }> {
  const found = findRegion(text, markers);
  if (found.kind !== 'broken') return found;
  throw new DevCliError('DOCUMENT_UNREADABLE', `${path} has a broken region of dev-cli; nothing was written.`, {
    details: [{ target: path, at: `${path}:${found.line}`, problem: found.problem }],
    fix: `Remove what is left of the region in ${path}, then repeat the call.`,
  });
}

/**
 * Puts a block, or gives the one that is there another body.
 * @param text without half a block
 * @param body lines without a marker among them; without a line end
 */
export function putRegion(text: string, markers: Markers, body: string, place: RegionPlace): string {
  const block = `${markers.begin}\n${body}\n${markers.end}`;
  const found = findRegion(text, markers);
  if (found.kind === 'found') return text.slice(0, found.from) + block + text.slice(found.to);
  const at = findPlace(text, place);
  // No line end behind the block tells later that the one before it is ours, too.
  if (at > 0 && text[at - 1] !== '\n') return `${text}\n${block}`;
  return `${text.slice(0, at)}${block}\n${text.slice(at)}`;
}

/** Takes the block out: the text is then what it was before it was put. */
export function takeRegion(text: string, markers: Markers): string {
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

/** Finds the lines that say this, without their line ends. */
function findLines(text: string, line: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let from = text.indexOf(line); from >= 0; from = text.indexOf(line, from + line.length)) {
    const to = from + line.length;
    const isBegun = from === 0 || text[from - 1] === '\n';
    if (isBegun && /^(?:\r?\n|$)/.test(text.slice(to, to + 2))) found.push({ from, to });
  }
  return found;
}
