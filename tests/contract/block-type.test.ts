import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastGlob from 'fast-glob';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BLOCK_KINDS } from '../../src/machine/block-kinds.js';
import { CHECKOUT, createProject, type Project } from '../support/project.mjs';

// Adds a type of block in a copy of the sources (docs/architecture.md, How to add): `checklist`, with which the agent
// checks one thing after the other and chooses what follows. This file contains all the changes that the type needs.

const LANGUAGE = `import { type Static, Type } from '@sinclair/typebox';
import type { ChecklistBlock } from '../resolved.js';
import { filesSchema, typeSchema } from '../source/schema-parts.js';
import { askingFields, blockSchema, choices } from '../source/schema-rows.js';
import { type BlockForm, showChoice } from './block-form.js';
import { resolveAsking, resolveChoice } from './defaults.js';

/** The source form of \`checklist\`. */
export const checklistSource = () =>
  blockSchema({
    ...askingFields,
    type: typeSchema('checklist', 'The agent checks one thing after the other.'),
    items: filesSchema('What is to be checked.', ['The tests pass.']),
    choices,
  });

/** \`checklist\`: the agent checks one thing after the other. */
export const CHECKLIST: BlockForm<Static<ReturnType<typeof checklistSource>>, ChecklistBlock> = {
  resolve: (block, context) => ({
    ...resolveAsking(block, 'Check each of these.', context),
    asks: null,
    kind: 'checklist',
    items: block.items,
    choices: block.choices.map(resolveChoice),
  }),
  show: ({ items, choices: offered }) => ({ items, choices: offered.map(showChoice) }),
  listTexts: ({ items }) => items,
  lint({ report }, index, { items }) {
    for (const [at, item] of items.entries())
      if (items.indexOf(item) < at) report.warning(['blocks', index, 'items', at], 'This is checked before.');
  },
};
`;

const BEHAVIOUR = `import type { ChecklistBlock } from '../recipe/resolved.js';
import { addToInstruction, buildActionBase } from './action-parts.js';
import type { BlockType } from './block-type.js';
import { acknowledgeChoice, listOfferedChoices } from './choice.js';
import { fillShortText } from './values/values.js';

/** \`checklist\`: the agent checks one thing after the other. */
export const CHECKLIST: BlockType<ChecklistBlock> = {
  ask(tx, block, { actionId }) {
    const shared = buildActionBase(tx, block, actionId);
    const items = block.items.map((item) => fillShortText(tx, item, block.id));
    const instruction = addToInstruction(shared.base.instruction, ['', ...items].join(' '));
    return { action: { ...shared.base, action: 'llm', instruction, choices: listOfferedChoices(tx, block, shared) } };
  },
  refuses: ['data', 'result', 'without'],
  acknowledge: acknowledgeChoice,
};
`;

/** Every source file that the type changes: the present text and its replacement, or the whole text of a new file. */
const TOUCHED: Readonly<Record<string, string | readonly [stands: string, becomes: string][]>> = {
  'machine/block-kinds.ts': [
    [
      "  'wait-for-user': {",
      "  checklist: { by: 'agent', action: 'llm', reports: false, hands: null, loops: false, onError: 'halt' },\n  'wait-for-user': {",
    ],
  ],
  'recipe/resolved.ts': [
    [
      '/** A block of any type. */\nexport type ResolvedBlock =',
      "/** The agent checks. */\nexport interface ChecklistBlock extends InstructedBlock {\n  kind: 'checklist';\n  items: string[];\n  choices: ResolvedChoice[];\n}\n/** A block of any type. */\nexport type ResolvedBlock = ChecklistBlock | OtherBlock;\ntype OtherBlock =",
    ],
  ],
  'recipe/blocks/checklist.ts': LANGUAGE,
  'recipe/blocks/block-forms.ts': [
    ["import { CLI } from './cli.js';", "import { CHECKLIST } from './checklist.js';\nimport { CLI } from './cli.js';"],
    ['  cli: CLI,', '  checklist: CHECKLIST,\n  cli: CLI,'],
  ],
  'recipe/source/schema.ts': [
    ['import { cliSource }', "import { checklistSource } from '../blocks/checklist.js';\nimport { cliSource }"],
    ['cliSource(),', 'checklistSource(), cliSource(),'],
  ],
  'blocks/checklist.ts': BEHAVIOUR,
  'blocks/block-types.ts': [
    [
      'import { acknowledgeChoice } from',
      "import { CHECKLIST } from './checklist.js';\nimport { acknowledgeChoice } from",
    ],
    ['  llm: LLM,', '  checklist: CHECKLIST,\n  llm: LLM,'],
  ],
};

const RECIPE = `name: before-release
type: sequential
description: Check what a release needs.
skill: release
blocks:
  - id: checks
    type: checklist
    items: ['The tests of {name} pass.', The version is new.]
    choices: [all-hold, { id: one-fails, goto: halt, reason: required }]
  - id: agreed
    type: wait-for-user
    message: Shall it be released?
`;

const FAULTY = RECIPE.replace('before-release', 'faulty')
  .replace('{name}', '{nmae}')
  .replace('The version is new.', 'Twice, Twice');

