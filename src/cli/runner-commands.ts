// door: refusal

// What GitHub's runner takes for one of its commands in a line of output (view.md, CI). It compares as its language does, which
// passes over characters that show nothing.
const COMMAND = /^[\p{DI}\p{Zs}\t]*:(?=\p{DI}*:)|#(?=\p{DI}*#\p{DI}*\[)/gmu;

/** Puts a blank into everything that GitHub's runner would take for a command. */
export function breakCommands(text: string): string {
  return text.replace(COMMAND, '$& ');
}
