// Foreign text is cleaned where it enters an answer (documents/foreign.ts). This is a second safeguard, applied to
// every call. It knows nothing of scripts, so it keeps the joiners that some scripts need.

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const UNSEEN =
  /\u001b\[[0-9;:]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Puts a message on one line, without anything that a terminal would interpret. */
export function toPlainLine(text: string): string {
  return toPlainText(text.replace(CONTROL, ' ')).trim();
}

/**
 * Removes from a text everything that a terminal would interpret, except line breaks and tabs. Colours are removed too:
 * dev-cli adds its own afterwards (paint.ts), and a foreign colour could hide what a person is about to approve.
 */
export function toPlainText(text: string): string {
  return text.replace(UNSEEN, '');
}
