import { isName } from '../../base/name.js';
import { isSectionId } from '../../documents/sections.js';
import { listInitFlags } from '../resolve/resolve.js';
import type { PreferenceSpec } from '../resolved.js';
import { BUILTIN_PREFERENCES, describePreferenceValues, isPreferenceValue } from '../settings/builtin-preferences.js';
import { PREFERENCES_FILE, SETTINGS_KEYS } from '../settings/project-settings.js';
import type { ProblemLog } from '../source/report.js';
import type { SequentialSource } from '../source/schema.js';
import { quoteWord } from '../source/yaml.js';
import { listPlaceholders } from '../template.js';
import type { Lintable } from './lintable.js';
import { isBuiltInName } from './text.js';

/**
 * Checks the fields above the blocks: name, mode, vars, cleanup and preferences.
 * @param expectedName the name of the recipe's file
 */
export function lintHeader(lintable: Lintable, expectedName: string): void {
  const { source, recipe, report } = lintable;
  lintName(source.name, expectedName, report);
  const flags = lintable.type === 'sequential' ? listInitFlags(lintable.source.blocks) : [];
  for (const key of ['depth', 'interaction'] as const) {
    const stated = source.mode?.[key];
    const values = key === 'depth' ? ['standard', 'quick'] : ['interactive', 'autopilot'];
    const flag = flags.find((candidate) => values.includes(candidate));
    if (stated === undefined || flag === undefined || flag === stated) continue;
    report.error(['mode', key], `\`mode.${key}\` is ${stated}, but the init command says --${flag}.`);
  }
  for (const name of Object.keys(source.vars ?? {})) {
    if (!isBuiltInName(name) && !isSectionId(name)) continue;
    const what = isBuiltInName(name) ? 'the built-in' : 'the section of the draft';
    // A var named `size` wins, because such vars existed before the built-in placeholder.
    const wins =
      isBuiltInName(name) && name !== 'size' ? `{${name}} means ${what}` : `{${name}} means this var, not ${what}`;
    report.warning(['vars', name], `${wins}; write {vars.${name}} for the var.`, { at: 'key' });
  }
  lintDescription(source, report);
  lintCleanup(lintable);
  lintPreferences(source, recipe.preferences, report);
}

/** Checks that the recipe's name matches the file name, by which recipes are found. */
export function lintName(name: string, expected: string, report: ProblemLog): void {
  if (name === expected) return;
  if (!isName(expected)) {
    report.error(['name'], `No recipe can be found under the file name ${quoteWord(expected)}.`, {
      fix: 'Use 1 to 64 letters, digits, "-" and "_", beginning with a letter or digit.',
    });
    return;
  }
  report.error(['name'], `The recipe is named ${quoteWord(name)}, but its file ${quoteWord(`${expected}.yaml`)}.`, {
    fix: `Write \`name: ${expected}\`, or rename the file.`,
  });
}

/** Warns about a description of several lines, since agents choose recipes from a list with one line per recipe. */
export function lintDescription({ description }: Pick<SequentialSource, 'description'>, report: ProblemLog): void {
  if (description?.trim().includes('\n') !== true) return;
  report.warning(['description'], 'Lists show the description on one line.', {
    at: 'key',
    fix: 'Write it on one line, or fold several lines with `>-`.',
  });
}

function lintCleanup({ source, report }: Lintable): void {
  for (const [index, glob] of (source.cleanup ?? []).entries()) {
    if (!glob.startsWith('/') && listPlaceholders(glob).length === 0) continue;
    report.error(['cleanup', index], '`cleanup` removes files of the run only, named without placeholders.', {
      fix: "Write a glob relative to the run's directory, such as `analysis/*.md`.",
    });
  }
}

/** Checks that preferences agree with built-in ones of the same name, and that each default fits its type. */
export function lintPreferences(
  source: Pick<SequentialSource, 'preferences'>,
  resolved: Readonly<Record<string, PreferenceSpec>>,
  report: ProblemLog,
): void {
  for (const [name, stated] of Object.entries(source.preferences ?? {})) {
    if (SETTINGS_KEYS.some((key) => key === name)) {
      report.error(['preferences', name], `${quoteWord(name)} is a reserved key of ${PREFERENCES_FILE}.`, {
        at: 'key',
        fix: 'Rename the preference.',
      });
      continue;
    }
    const builtin = BUILTIN_PREFERENCES[name];
    if (builtin !== undefined && builtin.type !== stated.type) {
      report.error(['preferences', name, 'type'], `The preference ${quoteWord(name)} is built in, as ${builtin.type}.`);
      continue;
    }
    const spec = resolved[name];
    if (spec === undefined || stated.default === undefined || isPreferenceValue(spec, stated.default)) continue;
    report.error(['preferences', name, 'default'], `The default must be ${describePreferenceValues(spec)}.`);
  }
}

/** Checks what a recipe declares about its runs as a whole: guard, inherited documents, beginning and end. */
export function lintDeclared(lintable: Lintable): void {
  const { source, report } = lintable;
  lintEnds(source, report);
  lintGuard(lintable);
  if (lintable.type === 'sequential') lintDocuments(lintable.source.inherits ?? [], 'inherits', report);
  const fitting = lintable.type === 'engine' ? 'execution' : 'planning';
  if (source.begins === undefined || source.begins === fitting) return;
  const other = fitting === 'execution' ? 'carries out a plan' : 'carries out no plan';
  report.error(['begins'], `\`begins: ${source.begins}\` on a recipe of type ${source.type}, which ${other}.`, {
    fix: `Write \`begins: ${fitting}\`, or leave it out.`,
  });
}

/** Checks `artifacts` and `closing`, which a workflow can declare too. */
export function lintEnds(
  { artifacts, closing }: Pick<SequentialSource, 'artifacts' | 'closing'>,
  report: ProblemLog,
): void {
  lintDocuments(artifacts ?? [], 'artifacts', report);
  for (const { key } of listPlaceholders(closing ?? '')) {
    report.warning(['closing'], `\`closing\` is shown as written: {${key}} is not filled in.`, { within: `{${key}}` });
  }
}

function lintDocuments(paths: readonly string[], field: 'artifacts' | 'inherits', report: ProblemLog): void {
  for (const [index, path] of paths.entries()) {
    const outside = path.startsWith('/') || path.includes('\\') || path.split('/').includes('..');
    if (!outside && !path.includes('*') && listPlaceholders(path).length === 0) continue;
    report.error([field, index], `${quoteWord(path)} must be a document of the run, without placeholders.`, {
      fix: "Write a path relative to the run's directory, such as `notes.md`.",
    });
  }
}

function lintGuard({ type, source, report }: Lintable): void {
  if (source.guard?.sources !== 'kept') return;
  const place = ['guard', 'sources'];
  if (type === 'engine') {
    report.error(place, 'An execution changes sources, so `sources: kept` is not possible.', {
      fix: 'Leave `sources` out.',
    });
  } else if ((source.guard.writes ?? []).length > 0) {
    report.error(place, '`sources: kept` contradicts `guard.writes`, which lets tools change sources.', {
      fix: 'Remove one of the two.',
    });
  }
}
