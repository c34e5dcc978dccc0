/** The trailer that names the run and the todo. */
export const TRAILER = 'Dev-Cli-Task';

/** Whether a line of a message names a task. */
export function isTrailer(line: string): boolean {
  return new RegExp(`^\\s*${TRAILER}\\s*:`, 'i').test(line);
}
