import { isRecord } from '../../../base/json.js';
import { toBoundedLine } from '../../../documents/foreign.js';
import { buildOk, buildProblem, buildReinstallFix, type DoctorFinding, type FindingSubject } from './finding.js';
import { describeProbeFailure, type ProgramEnd } from './probes.js';

/** Judges whether the guard works, from a trial of its hook (harness.md, Doctor). */

/** A pre-tool hook in the settings of a harness. */
export interface GuardHook {
  line: string;
  /** The pattern of tool names for which the hook is called; absent if it is called for all tools. */
  matcher?: unknown;
}

/** Lists the hook commands of an event; skips entries of any other form. */
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

/** How a hook line ended in a directory with a planning run, and in a directory without dev-cli. */
export interface HookTrial {
  guarded: ProgramEnd;
  unguarded: ProgramEnd;
}

/**
 * Judges a trial. Exit code 2 alone does not prove that the guard works: a line that cannot judge, for example without
 * dev-cli on the PATH, exits with 2 as well and so blocks every write. A refusal counts only with a valid answer.
 */
export function judgeTrial(subject: FindingSubject, { guarded, unguarded }: HookTrial): DoctorFinding {
  const again = buildReinstallFix(subject);
  if (!isStopped(guarded)) {
    const how = guarded.end === 'exit' && guarded.code === 0 ? 'lets it pass' : describeProbeFailure(guarded);
    return buildProblem(
      subject,
      `The guard does not fire: tried on a write that a planning run forbids, the installed line ${how}.${quote(guarded)}`,
      again,
    );
  }
  if (!isRefusal(guarded)) {
    return buildProblem(
      subject,
      `The guard blocks without judging, so it will block every write.${quote(guarded)}`,
      'Fix what it reports (dev-cli and node must be on the PATH of this shell), then repeat `dev-cli doctor`.',
    );
  }
  if (unguarded.end !== 'exit' || unguarded.code !== 0) {
    const how = isStopped(unguarded) ? 'blocks a write' : describeProbeFailure(unguarded);
    return buildProblem(subject, `Where dev-cli is not used, the installed line ${how}.${quote(unguarded)}`, again);
  }
  return buildOk(subject, 'The guard fires: the installed line blocks a forbidden write and lets others pass.');
}

/** Reports a hook line that this version did not write; such a line is not tried. */
export function judgeForeign(subject: FindingSubject): DoctorFinding {
  return buildProblem(
    subject,
    'The installed hook line before a tool is not what this version writes, so it was not run: whether the guard fires is unknown.',
    buildReinstallFix(subject),
  );
}

/** Returns whether a hook stopped the tool: only exit code 2 stops it in every harness. */
function isStopped(ran: ProgramEnd): boolean {
  return ran.end === 'exit' && ran.code === 2;
}

function isRefusal({ stdout }: ProgramEnd): boolean {
  try {
    const answer: unknown = JSON.parse(stdout);
    return isRecord(answer) && answer['decision'] === 'block';
  } catch {
    return false;
  }
}

function quote({ stderr }: ProgramEnd): string {
  const said = toBoundedLine(stderr, 300);
  return said === '' ? '' : ` It says: ${said}`;
}
