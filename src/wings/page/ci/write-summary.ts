import { appendFileSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { DevCliError } from '../../../base/errors.js';
import { pathError, withIoErrors } from '../../../store/io.js';
import { joinSections, type SummarySection } from './summary.js';

/**
 * Appends the summary to a file.
 * @param given the file of `--summary`; otherwise the runner's file is used, if there is one
 * @returns why nothing was written; null on success, and if there is no file to write to
 * @throws DevCliError `IO` if the file of `--summary` cannot be written
 */
export function writeSummary(
  sections: readonly SummarySection[],
  given: string | undefined,
  { cwd, env, root }: { cwd: string; env: NodeJS.ProcessEnv; root: string },
): string | null {
  const file = given ?? env['GITHUB_STEP_SUMMARY'] ?? '';
  if (file === '' && given === undefined) return null;
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  try {
    return withIoErrors(path, root, () => {
      const there = statSync(path, { throwIfNoEntry: false });
      if (there !== undefined && !there.isFile())
        throw pathError(path, root, 'it is not a file', 'Name a regular file; the summary is appended to it.');
      const text = joinSections(sections, there?.size ?? 0);
      if (text === '') return `The summary was not written: ${file} has no room left.`;
      appendFileSync(path, there === undefined || there.size === 0 ? text : `\n${text}`);
      return null;
    });
  } catch (error) {
    // A fault of the runner's own file must not hide the findings.
    if (given !== undefined || !(error instanceof DevCliError)) throw error;
    return `The summary was not written: ${error.message}`;
  }
}
