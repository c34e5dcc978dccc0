import { DevCliError } from '../base/errors.js';

/** What a reader of documents takes at most, in bytes (src/base/files.ts); a larger one could never be read back. */
export const MAX_DOCUMENT = 8 * 1024 * 1024;

const PROBLEMS = {
  outside: 'leads out of the project',
  directory: 'is a directory',
  special: 'is no regular file',
  large: 'is larger than 8 MiB',
};

/** The error of `Files.read` for anything but a document. */
export function unusable(path: string, why: keyof typeof PROBLEMS): DevCliError {
  return new DevCliError('EVIDENCE_INVALID', `${path} ${PROBLEMS[why]}.`, {
    details: [{ target: path, problem: PROBLEMS[why] }],
    fix: `Put a regular file of at most 8 MiB at ${path}, then repeat the same call.`,
  });
}
