/** How two versions of a text differ, word by word. */

/** Words of a text that stay, or that one version only has. */
export interface WordPart {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Words of both versions together beyond which a text is shown as two. */
const MOST_WORDS = 2_000;

/** Compares two lines word by word; a blank belongs to the word behind it. Long lines are two parts. */
export function compareWords(before: string, after: string): WordPart[] {
  const [old, now] = [splitWords(before), splitWords(after)];
  if (old.length + now.length > MOST_WORDS) return [part('removed', before), part('added', after)];
  const lengths = measureCommon(old.map(dropBlank), now.map(dropBlank));
  const parts: WordPart[] = [];
  const add = (kind: WordPart['kind'], word: string) => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += word;
    else parts.push({ kind, text: word });
  };
  let [at, to] = [0, 0];
  while (at < old.length || to < now.length) {
    const [was, is] = [old[at], now[to]];
    if (was !== undefined && is !== undefined && dropBlank(was) === dropBlank(is)) {
      add('same', is);
      at += 1;
      to += 1;
    } else if (is === undefined || (was !== undefined && common(lengths, at + 1, to) >= common(lengths, at, to + 1))) {
      add('removed', was ?? '');
      at += 1;
    } else {
      add('added', is);
      to += 1;
    }
  }
  return parts;
}

/** Between the words of a line stands one blank: several are a part of its code, or of an argument. */
function splitWords(line: string): string[] {
  return line.match(/ ?[^ ]+(?: {2,}[^ ]+)*| +$/g) ?? [];
}

/** The first word of a line has no blank before it. */
const dropBlank = (word: string): string => (word.startsWith(' ') ? word.slice(1) : word);

const part = (kind: WordPart['kind'], text: string): WordPart => ({ kind, text });

const common = (lengths: readonly (readonly number[])[], at: number, to: number): number => lengths[at]?.[to] ?? 0;

/** How many words the rests of both versions have in common, from each pair of places. */
function measureCommon(old: readonly string[], now: readonly string[]): number[][] {
  const lengths = Array.from({ length: old.length + 1 }, () => new Array<number>(now.length + 1).fill(0));
  for (let at = old.length - 1; at >= 0; at -= 1) {
    const row = lengths[at] ?? [];
    for (let to = now.length - 1; to >= 0; to -= 1) {
      row[to] =
        old[at] === now[to]
          ? common(lengths, at + 1, to + 1) + 1
          : Math.max(common(lengths, at + 1, to), common(lengths, at, to + 1));
    }
  }
  return lengths;
}
