/** Returns whether a terminal can move its cursor, judging by TERM. */
export function movesCursor(env: NodeJS.ProcessEnv): boolean {
  return env['TERM'] !== undefined && env['TERM'] !== '' && env['TERM'] !== 'dumb';
}
