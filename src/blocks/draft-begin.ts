import { newDraft, readDraft } from '../documents/draft.js';
import type { Turn } from '../run/turn.js';
import { draftStore } from './commands/draft.js';
import { sceneOf } from './own-command.js';

const DRAFT = 'DRAFT.md';

/** An empty draft with the goal as its purpose, unless there is one. */
export function beginDraft(turn: Turn): void {
  if (turn.files.text(DRAFT) === null) turn.files.write(DRAFT, newDraft(turn.state.name));
  if (turn.state.goal !== null) storePurpose(turn, turn.state.goal);
}

/** The goal word for word, unless an adopted draft says already what it is for. */
function storePurpose(turn: Turn, goal: string): void {
  const draft = turn.files.text(DRAFT);
  if (draft !== null && !readDraft(draft).purpose.filled) draftStore(sceneOf(turn), { purpose: goal });
}
