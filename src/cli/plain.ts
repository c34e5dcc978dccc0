// Foreign text is cleaned where it enters an answer (documents/foreign.ts). This is a second net, on every call: it
// knows nothing of scripts, and so leaves the joiners that some of them need.

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const UNSEEN =
  /\u001b\[[0-9;:]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Puts a message on one line, without anything that a terminal would act on. */
export function toOneLine(text: string): string {
  return toPlainText(text.replace(CONTROL, ' ')).trim();
}

/**
 * Removes from a text everything that a terminal would act on, except line breaks and tabs. Colours go too: dev-cli's
 * own are painted behind it (paint.ts), and a foreign one could conceal what a person is about to approve.
 */
export function toPlainText(text: string): string {
  return text.replace(UNSEEN, '');
}
