// door: refusal

// The text that GitHub's runner takes for a workflow command in a line of output (view.md, CI). The runner's comparison
// ignores invisible characters, so this pattern does too.
const COMMAND = /^[\p{DI}\p{Zs}\t]*:(?=\p{DI}*:)|#(?=\p{DI}*#\p{DI}*\[)/gmu;

/** Inserts a blank into everything that GitHub's runner would take for a workflow command. */
export function escapeWorkflowCommands(text: string): string {
  return text.replace(COMMAND, '$& ');
}
