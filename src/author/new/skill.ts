import type { CapturedRecipe } from '../../recipe/resolved.js';

/** A skill of a recipe's own: the one that runs any recipe, with the recipe filled in. Pure. */

/** Where that skill lies in the package. */
export const GENERAL_SKILL = 'skills/run-recipe/SKILL.md';

/** Where its rules begin: what stands before says how to find and start a recipe. */
const RULES = '- Loop:';

/**
 * Renders the SKILL.md of a recipe.
 * @param general the text of `GENERAL_SKILL`
 */
export function renderSkill(captured: CapturedRecipe, general: string): string {
  const { recipe, workflow } = captured;
  const { name, description } = workflow ?? recipe;
  const says = JSON.stringify(
    `${description.replace(/\s+/g, ' ').replace(/[.\s]*$/, '')}. Use for /${name}, and to go on with, continue or resume such a run.`,
  );
  const head = `---\nname: ${name}\ndescription: ${says}\nallowed-tools: Bash(dev-cli:*) Edit(.dev/**)\n---\n`;
  return `${head}${renderStart(name, captured)}\n${general.slice(general.indexOf(RULES))}`;
}

function renderStart(name: string, { recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): string {
  const begin = `dev-cli init <name> --${workflow === undefined ? 'recipe' : 'workflow'} ${name}`;
  const flags = 'As the user says: `--quick`, `--autopilot`, `--set <variable>=<value>`.';
  const [command, which] =
    recipe.type === 'engine' && workflow === undefined
      ? [begin, 'the run whose plan is to be carried out']
      : [
          `${begin} --goal - <<'GOAL'\n<the request, word for word>\nGOAL`,
          'two to four words, kebab-case. No here-document: `--goal @.dev/goal.md`',
        ];
  return `Start (repeating is safe):\n\`\`\`sh\n${command}\n\`\`\`\n- \`<name>\`: ${which}. ${flags}`;
}
