// Foreign text is cleaned where it enters an answer (documents/foreign.ts). This is a second safeguard, applied to
// every call. It does not analyse writing systems, so it keeps the joiners that some of them need.

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const UNSEEN =
  /\u001b\[[0-9;:]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Puts a message on one line, without characters that a terminal would interpret. */
export function toPlainLine(text: string): string {
  return toPlainText(text.replace(CONTROL, ' ')).trim();
}

/**
 * Removes all characters from a text that a terminal would interpret, except line breaks and tabs. Also removes
 * colours, since a foreign colour could hide text that a person is about to approve; dev-cli adds its own afterwards
 * (paint.ts).
 */
export function toPlainText(text: string): string {
  return text.replace(UNSEEN, '');
}
