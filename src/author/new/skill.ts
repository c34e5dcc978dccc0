import type { CapturedRecipe } from '../../recipe/resolved.js';

/** A skill of a recipe's own: the one that runs any recipe, with the recipe filled in. Pure. */

/** Where that skill lies in the package. */
export const GENERAL_SKILL = 'skills/run/SKILL.md';

/** Where its rules begin: what stands before says how to find and start a recipe. */
const RULES = '- Each answer is';

/**
 * Renders the SKILL.md of a recipe.
 * @param general the text of `GENERAL_SKILL`
 */
export function renderSkill(captured: CapturedRecipe, general: string): string {
  const { recipe, workflow } = captured;
  const { name, description } = workflow ?? recipe;
  const title = name.replace(/[-_]/g, ' ').replace(/^./, (first) => first.toUpperCase());
  const says = JSON.stringify(
    `${description.replace(/\s+/g, ' ').replace(/[.\s]*$/, '')}. Use for /${name}, and to go on with, continue or resume such a run.`,
  );
  const head = `---\nname: ${name}\ndescription: ${says}\nallowed-tools: Bash(dev-cli:*) Edit(.dev/**)\n---\n\n# ${title}\n`;
  return `${head}\n${renderStart(name, captured)}\n${general.slice(general.indexOf(RULES))}`;
}

function renderStart(name: string, { recipe, workflow }: Pick<CapturedRecipe, 'recipe' | 'workflow'>): string {
  const begin = `dev-cli init <name> --${workflow === undefined ? 'recipe' : 'workflow'} ${name}`;
  const says =
    'dev-cli keeps the order and the state and hands you one action at a time. Start, or resume (repeating is safe):';
  if (recipe.type === 'engine' && workflow === undefined)
    return `${says}\n\n\`\`\`sh\n${begin}\n\`\`\`\n\n- \`<name>\` is the run whose plan is to be carried out; \`dev-cli list\` shows them.`;
  return `${says}

\`\`\`sh
${begin} --goal - <<'GOAL'
<the user's request, word for word>
GOAL
\`\`\`

- \`<name>\`: two to four words of the request in kebab-case. If your shell refuses the here-document, write the request to \`.dev/goal.md\` and pass \`--goal @.dev/goal.md\`. If a warning quotes another goal, the name is taken: start again under another. Pass on what the user asks for: \`--quick\`, \`--autopilot\`, \`--set KEY=VALUE\`. To go on with a run, \`dev-cli list\` shows them all and \`dev-cli next <name>\` the action.`;
}
