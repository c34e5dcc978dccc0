import { DevCliError } from '../../base/errors.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { listInOtherWorkTrees } from '../../project/work-trees.js';
import { quoteForShell } from '../../registry/render.js';
import type { ReadContext } from '../../run/context.js';

/** What another work tree of the repository has of a run's name (protocol.md §5). */
interface Elsewhere {
  /** As a word of a command line: the root there. */
  root: string;
  /** Whether a run of the name is live there; else there is only its plan. */
  live: boolean;
}

type Asking = Pick<ReadContext, 'root' | 'reader'>;

/** Finds a live run of this name in another work tree of the repository, else a plan; null where there is neither. */
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
    // What cannot be read there is for calls there to say.
    if (error instanceof DevCliError) return false;
    throw error;
  }
}

/** Says, to a run that begins, that one of its name is live in another work tree; nothing where none is. */
export function warnOfElsewhere(context: Asking, name: string): string[] {
  const there = findElsewhere(context, name);
  if (there?.live !== true) return [];
  return [
    `"${name}" is live in another work tree of this repository, too, and this is a run of its own: to go on with that one, dev-cli next ${name} --root ${there.root}`,
  ];
}

/** Says to a missing plan that another work tree has it, or a live run of the name. */
export function explainMissingPlan(context: Asking, name: string, error: DevCliError): DevCliError {
  const there = findElsewhere(context, name);
  if (there === null) return error;
  const { code, message, details } = error;
  const [what, fix] = there.live
    ? [`"${name}" is live in`, `To go on with that run, there: dev-cli next ${name} --root ${there.root}`]
    : ['The plan lies in', `To carry it out there, repeat the same call with --root ${there.root}`];
  const where = `${what} another work tree of this repository, ${there.root}.`;
  return new DevCliError(code, `${message} ${where}`, { run: name, details, fix });
}
