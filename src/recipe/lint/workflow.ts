import type { ResolvedPhase } from '../captured.js';
import { createConditionChecker } from '../conditions/check.js';
import type { CompiledPhase, CompiledRecipe } from '../load/compiled.js';
import { BUILTIN_PREFERENCES } from '../settings/builtin-preferences.js';
import { sortProblems } from '../source/problem.js';
import { quoteWord } from '../source/yaml.js';
import { lintDescription, lintEnds, lintName, lintPreferences } from './header.js';
import type { LintableWorkflow } from './lintable.js';

/** Fields that have no effect in a workflow, because those of the current phase's recipe apply. */
const OF_PHASES = ['skill', 'guard', 'cleanup'] as const;

/**
 * Checks a workflow: its phases, their recipes, its conditions (recipes.md §4; recipes.md §6).
 * @param expectedName the name of the workflow's file
 * @param lintRecipe checks the recipe of a phase and adds problems to that recipe's own report
 */
export function lintWorkflow(
  lintable: LintableWorkflow,
  expectedName: string,
  lintRecipe: (compiled: CompiledRecipe, expectedName: string) => void,
): void {
  const { source, workflow, report, phases } = lintable;
  lintName(source.name, expectedName, report);
  lintDescription(source, report);
  lintPreferences(source, workflow.preferences, report);
  lintEnds(source, report);
  for (const field of OF_PHASES) {
    if (source[field] === undefined) continue;
    report.warning([field], `\`${field}\` has no effect here: the recipe of each phase decides it.`, {
      at: 'key',
    });
  }
  const children = new Map(phases.flatMap(({ file, compiled }) => (compiled === null ? [] : [[compiled, file]])));
  for (const [compiled, file] of children) lintRecipe(compiled, file?.name ?? '');
  const names = new Map<string, number>();
  for (const [index, phase] of phases.entries()) {
    if (phase.stated === null) continue;
    lintUnique(lintable, index, phase.stated.name, names);
    lintChild(lintable, index, phase);
  }
  for (const [index, phase] of phases.entries()) {
    const resolved = workflow.phases.find(({ name }) => name === phase.stated?.name);
    if (resolved === undefined) continue;
    lintMode(lintable, index, resolved);
    lintShared(lintable, index, resolved);
  }
  lintVars(lintable);
  lintConditions(lintable);
}

/** Warns about vars that no condition of the workflow reads and no phase declares. */
function lintVars({ source, workflow, report, phases }: LintableWorkflow): void {
  const whole = phases.every(({ compiled }) => compiled !== null && compiled.draft !== null);
  for (const name of whole ? Object.keys(source.vars ?? {}) : []) {
    const isRead = workflow.phases.some(
      ({ recipe, when }) => Object.hasOwn(recipe.vars, name) || when?.includes(name) === true,
    );
    if (isRead) continue;
    report.warning(['vars', name], `No phase has a var ${quoteWord(name)}, and no condition reads it.`, { at: 'key' });
  }
}

function lintUnique({ report }: LintableWorkflow, index: number, name: string, known: Map<string, number>): void {
  const first = known.get(name);
  if (first === undefined) known.set(name, index);
  else report.error(['phases', index, 'name'], `The name ${quoteWord(name)} is already taken by phase ${first + 1}.`);
}

/** Checks that the recipe of a phase exists, is not a workflow itself, and has no errors. */
function lintChild({ report }: LintableWorkflow, index: number, { stated, problem, compiled }: CompiledPhase): void {
  const place = ['phases', index, 'recipe'];
  const name = quoteWord(stated?.recipe ?? '');
  if (problem !== null) {
    report.error(place, problem, { fix: '`dev-cli recipe list` shows all recipes.' });
    return;
  }
  if (compiled === null) return;
  if (compiled.header.type === 'meta') {
    report.error(place, `${name} is a workflow itself; a phase is one sequential or engine recipe.`, {
      fix: 'Write its phases here, one by one.',
    });
    return;
  }
  const [first, ...more] = sortProblems(compiled.report.problems).filter(({ severity }) => severity === 'error');
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  report.error(place, `${name} has errors: ${first.file}:${first.line}:${first.column}: ${first.message}${others}`, {
    fix: `\`dev-cli recipe lint ${stated?.recipe ?? ''}\` shows them all.`,
  });
}

/** Warns about a mode that has no effect on a phase because the phase's recipe states another. */
function lintMode({ source, report }: LintableWorkflow, index: number, { name, recipe }: ResolvedPhase): void {
  for (const [key, value] of Object.entries(source.mode ?? {})) {
    const stated = recipe.mode[key];
    if (stated === undefined || stated === value) continue;
    report.warning(
      ['mode', key],
      `The phase ${quoteWord(name)} stays ${stated}: its recipe ${quoteWord(recipe.name)} sets it.`,
      { fix: `Choose a recipe for phase ${index + 1} that is ${value}, or one that does not set it.` },
    );
  }
}

/** Checks that a preference has the same type in all phases, since it has only one value per run. */
function lintShared({ workflow, report }: LintableWorkflow, index: number, { recipe }: ResolvedPhase): void {
  for (const [name, { type }] of Object.entries(recipe.preferences)) {
    const shared = workflow.preferences[name];
    if (shared === undefined || shared.type === type) continue;
    report.error(
      ['phases', index, 'recipe'],
      `The preference ${quoteWord(name)} is of type ${type} in ${quoteWord(recipe.name)} and of type ${shared.type} elsewhere in this workflow.`,
    );
  }
}

/** Checks the conditions of phases, which see only mode, vars, goal and preferences. */
function lintConditions({ source, workflow, report, phases }: LintableWorkflow): void {
  const conditions = phases.flatMap(({ stated }, index) =>
    stated?.when === undefined ? [] : [{ when: stated.when, place: ['phases', index, 'when'] }],
  );
  if (conditions.length === 0) return;
  const problemsOf = createConditionChecker({
    mode: [...new Set(['depth', 'interaction', ...Object.keys(source.mode ?? {})])],
    vars: workflow.vars,
    preferences: { ...BUILTIN_PREFERENCES, ...workflow.preferences },
    sections: [],
    agents: [],
    phase: true,
  });
  for (const { when, place } of conditions) for (const problem of problemsOf(when)) report.error(place, problem);
}
