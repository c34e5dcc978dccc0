/** Tasks handed out earlier that an answer repeats at most. */
const RUNNING_SHOWN = 8;

/** Cuts the tasks that are out to as many as an answer repeats, and counts the others. */
export function boundRunning<T>(out: readonly T[]): { running: T[]; runningMore?: number } {
  const more = out.length - RUNNING_SHOWN;
  return { running: out.slice(0, RUNNING_SHOWN), ...(more > 0 ? { runningMore: more } : {}) };
}
