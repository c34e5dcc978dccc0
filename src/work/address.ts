const ADDRESS = /^https?:\/\/[\x21-\x7e]{1,300}$/;

/** Whether a text is the address of a pull request, fit to be shown and handed on. */
export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && ADDRESS.test(text);
}
