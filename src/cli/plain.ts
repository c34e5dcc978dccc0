import { withoutHidden } from '../base/visible.js';

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
const CONTROL_IN_TEXT = /\u001b\[[0-9;:]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** A message that may quote foreign text, on one line and without anything a terminal would act on. */
export function oneLine(text: string): string {
  return withoutHidden(text.replace(CONTROL, ' '), () => '').trim();
}

/**
 * Text for a person: line breaks and tabs stay, nothing else a terminal would act on. Colours neither: dev-cli writes none
 * itself, and one of somebody else's may conceal what a person is about to approve.
 */
export function plainText(text: string): string {
  return withoutHidden(text.replace(CONTROL_IN_TEXT, ''), () => '');
}
