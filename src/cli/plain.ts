const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;
const CONTROL_IN_TEXT = /(\u001b\[[0-9;]*m)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A message that may quote foreign text, on one line and without anything a terminal would act on. */
export function oneLine(text: string): string {
  return text.replace(CONTROL, ' ').trim();
}

/** Text for a person: line breaks and tabs stay, colours when wanted, nothing else a terminal would act on. */
export function plainText(text: string, colours: boolean): string {
  return text.replace(CONTROL_IN_TEXT, (_whole, colour?: string) => (colours && colour ? colour : ''));
}
