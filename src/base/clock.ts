/** The only source of time. Injected, so that every run can be replayed and tested. */
export interface Clock {
  /** Milliseconds since the epoch (UTC). */
  now(): number;
}

/** Blocks this thread for the given time without using the processor. */
export function blockFor(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** The only source of randomness. */
export interface Ids {
  /** A string of `length` random lower-case hexadecimal digits. */
  hex(length: number): string;
}

/** Renders milliseconds since the epoch as UTC, ISO 8601, with milliseconds (storage.md, A commit). */
export function formatInstant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Removes the milliseconds from an instant of `formatInstant`, for people: `2026-11-21T21:38:00Z`. */
export function cutToSecond(at: string): string {
  return at.replace(/\.\d+Z$/, 'Z');
}
