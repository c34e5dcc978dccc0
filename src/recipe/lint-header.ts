import { isSectionId } from '../documents/sections.js';
import { BUILTIN_PREFERENCES, fitsPreference, preferenceValues } from './builtin-preferences.js';
import { isBuiltInName } from './lint-text.js';
import type { Lintable } from './lintable.js';
import { initFlags } from './resolve.js';
import { placeholders } from './template.js';
import { quoted } from './yaml-source.js';

/** The fields above the blocks: name, mode, vars, preferences. */
export function lintHeader(lintable: Lintable, expectedName: string): void {
  const { source, report } = lintable;
  if (source.name !== expectedName) {
    report.error(['name'], `The name is ${quoted(source.name)} and the file ${quoted(`${expectedName}.yaml`)}.`, {
      fix: `Write \`name: ${expectedName}\`, or rename the file.`,
    });
  }
  for (const key of ['depth', 'interaction'] as const) {
    const stated = source.mode?.[key];
    const values = key === 'depth' ? ['standard', 'quick'] : ['interactive', 'autopilot'];
    const flag = initFlags(source.blocks).find((candidate) => values.includes(candidate));
    if (stated === undefined || flag === undefined || flag === stated) continue;
    report.error(['mode', key], `\`mode.${key}\` is ${stated}, and the init command says --${flag}.`);
  }
  for (const name of Object.keys(source.vars ?? {})) {
    if (!isBuiltInName(name) && !isSectionId(name)) continue;
    const what = isBuiltInName(name) ? 'the built-in' : 'the section of the draft';
    const wins = isBuiltInName(name) ? `{${name}} means ${what}` : `{${name}} means this var, not ${what}`;
    report.warning(['vars', name], `${wins}; write {vars.${name}} for the var.`, { at: 'key' });
  }
  lintCleanup(lintable);
  lintPreferences(lintable);
}

function lintCleanup({ source, report }: Lintable): void {
  for (const [index, glob] of (source.cleanup ?? []).entries()) {
    if (!glob.startsWith('/') && placeholders(glob).length === 0) continue;
    report.error(['cleanup', index], '`cleanup` removes files of the run only, named without placeholders.', {
      fix: "Write a glob relative to the run's directory, such as `analysis/*.md`.",
    });
  }
}

function lintPreferences({ source, recipe, report }: Lintable): void {
  for (const [name, stated] of Object.entries(source.preferences ?? {})) {
    const builtin = BUILTIN_PREFERENCES[name];
    if (builtin !== undefined && builtin.type !== stated.type) {
      report.error(['preferences', name, 'type'], `The preference ${quoted(name)} is built in, as ${builtin.type}.`);
      continue;
    }
    const spec = recipe.preferences[name];
    if (spec === undefined || stated.default === undefined || fitsPreference(spec, stated.default)) continue;
    report.error(['preferences', name, 'default'], `The default must be ${preferenceValues(spec)}.`);
  }
}
