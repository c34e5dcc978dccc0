import { DevCliError } from '../../base/errors.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { listInOtherWorkTrees } from '../../project/work-trees.js';
import { quoteForShell } from '../../registry/render.js';
import type { ReadContext } from '../../run/context.js';

/** A run or plan of the same name in another work tree of the repository (protocol.md §5). */
interface Elsewhere {
  /** The root in that work tree, quoted for a command line. */
  root: string;
  /** Whether a run of the name is live there; if not, only a plan of the name exists there. */
  live: boolean;
}

type Asking = Pick<ReadContext, 'root' | 'reader'>;

/** Finds a live run of this name in another work tree of the repository, or else its plan; null if there is neither. */
function findElsewhere({ root, reader }: Asking, name: string): Elsewhere | null {
  const found = listInOtherWorkTrees(root).flatMap((other): Elsewhere[] => {
    const run = `${other}/.dev/specs/${name}`;
    const live = isLive(reader, `${run}/state.json`);
    const hasPlan = live || reader.list(run).includes('plan-content.json');
    return hasPlan ? [{ root: quoteForShell(other), live }] : [];
  });
  return found.find(({ live }) => live) ?? found[0] ?? null;
}

function isLive(reader: Asking['reader'], path: string): boolean {
  try {
    const state = parseOrNull(reader.read(path));
    return isRecord(state) && state['status'] === 'live';
  } catch (error) {
    // Unreadable files count as no run here; a call in that work tree will report them.
    if (error instanceof DevCliError) return false;
    throw error;
  }
}

/** Returns a warning for a new run if a run of the same name is live in another work tree. */
export function warnOfElsewhere(context: Asking, name: string): string[] {
  const there = findElsewhere(context, name);
  if (there?.live !== true) return [];
  return [
    `"${name}" is live in another work tree of this repository, too; this run is separate from it. To continue that one: dev-cli next ${name} --root ${there.root}`,
  ];
}

/** Extends the error for a missing plan: names the other work tree that has the plan, or a live run of the name. */
export function explainMissingPlan(context: Asking, name: string, error: DevCliError): DevCliError {
  const there = findElsewhere(context, name);
  if (there === null) return error;
  const { code, message, details } = error;
  const [what, fix] = there.live
    ? [`"${name}" is live in`, `To continue that run there: dev-cli next ${name} --root ${there.root}`]
    : ['The plan is in', `To carry it out there, repeat the same call with --root ${there.root}`];
  const where = `${what} another work tree of this repository, ${there.root}.`;
  return new DevCliError(code, `${message} ${where}`, { run: name, details, fix });
}
