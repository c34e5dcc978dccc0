import { type Chunk, type ParsedChunk, parseChunk } from '../markdown/chunks.js';
import { type Token, writeTyped } from '../markdown/tokens.js';
import type { PlanContent } from '../model/schema.js';
import type { Reading } from './apply-lists.js';
import type { Notes } from './fault.js';
import { describePiece } from './parts.js';
import { applyText } from './restore.js';

/** The head of PLAN.md: name and size in its title, and below it the objective. */

/** What stands above the first part. */
type Head = Pick<PlanContent, 'size'> & { core: string };

interface HeadText {
  line: number;
  name: string;
  size: string;
  core: { line: number; tokens: Token[] } | null;
}

/** Applies the edits of the head; null once it is refused. */
export function applyHead(plan: PlanContent, { before, after, unheard, notes }: Reading): Head | null {
  if (after === undefined) {
    notes.refuse(1, 'the title, # Plan, is missing');
    return null;
  }
  const [was, is] = [readHead(before, unheard), readHead(after, notes)];
  if (is === null) return null;
  if (was !== null && is.name !== was.name) {
    notes.refuse(
      is.line,
      `the title of the plan is "# Plan${was.name}", and behind it at most its size: (small), (middle) or (large)`,
    );
  }
  notes.place('/size', is.line);
  if (is.core === null) {
    notes.refuse(is.line, 'the objective, one paragraph below the title, is missing');
    return null;
  }
  notes.place('/objectives/core', is.core.line);
  const { core } = plan.objectives;
  const size = was?.size === is.size ? plan.size : readSize(is.size);
  return {
    ...(size === undefined ? {} : { size }),
    core: applyText(is.core.tokens, was?.core?.tokens, core),
  };
}

function readSize(word: string): PlanContent['size'] {
  return word === 'small' || word === 'middle' || word === 'large' ? word : undefined;
}

const FORM = /^<!--\s*dev-cli\s+plan\s+2\s[\s\S]*-->$/;

function readHead(chunk: Chunk | undefined, notes: Notes): HeadText | null {
  if (chunk === undefined) return null;
  const { title, pieces, line }: ParsedChunk = parseChunk(chunk);
  const [, name = '', size = ''] = /^Plan(.*?)(?: \((small|middle|large)\))?$/.exec(writeTyped(title)) ?? ['', '\0'];
  let core: HeadText['core'] = null;
  for (const piece of pieces) {
    if (piece.kind === 'other' && piece.html !== undefined && FORM.test(piece.html)) continue;
    if (piece.kind === 'paragraph' && core === null) core = { line: piece.line, tokens: piece.tokens };
    else if (piece.kind === 'paragraph')
      notes.refuse(piece.line, 'the objective is one paragraph: what else there is to say belongs into a part below');
    else notes.refuse(piece.line, `${describePiece(piece)} has no place above the first part`);
  }
  return { line, name, size, core };
}
