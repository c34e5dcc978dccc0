import { markSkill, RECIPE_MARK, readMark } from '../../../documents/mark.js';
import type { CapturedRecipe } from '../../../recipe/captured.js';
import type { Library } from '../../../recipe/load/library.js';

/**
 * The skill of a single recipe: the skill that runs any recipe, with this recipe filled in. It is updated with the
 * recipe until somebody edits it (authoring.md, recipe new).
 */

/** The general skill's path in the package. */
const GENERAL_SKILL = 'skills/run-recipe/SKILL.md';

/** The beginning of the general skill's rules; the text before them says how to find and start a recipe. */
const RULES = '- Loop:';

/** Renders the SKILL.md of a recipe. */
export function renderSkill({ reader, shipped }: Library, captured: CapturedRecipe): string {
  const general = reader.read(`${shipped}/${GENERAL_SKILL}`) ?? '';
  const { recipe, workflow } = captured;
  const { name, description } = workflow ?? recipe;
  const says = JSON.stringify(
    `${description.replace(/\s+/g, ' ').replace(/[.\s]*$/, '')}. Use for /${name}, and to go on with, continue or resume such a run.`,
  );
  const head = `---\nname: ${name}\ndescription: ${says}\nallowed-tools: Bash(dev-cli:*) Edit(.dev/**)\n---\n`;
  const text = `${head}${renderStart(name, captured)}\n${general.slice(general.indexOf(RULES))}`;
  return markSkill(text, RECIPE_MARK);
}

/** Returns the path of a recipe's skill. @param directory where a harness looks for a project's skills */
export function locateSkill(directory: string, recipe: string): string {
  return `${directory}/${recipe}/SKILL.md`;
}

/** Returns whether a text is a skill that `recipe new` made and nobody has edited since. */
export function followsRecipe(text: string): boolean {
  return readMark(text, RECIPE_MARK) === 'intact';
}

function renderStart(name: string, { recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): string {
  const begin = `dev-cli init <name> --${workflow === undefined ? 'recipe' : 'workflow'} ${name}`;
  const flags = 'As the user says: `--quick`, `--autopilot`, `--set <variable>=<value>`.';
  const [command, which] =
    recipe.type === 'engine' && workflow === undefined
      ? [begin, 'the run whose plan is to be carried out']
      : [
          `${begin} --goal - <<'GOAL'\n<the request, word for word>\nGOAL`,
          'two to four words, kebab-case. No here-document: leave `--goal` out',
        ];
  return `Start (repeatable until done):\n\`\`\`sh\n${command}\n\`\`\`\n- \`<name>\`: ${which}. ${flags}`;
}
