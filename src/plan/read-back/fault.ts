// shared: common
/** Something in an edited PLAN.md that cannot be taken. */
export interface PlanFault {
  /** In the edited PLAN.md, from 1. */
  line: number;
  /** What is wrong with it, and where what was meant belongs. */
  problem: string;
  /** What to write instead, where that is certain. */
  instead?: string;
}

/** Collects what is found on the way: nothing is taken while there is a fault, and all are named at once. */
export class Notes {
  readonly faults: PlanFault[] = [];
  /** Lines of the edited PLAN.md, by the JSON pointer of what they say. */
  readonly lines: Record<string, number> = {};

  refuse(line: number, problem: string, instead?: string): void {
    this.faults.push({ line, problem, ...(instead === undefined ? {} : { instead }) });
  }

  place(pointer: string, line: number): void {
    this.lines[pointer] = line;
  }
}

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
