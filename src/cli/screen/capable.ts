/** Whether a terminal can move its cursor, as far as it says. */
export function movesCursor(env: NodeJS.ProcessEnv): boolean {
  return env['TERM'] !== undefined && env['TERM'] !== '' && env['TERM'] !== 'dumb';
}
