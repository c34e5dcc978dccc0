// How long `recipe verify` takes for the largest shipped recipes and for 12, 48 and 192 blocks; also `recipe lint`.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT, createProject } from '../tests/support/project.mjs';
import { answer, Samples, shuffled, timedCall } from './measure.mjs';

const SHIPPED = ['specify-standard-interactive', 'execute-hardened', 'ultrawork'];
const SIZES = [12, 48, 192];
const LINT = 'recipe lint, these three';
const LINT_SHIPPED = 'recipe lint of all that ship, after start-up';
/** Goals in milliseconds. */
const GOAL = 500;
const LINT_GOAL = 300;
/** Fewer rounds are enough here, because each process takes about a second. */
const MOST_ROUNDS = 10;

/** Lists all shipped recipes as paths, because a name would refer to the project's own recipe. */
function listShipped() {
  return ['recipes', 'workflows'].flatMap((directory) =>
    readdirSync(join(CHECKOUT, directory))
      .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
      .map((name) => join(CHECKOUT, directory, name)),
  );
}

/** Builds a recipe in which every twelfth block is a command that may lead back, and every fourth has a condition. */
function recipeOf(blocks) {
  const rows = Array.from({ length: blocks }, (_, at) => {
    const when = at > 0 && at % 4 === 0 ? `, when: 'blocks["b0"].choice == "yes"'` : '';
    if (at === 0) return '  - { id: b0, type: llm, instruction: Choose., choices: [yes, no] }';
    return at % 12 === 3
      ? `  - { id: b${at}, type: cli, command: [make, check], revise: b${at - 1}, maxRounds: 2 }`
      : `  - { id: b${at}, type: llm, instruction: Do.${when} }`;
  });
  return `name: blocks-${blocks}\ntype: sequential\nskill: work\nmode: { depth: quick, interaction: interactive }\nblocks:\n${rows.join('\n')}\n`;
}

/** Measures verifying and linting as whole processes. */
export function verify({ rounds }) {
  const project = createProject();
  try {
    mkdirSync(join(project.root, '.dev/recipes'), { recursive: true });
    for (const size of SIZES) writeFileSync(join(project.root, `.dev/recipes/blocks-${size}.yaml`), recipeOf(size));
    const names = [...SHIPPED, ...SIZES.map((size) => `blocks-${size}`)];
    const shipped = listShipped();
    const samples = new Samples();
    for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
      shuffled([
        ...names.map((name) => () => samples.add(name, timedCall(project, ['recipe', 'verify', name]))),
        () => samples.add(LINT, timedCall(project, ['recipe', 'lint'])),
        () => samples.add(LINT_SHIPPED, timedCall(project, ['recipe', 'lint', ...shipped])),
        () => samples.add('start-up', timedCall(project, ['--version'])),
      ]);
    }
    const lint = [LINT, '', samples.median(LINT), { unit: ' ms' }];
    const took = samples.median(LINT_SHIPPED) - samples.median('start-up');
    const lintShipped = [LINT_SHIPPED, LINT_GOAL, took, { unit: ' ms' }];
    return {
      title: 'recipe verify, and how it grows',
      rows: [...names.map((name) => row(project, name, samples.median(name))), lint, lintShipped],
    };
  } finally {
    project.remove();
  }
}

function row(project, name, took) {
  const { states, transitions } = JSON.parse(answer(project, ['recipe', 'verify', name, '--json'])).recipes[0].explored;
  const what = `${name}  (${states} states, ${transitions} transitions)`;
  return [what, SHIPPED.includes(name) ? GOAL : '', took, { unit: ' ms' }];
}
