// door: refusal

// Matches text in a line of output that GitHub's runner takes for a workflow command (view.md, CI). Like the runner, it
// ignores invisible characters.
const COMMAND = /^[\p{DI}\p{Zs}\t]*:(?=\p{DI}*:)|#(?=\p{DI}*#\p{DI}*\[)/gmu;

/** Inserts a space into everything that GitHub's runner would take for a workflow command. */
export function escapeWorkflowCommands(text: string): string {
  return text.replace(COMMAND, '$& ');
}
