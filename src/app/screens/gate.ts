import type { Decision } from '../../base/decision.js';
import type { TerminalSize } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { type GatePlace, renderGateFrame } from '../../views/frames/gate-page.js';
import { findKeyAction } from '../../views/frames/keys.js';

/** The page on which a person answers a gate (view.md, Gate). */
export interface GatePage {
  frame(size: TerminalSize): Line[];
  /**
   * Takes a key. An answer is its number or its id, and Enter. While nothing is typed and a key begins no id, the letter
   * of a `Look` opens it, and other keys scroll.
   * @returns the complete answer, or null while it is incomplete
   */
  press(key: string, size: TerminalSize): string | null;
  /** Shows why the answer was refused, and clears what was typed. */
  refuse(why: string): void;
}

/** Opens the page of a decision at its top. @param notice one more thing the person has to know */
export function openGatePage(decision: Decision, question: string, notice: string): GatePage {
  let place: GatePlace = { top: 0, typed: '', notice };
  const looks = new Set(decision.looks.map(({ key }) => key));
  const begins = (key: string) => decision.answers.some(({ id }) => id.startsWith(key));
  // One more than the longest answer, so that what is cut off never leaves one.
  const longest = 1 + Math.max(...decision.answers.map(({ id }, at) => Math.max(id.length, String(at + 1).length)));
  const layOut = (size: TerminalSize) => renderGateFrame(decision, size, place, question);
  return {
    frame: (size) => layOut(size).lines,
    press(key, size) {
      const { top, typed } = place;
      const letter = key.toLowerCase();
      if (typed === '' && looks.has(letter) && !begins(key)) return letter;
      if (key === 'return' || (key === 'escape' && typed === '')) return typed;
      const edited = edit(typed, key, typed !== '' || begins(key))?.slice(0, longest) ?? null;
      if (edited !== null) place = { top, typed: edited, notice: '' };
      else {
        const { last, room } = layOut(size);
        const scrolled = Math.max(0, Math.min(last, scroll(Math.min(last, top), key, room)));
        place = { top: scrolled, typed, notice: '' };
      }
      return null;
    },
    refuse(why) {
      place = { ...place, typed: '', notice: why };
    },
  };
}

/** Returns the text after a key, or null if the key edits nothing. @param isWord whether letters that scroll are text */
function edit(typed: string, key: string, isWord: boolean): string | null {
  if (key === 'escape') return '';
  if (key === 'backspace') return typed.slice(0, -1);
  if ([...key].length !== 1 || (!isWord && findKeyAction(key, 'run') !== undefined)) return null;
  return `${typed}${key}`;
}

function scroll(top: number, key: string, room: number): number {
  switch (findKeyAction(key, 'run')) {
    case 'up':
      return top - 1;
    case 'down':
      return top + 1;
    case 'pageUp':
      return top - room;
    case 'pageDown':
      return top + room;
    case 'first':
      return 0;
    case 'last':
      return Number.POSITIVE_INFINITY;
    default:
      return top;
  }
}
