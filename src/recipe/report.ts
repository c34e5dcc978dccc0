import { locateOffset, type RecipeProblem, type Span } from './problem.js';
import { toPointer, type YamlSource } from './yaml-source.js';

/** What narrows or explains a report. */
export interface ReportOptions {
  /** Point at the key instead of its value. */
  at?: 'key' | 'value';
  /** Point at this text inside the value. */
  within?: string;
  fix?: string | undefined;
}

/** Where a complaint stands: keys into the recipe, or a place in a prompt file. */
export type SourcePath = readonly (string | number)[] | { file: string; text: string; span: Span };

/** Collects problems of one recipe and turns places into lines and columns. */
export interface ProblemLog {
  readonly problems: RecipeProblem[];
  error(place: SourcePath, message: string, options?: ReportOptions): void;
  warning(place: SourcePath, message: string, options?: ReportOptions): void;
}

/** A report on one recipe file and the files it uses. */
export function createProblemLog(source: YamlSource): ProblemLog {
  const problems: RecipeProblem[] = [...source.problems];
  const add = (
    severity: RecipeProblem['severity'],
    place: SourcePath,
    message: string,
    options: ReportOptions = {},
  ) => {
    const fix = options.fix === undefined ? {} : { fix: options.fix };
    if ('span' in place) {
      problems.push({ severity, message, file: place.file, ...locateOffset(place.text, place.span), ...fix });
      return;
    }
    const pointer = toPointer(...place);
    const span = source.locate(pointer, options.at ?? 'value', options.within);
    problems.push({ severity, message, file: source.file, ...locateOffset(source.text, span), pointer, ...fix });
  };
  return {
    problems,
    error: (place, message, options) => add('error', place, message, options),
    warning: (place, message, options) => add('warning', place, message, options),
  };
}
