// shared: common
/** A part of an edited PLAN.md that cannot be applied. */
export interface PlanFault {
  /** Line of the edited PLAN.md, counted from 1. */
  line: number;
  /** What is wrong, and where the intended change belongs. */
  problem: string;
  /** What to write instead, if that is certain. */
  instead?: string;
}

/** Collects faults during reading, so that all are reported at once. If there is any fault, no edit is applied. */
export class Notes {
  readonly faults: PlanFault[] = [];
  /** Lines of the edited PLAN.md, by the JSON pointer of their content. */
  readonly lines: Record<string, number> = {};

  refuse(line: number, problem: string, instead?: string): void {
    this.faults.push({ line, problem, ...(instead === undefined ? {} : { instead }) });
  }

  place(pointer: string, line: number): void {
    this.lines[pointer] = line;
  }
}

/**
 * Finds the line of the edited PLAN.md that a finding is about; null if PLAN.md does not show it.
 * @param lines the `lines` of `PlanEdits`
 * @param pointer the JSON pointer of the finding
 */
export function findLine(lines: Readonly<Record<string, number>>, pointer: string): number | null {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) {
    const line = lines[at];
    if (line !== undefined) return line;
  }
  return null;
}
