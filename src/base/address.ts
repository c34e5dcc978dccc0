const ADDRESS = /^https?:\/\/[\x21-\x7e]{1,300}$/;

/** Whether a text is an address that may be shown and passed on. */
export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && ADDRESS.test(text);
}
