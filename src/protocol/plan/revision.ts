import type { Invocation } from '../../base/invocation.js';
import type { ReadPlan } from '../../blocks/plan-on-disk.js';

/** A change of the plan that a command asks for, as against one that stands in its files already. */
export interface Revision {
  /** The command, as a person repeats it. */
  call: Invocation;
  /** Reads the plan from its files, and changes it. */
  read: ReadPlan;
  /** What whoever decides on the change should know, once it has been read. */
  remarks?: () => readonly string[];
}
