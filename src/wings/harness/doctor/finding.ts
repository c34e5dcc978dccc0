import type { Fix } from '../../../base/errors.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import type { Diagnosis } from '../../../protocol/ports.js';
import type { Scope } from '../install/piece.js';

/** What `doctor` says of a harness. */
export interface Finding extends Diagnosis {
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

/** Where a finding belongs. */
export type Subject = Pick<Finding, 'check' | 'harness' | 'scope'>;

/** All is as it should be. */
export function ok(subject: Subject, message: string): Finding {
  return { ...subject, severity: 'ok', message };
}

/** Something to know, which keeps nothing from working. */
export function note(subject: Subject, message: string, fix?: Fix): Finding {
  return { ...subject, severity: 'note', message, ...(fix === undefined ? {} : { fix }) };
}

/** Something does not work; what to do about it is always said. */
export function problem(subject: Subject, message: string, fix: Fix): Finding {
  return { ...subject, severity: 'problem', message, fix };
}

/** What to do about a file that cannot be used. */
export const LOOK = 'Look at that file.';

/** What puts right all that `install` writes for a harness. */
export function installAgain({ harness, scope }: Subject): Fix {
  return {
    command: 'install',
    input: { ...(harness === undefined ? {} : { harness: [harness] }), ...(scope === 'user' ? { user: true } : {}) },
  };
}
