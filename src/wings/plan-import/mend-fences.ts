/** Fences of code inside of fences of the same length, which Markdown takes for their ends (plans-from-elsewhere.md, What becomes of what). */

const FENCE = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^`\n]*)$/;

interface Open {
  line: number;
  mark: string;
  inner: number;
}

/**
 * Lengthens the fences of blocks that hold blocks of code of their own, as whoever wrote them meant it. A block whose fences do
 * not come out even stays as it is, with what follows it. Lines stay where they are.
 * @param text with LF line endings
 */
export function mendFences(text: string): string {
  const written = text.split('\n');
  const lines = [...written];
  const open: Open[] = [];
  for (const [index, line] of written.entries()) {
    const [, , mark, info = ''] = FENCE.exec(line) ?? [];
    if (mark === undefined) continue;
    const top = open.at(-1);
    if (top === undefined) open.push({ line: index, mark, inner: 0 });
    else if (mark.charAt(0) !== top.mark.charAt(0) || mark.length < top.mark.length) continue;
    else if (info.trim() !== '') {
      top.inner = Math.max(top.inner, mark.length);
      open.push({ line: index, mark, inner: 0 });
    } else close(lines, open, index);
  }
  const even = open[0]?.line ?? lines.length;
  return [...lines.slice(0, even), ...written.slice(even)].join('\n');
}

/** Ends the innermost block; one that held others gets fences longer than theirs. */
function close(lines: string[], open: Open[], index: number): void {
  const block = open.pop();
  if (block === undefined) return;
  const outer = open.at(-1);
  if (block.inner > 0) {
    const longer = block.mark.charAt(0).repeat(block.inner + 1);
    for (const at of [block.line, index]) lines[at] = (lines[at] ?? '').replace(/`{3,}|~{3,}/, longer);
    if (outer !== undefined) outer.inner = Math.max(outer.inner, longer.length);
  }
}
