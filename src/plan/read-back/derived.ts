import { type Chunk, type Piece, parseChunk } from '../markdown/chunks.js';
import { getTokensKey } from '../markdown/tokens.js';
import { listJudged } from './apply-lists.js';
import { Notes } from './fault.js';
import type { Item } from './list.js';
import { describePiece, listLines, PLAN_PARTS, type PlanPart, type PlanText } from './parts.js';

/** The parts of PLAN.md that are made from others: where they differ, the edit belongs elsewhere. */

/** Each with where what it shows is said. */
const MADE_FROM = {
  overview: 'made from the todos below the line: change the todo there',
  commands: 'made from **Acceptance** of the todos: change the command there',
  people: 'made from **Acceptance** of the todos: change what a person judges there',
  uncovered: 'made from the request: a requirement above that quotes these words covers them',
  request: 'what was asked, word for word: what is to be done is said by the requirements and the todos',
} as const satisfies Partial<Record<PlanPart, string>>;
type DerivedPart = keyof typeof MADE_FROM;

const DERIVED = Object.keys(MADE_FROM) as DerivedPart[];

/**
 * Refuses edits of what is made from something else.
 * @param renderAfter renders PLAN.md of the plan as edited: who changed both places is right
 */
export function checkDerived(before: PlanText, after: PlanText, renderAfter: () => PlanText, notes: Notes): void {
  let rendered: PlanText | null = null;
  for (const part of DERIVED) {
    const [was, is] = [before.parts.get(part), after.parts.get(part)];
    if (was?.text === is?.text) continue;
    const shown = listShown(was, part, new Notes());
    const edited = listShown(is, part, notes);
    if (String(shown.map(({ key }) => key)) === String(edited.map(({ key }) => key))) continue;
    rendered ??= renderAfter();
    const made = listShown(rendered.parts.get(part), part, new Notes());
    const [had, has] = [keysOf(shown), keysOf(made)];
    const there = keysOf(edited);
    const strange = edited.filter(({ key }) => !had.has(key) && !has.has(key));
    for (const { line } of strange) notes.refuse(line, `this is ${MADE_FROM[part]}`);
    const isGone = strange.length === 0 && shown.some(({ key }) => has.has(key) && !there.has(key));
    // Words of the request may go: a new requirement covers them.
    if (isGone && part !== 'uncovered') {
      notes.refuse(
        is?.line ?? after.head?.line ?? 1,
        `what was taken out of "${PLAN_PARTS[part]}" is ${MADE_FROM[part]}`,
      );
    }
  }
}

function keysOf(items: readonly Item[]): Set<string> {
  return new Set(items.map(({ key }) => key));
}

function listShown(chunk: Chunk | undefined, part: DerivedPart, notes: Notes): Item[] {
  if (chunk === undefined) return [];
  // What else stands in this list is refused where it is read.
  if (part === 'people') return listJudged(listLines(chunk, new Notes()));
  return parseChunk(chunk).pieces.flatMap((piece) => readShown(piece, part, notes));
}

function readShown(piece: Piece, part: DerivedPart, notes: Notes): Item[] {
  const { line } = piece;
  switch (piece.kind) {
    case 'row':
      return [{ line, key: piece.cells.map(getTokensKey).join('\0|') }];
    case 'entry':
      return [{ line, key: getTokensKey(piece.tokens) }];
    case 'code':
      return piece.value.split('\n').map((text, index) => ({ line: line + 1 + index, key: text.trimEnd() }));
    case 'paragraph':
    case 'other':
      notes.refuse(line, `${describePiece(piece)} has no place here: this part is ${MADE_FROM[part]}`);
      return [];
  }
}
