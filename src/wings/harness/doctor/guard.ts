import { isRecord } from '../../../base/json.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { type Finding, installAgain, ok, problem, type Subject } from './finding.js';
import { describeEnd, type Ran } from './probes.js';

/** Whether the guard fires: the judgement of a trial (harness.md, Doctor). */

/** A hook before a tool as it stands in a harness's settings. */
export interface GuardHook {
  line: string;
  /** The names of tools that it is called for; absent: all. */
  matcher?: unknown;
}

/** Lists the commands of an event; what has another form is none. */
export function listHookLines(settings: Record<string, unknown>, native: string): GuardHook[] {
  const hooks = settings['hooks'];
  const groups = isRecord(hooks) ? hooks[native] : undefined;
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group: unknown) => {
    if (!isRecord(group) || !Array.isArray(group['hooks'])) return [];
    const { matcher } = group;
    return group['hooks'].flatMap((hook: unknown) =>
      isRecord(hook) && typeof hook['command'] === 'string'
        ? [{ line: hook['command'], ...(matcher === undefined ? {} : { matcher }) }]
        : [],
    );
  });
}

/** How a line ended in a directory where a run plans, and in one without dev-cli. */
export interface Trial {
  guarded: Ran;
  unguarded: Ran;
}

/**
 * Judges a trial. A refusal counts only with its answer: a line also ends with 2 where nobody could judge, as without dev-cli on
 * the PATH, and then it blocks everything.
 */
export function judgeTrial(subject: Subject, { guarded, unguarded }: Trial): Finding {
  const again = installAgain(subject);
  if (!isStopped(guarded)) {
    const how = guarded.end === 'exit' && guarded.code === 0 ? 'lets it pass' : describeEnd(guarded);
    return problem(
      subject,
      `The guard does not fire: tried on a write that a planning run forbids, the installed line ${how}.${quote(guarded)}`,
      again,
    );
  }
  if (!isRefusal(guarded)) {
    return problem(
      subject,
      `The guard blocks without judging, so it will block every write.${quote(guarded)}`,
      'Fix what it reports (dev-cli and node must be on the PATH of this shell), then repeat `dev-cli doctor`.',
    );
  }
  if (unguarded.end !== 'exit' || unguarded.code !== 0) {
    const how = isStopped(unguarded) ? 'blocks a write' : describeEnd(unguarded);
    return problem(subject, `Where dev-cli is not used, the installed line ${how}.${quote(unguarded)}`, again);
  }
  return ok(subject, 'The guard fires: the installed line blocks a forbidden write and lets others pass.');
}

/** Judges a line that another version wrote, or somebody else: what it would do is not tried. */
export function judgeForeign(subject: Subject): Finding {
  return problem(
    subject,
    'The installed line before a tool is not as this version writes it, so it was not run: whether the guard fires is not known.',
    installAgain(subject),
  );
}

/** The one exit code by which all harnesses stop a tool. */
function isStopped(ran: Ran): boolean {
  return ran.end === 'exit' && ran.code === 2;
}

function isRefusal({ stdout }: Ran): boolean {
  try {
    const answer: unknown = JSON.parse(stdout);
    return isRecord(answer) && answer['decision'] === 'block';
  } catch {
    return false;
  }
}

function quote({ stderr }: Ran): string {
  const said = toBoundedLine(stderr, 300);
  return said === '' ? '' : ` It says: ${said}`;
}