let house: string;
let project: Project;
beforeAll(() => {
  house = mkdtempSync(join(tmpdir(), 'dev-cli-block-type-'));
  const parts = ['src', 'scripts', 'bin', 'recipes', 'workflows', 'agents', 'package.json', 'tsconfig.json'];
  for (const part of parts) cpSync(join(CHECKOUT, part), join(house, part), { recursive: true });
  symlinkSync(join(CHECKOUT, 'node_modules'), join(house, 'node_modules'));
  for (const file of Object.keys(TOUCHED)) touch(file);
  project = createProject();
  mkdirSync(join(project.root, '.dev/recipes'), { recursive: true });
  writeFileSync(join(project.root, '.dev/recipes/before-release.yaml'), RECIPE);
}, 120_000);
afterAll(() => {
  project?.remove();
  rmSync(house, { recursive: true, force: true });
});

/** Applies the type's change to a file. */
function touch(file: string): void {
  const change = TOUCHED[file] ?? [];
  writeFileSync(join(house, 'src', file), typeof change === 'string' ? change : change.reduce(replace, readHere(file)));
}

function replace(text: string, [stands, becomes]: readonly [string, string]): string {
  expect(text.split(stands), stands).toHaveLength(2);
  return text.replace(stands, () => becomes);
}

/** Restores a file. */
function leave(file: string): void {
  if (typeof TOUCHED[file] === 'string') rmSync(join(house, 'src', file));
  else writeFileSync(join(house, 'src', file), readHere(file));
}

function readHere(file: string): string {
  return readFileSync(join(CHECKOUT, 'src', file), 'utf8');
}

/** Lists the compiler's errors in a file or folder, and in its imports. */
function listErrors(below: string): string[] {
  const compiler = join(CHECKOUT, 'node_modules/typescript-7/bin/tsc');
  const settings = join(house, 'looked-at.json');
  writeFileSync(settings, JSON.stringify({ extends: './tsconfig.json', include: [below] }));
  const { stdout } = spawnSync(process.execPath, [compiler, '--noEmit', '-p', settings], { encoding: 'utf8' });
  return stdout.split('\n').filter((line) => line.includes('error TS'));
}

function call(...args: string[]): { status: number | null; stdout: string } {
  const options = { cwd: project.root, env: project.env, encoding: 'utf8' } as const;
  const { status, stdout } = spawnSync(process.execPath, [join(house, 'bin/dev-cli.js'), ...args], options);
  return { status, stdout };
}

describe('a type of block that asks the agent', () => {
  // The timeout is long because the compiler runs ten times beside other tests.
  it('touches at most seven files, and the compiler leads to each', { timeout: 300_000 }, () => {
    expect(Object.keys(TOUCHED).length).toBeLessThanOrEqual(7);
    expect(listErrors('src')).toEqual([]);
    for (const file of Object.keys(TOUCHED)) {
      leave(file);
      // Compiles only the code that distinguishes the types of block, because compiling everything takes long.
      const table = file.startsWith('blocks/') ? 'src/blocks/block-types.ts' : 'src/recipe/blocks';
      expect(listErrors(table), `without ${file}`).not.toEqual([]);
      touch(file);
    }
    expect(listErrors('src/recipe/blocks')).toEqual([]);
  });

  it('is told from others by what is true of it, and not by its id', () => {
    const ids = Object.keys(BLOCK_KINDS).join('|').replace('+', '\\+');
    const compared = new RegExp(`\\bkind [!=]== '(?:${ids})'`);
    const shared = fastGlob.sync(['src/{machine,wings}/**/*.ts', 'src/blocks/{choice,command}.ts'], { cwd: CHECKOUT });
    expect(shared.filter((file) => compared.test(readFileSync(join(CHECKOUT, file), 'utf8')))).toEqual([]);
    expect("block.kind !== 'llm+cli'").toMatch(compared);
  });

  describe('in the program that is built of them', () => {
    beforeAll(() => {
      execFileSync(process.execPath, [join(house, 'scripts/generate.mjs')], { cwd: house });
      execFileSync(process.execPath, [join(house, 'scripts/build.mjs')], { cwd: house });
    });

    it('is judged', () => {
      expect(call('recipe', 'lint', 'before-release').status).toBe(0);
      writeFileSync(join(project.root, '.dev/recipes/faulty.yaml'), FAULTY);
      const { stdout } = call('recipe', 'lint', 'faulty');
      expect(stdout).toContain('error: Unknown placeholder {nmae}; did you mean {name}?');
      expect(stdout).toContain('warning: This is checked before.');
    });

    it('is shown, drawn, simulated and verified', () => {
      expect(call('recipe', 'show', 'before-release').stdout).toContain('items:\n      - The tests of {name} pass.');
      expect(call('recipe', 'graph', 'before-release').stdout).toContain('checklist');
      const simulated = call('recipe', 'simulate', 'before-release');
      expect(simulated).toMatchObject({ status: 0, stdout: expect.stringContaining('completed') });
      expect(call('recipe', 'verify', 'before-release')).toMatchObject({ status: 0 });
    });

    it('runs', () => {
      const begun = JSON.parse(call('init', 'one', '--recipe', 'before-release').stdout) as {
        next: Record<string, string>;
      };
      expect(begun.next).toMatchObject({
        block: 'checks',
        action: 'llm',
        instruction: 'Check each of these. The tests of one pass. The version is new.',
      });
      const acknowledge = ['step', 'complete', 'one', '--action', begun.next['actionId'] ?? ''];
      expect(call(...acknowledge, '--choice', 'one-fails').stdout).toContain('"DATA_MISSING"');
      const done = call(...acknowledge, '--choice', 'all-hold');
      expect(JSON.parse(done.stdout)).toMatchObject({ completed: 'checks', next: { action: 'wait-for-user' } });
    });
  });
});
