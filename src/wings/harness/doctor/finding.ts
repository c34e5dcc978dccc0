import type { Fix } from '../../../base/errors.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import type { Diagnosis } from '../../../protocol/ports.js';
import type { Scope } from '../install/piece.js';

/** A finding of `doctor`, possibly about a harness. */
export interface DoctorFinding extends Diagnosis {
  check: CheckId;
  harness?: HarnessId;
  scope?: Scope;
}

export type CheckId =
  | 'guard'
  | 'session'
  | 'silence'
  | 'installed'
  | 'settings'
  | 'versions'
  | 'path'
  | 'git'
  | 'sandbox'
  | 'wing';

/** The subject of a finding. */
export type FindingSubject = Pick<DoctorFinding, 'check' | 'harness' | 'scope'>;

/** Builds the finding that everything works. */
export function buildOk(subject: FindingSubject, message: string): DoctorFinding {
  return { ...subject, severity: 'ok', message };
}

/** Builds a finding that is worth knowing but breaks nothing. */
export function buildNote(subject: FindingSubject, message: string, fix?: Fix): DoctorFinding {
  return { ...subject, severity: 'note', message, ...(fix === undefined ? {} : { fix }) };
}

/** Builds a finding that something does not work, always with a fix. */
export function buildProblem(subject: FindingSubject, message: string, fix: Fix): DoctorFinding {
  return { ...subject, severity: 'problem', message, fix };
}

/** The fix for a file that cannot be used. */
export const LOOK_AT_FILE = 'Look at that file.';

/** The fix that rewrites everything that `install` writes for a harness. */
export function buildReinstallFix({ harness, scope }: FindingSubject): Fix {
  return {
    command: 'install',
    input: { ...(harness === undefined ? {} : { harness: [harness] }), ...(scope === 'user' ? { user: true } : {}) },
  };
}
