const ADDRESS = /^https?:\/\/[\x21-\x7e]{1,300}$/;

/** Whether a value is a web address that is safe to print and to record: http(s), short, printable ASCII only. */
export function isAddress(text: unknown): text is string {
  return typeof text === 'string' && ADDRESS.test(text);
}
