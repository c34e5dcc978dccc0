// What is foreign in an answer has been cleaned where it was put in (documents/foreign.ts). This is the second net, and in every
// call: it knows no scripts, and leaves the joiners that some of them need.

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const UNSEEN =
  /\u001b\[[0-9;:]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** A message that may quote foreign text, on one line and without anything a terminal would act on. */
export function toOneLine(text: string): string {
  return toPlainText(text.replace(CONTROL, ' ')).trim();
}

/**
 * Text for a person: line breaks and tabs stay, nothing else a terminal would act on. Colours neither: dev-cli writes none
 * itself, and one of somebody else's may conceal what a person is about to approve.
 */
export function toPlainText(text: string): string {
  return text.replace(UNSEEN, '');
}
