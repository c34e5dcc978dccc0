/**
 * Finds the line of the edited PLAN.md that says what a finding is about; null for what PLAN.md does not show.
 * @param lines of `PlanEdits`
 * @param pointer the JSON pointer of the finding
 */
export function findLine(lines: Readonly<Record<string, number>>, pointer: string): number | null {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const line = lines[at];
    if (line !== undefined) return line;
  }
  return null;
}
