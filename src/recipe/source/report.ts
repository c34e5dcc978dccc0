import { omitUndefined } from '../../base/defined.js';
import type { ErrorDetail } from '../../base/errors.js';
import { locateOffset, type OffsetRange, type RecipeProblem } from './problem.js';
import { toPointer, type YamlSource } from './yaml.js';

/** Options that narrow or explain a reported problem. */
export interface ProblemOptions {
  /** Whether to point at the key or at its value. Default: value. */
  at?: 'key' | 'value';
  /** Narrows the position to this text within the value. */
  within?: string;
  /** How to fix the problem. */
  fix?: string | undefined;
  /** Omits the problem if an error was already reported for exactly the same text. */
  unlessTold?: boolean;
}

/** The position of a problem: keys into the recipe, or a span in a prompt file. */
export type SourcePath = readonly (string | number)[] | { file: string; text: string; span: OffsetRange };

/** Collects the problems of one recipe and converts their positions to lines and columns. */
export interface ProblemLog {
  readonly problems: RecipeProblem[];
  error(place: SourcePath, message: string, options?: ProblemOptions): void;
  warning(place: SourcePath, message: string, options?: ProblemOptions): void;
}

/** Creates a log for a recipe file and the files it uses. It starts with the problems found by the YAML parser. */
export function createProblemLog(source: YamlSource): ProblemLog {
  const problems: RecipeProblem[] = [...source.problems];
  const add = (
    severity: RecipeProblem['severity'],
    place: SourcePath,
    message: string,
    options: ProblemOptions = {},
  ) => {
    const fix = options.fix === undefined ? {} : { fix: options.fix };
    if ('span' in place) {
      problems.push({ severity, message, file: place.file, ...locateOffset(place.text, place.span), ...fix });
      return;
    }
    const pointer = toPointer(...place);
    const span = source.locate(pointer, options.at ?? 'value', options.within);
    const found = { severity, message, file: source.file, ...locateOffset(source.text, span), pointer, ...fix };
    if (options.unlessTold !== true || !problems.some((told) => isSameError(told, found))) problems.push(found);
  };
  return {
    problems,
    error: (place, message, options) => add('error', place, message, options),
    warning: (place, message, options) => add('warning', place, message, options),
  };
}

/** Lists the errors of a log in the form of `DevCliError.details`. */
export function listErrors({ problems }: Pick<ProblemLog, 'problems'>): ErrorDetail[] {
  return problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message, fix, file, line, column, pointer }) => ({
      problem: fix === undefined ? message : `${message} ${fix}`,
      at: `${file}:${line}:${column}`,
      ...omitUndefined({ pointer }),
    }));
}

function isSameError(told: RecipeProblem, { file, line, column, length }: RecipeProblem): boolean {
  return (
    told.severity === 'error' &&
    told.file === file &&
    told.line === line &&
    told.column === column &&
    told.length === length
  );
}

/** Wraps a log so that it drops each warning about a value in which, or around which, an error was already reported. */
export function leaveOutFaulty(report: ProblemLog): ProblemLog {
  const faulty = report.problems.flatMap(({ severity, pointer }) =>
    severity === 'error' && pointer !== undefined ? `${pointer}/` : [],
  );
  return {
    ...report,
    warning(place, message, options) {
      const here = 'span' in place ? null : `${toPointer(...place)}/`;
      if (here !== null && faulty.some((there) => there.startsWith(here) || here.startsWith(there))) return;
      report.warning(place, message, options);
    },
  };
}
