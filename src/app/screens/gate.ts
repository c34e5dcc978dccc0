import type { Decision } from '../../base/decision.js';
import type { TerminalSize } from '../../base/screen.js';
import type { Line } from '../../base/spans.js';
import { type GatePlace, renderGateFrame } from '../../views/frames/gate-page.js';
import { findKeyAction } from '../../views/frames/keys.js';

/** The page on which a person answers a gate (view.md, Gate). */
export interface GatePage {
  frame(size: TerminalSize): Line[];
  /**
   * Takes a key: digits and Enter decide, the letter of a `Look` opens it, other keys scroll.
   * @returns the complete answer, or null while it is incomplete
   */
  press(key: string, size: TerminalSize): string | null;
  /** Shows why the answer was refused, and clears what was typed. */
  refuse(why: string): void;
}

/** Opens the page of a decision at its top. @param notice one more thing the person has to know */
export function openGatePage(decision: Decision, question: string, notice: string): GatePage {
  let place: GatePlace = { top: 0, typed: '', notice };
  const keys = new Set(decision.looks.map(({ key }) => key));
  const layOut = (size: TerminalSize) => renderGateFrame(decision, size, place, question);
  return {
    frame: (size) => layOut(size).lines,
    press(key, size) {
      const letter = key.toLowerCase();
      if (keys.has(letter)) return letter;
      if (key === 'escape' && place.typed === '') return '';
      // On this page only a number decides, although at a prompt an answer may also be typed as a word.
      if (key === 'return') return /^\d*$/.test(place.typed) ? place.typed : NO_CHOICE;
      const { last, room } = layOut(size);
      const top = Math.max(0, Math.min(last, scroll(Math.min(last, place.top), key, room)));
      place = { top, typed: type(place.typed, key), notice: '' };
      return null;
    },
    refuse(why) {
      place = { ...place, typed: '', notice: why };
    },
  };
}

/** Stands for typed text that is not a number. No decision has an answer of this name, so it is refused. */
const NO_CHOICE = '?';

/** The most characters an answer may have. */
const LONGEST = 20;

function type(typed: string, key: string): string {
  if (key === 'escape') return '';
  if (key === 'backspace') return typed.slice(0, -1);
  const isTyped = [...key].length === 1 && findKeyAction(key, 'run') === undefined;
  return isTyped && typed.length < LONGEST ? typed + key : typed;
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
