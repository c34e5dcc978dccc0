import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DevCliError } from '../../../src/base/errors.js';
import { findAgentDefinition } from '../../../src/recipe/load/agent-definitions.js';
import type { Library } from '../../../src/recipe/load/library.js';
import { loadRecipe, requireRecipe } from '../../../src/recipe/load/load.js';
import { listRecipeFiles } from '../../../src/recipe/load/recipe-files.js';
import { findShippedAgent, findShippedYaml, isKnownSound } from '../../../src/recipe/load/shipped-texts.js';
import { parseYaml } from '../../../src/recipe/source/yaml.js';
import { CHECKOUT } from '../../support/project.mjs';
import { libraryWith } from './library-fixture.js';

// house.md, Speed: shipped files are parsed and checked when dev-cli is built. This must make no difference except in
// speed.

const library = libraryWith();
const recipes = listRecipeFiles(library).map(({ name, path, file }) => ({
  name,
  path,
  file,
  text: readFileSync(path, 'utf8'),
}));

/** Returns the shipped library with one file's text replaced. */
function withText(path: string, text: string): Library {
  const { reader } = library;
  return { ...library, reader: { ...reader, read: (asked) => (asked === path ? text : reader.read(asked)) } };
}

describe('what ships', () => {
  it.each(recipes)('$name is known as the data that its YAML gives, and its places are found', ({ text, file }) => {
    expect(findShippedYaml(text)).toEqual(parse(text));
    const [known, read] = [parseYaml(text, file), parseYaml(`${text}# changed\n`, file)];
    expect(known.value).toEqual(read.value);
    for (const pointer of ['/name', '/skill', '/nothing']) {
      expect(known.locate(pointer, 'value')).toEqual(read.locate(pointer, 'value'));
    }
  });

  it.each(recipes)('$name is known to be sound, as lint says', ({ name }) => {
    const { captured, problems } = loadRecipe(library, name);
    expect(problems).toEqual([]);
    expect(captured !== null && isKnownSound(captured)).toBe(true);
    expect(requireRecipe(library, name)).toEqual(captured);
  });

  it.each(readdirSync(join(CHECKOUT, 'agents')))('%s is known as what its definition says', (file) => {
    const [type = '', variant] = file.split('.').slice(0, -1);
    const path = join(CHECKOUT, 'agents', file);
    const text = readFileSync(path, 'utf8');
    expect(findShippedAgent(text)).toBeDefined();
    if (variant !== undefined) return;
    const read = findAgentDefinition(withText(path, `${text}\n`), type);
    expect(findAgentDefinition(library, type)).toEqual({ ...read, text });
  });
});

describe('what ships and was changed since', () => {
  const [recipe] = recipes.filter(({ name }) => name === 'specify-quick-autopilot');
  const { path = '', text = '' } = recipe ?? {};

  it('is read anew', () => {
    const description = 'description: another one\n';
    const changed = withText(path, text.replace(/^description:.*(?:\n {2}.*)*\n/m, description));
    expect(loadRecipe(changed, 'specify-quick-autopilot').header.description).toBe('another one');
  });

  it('is judged anew', () => {
    const broken = text.replace(/^( *)- id: /m, '$1- when: nobody.knows > 1\n$1  id: ');
    expect(broken).not.toBe(text);
    const required = () => requireRecipe(withText(path, broken), 'specify-quick-autopilot');
    expect(required).toThrow(DevCliError);
    expect(required).toThrow(/has (an error|\d+ errors)/);
  });

  it('is judged anew where the project has an agent of its own in the place of a shipped one', () => {
    const own = libraryWith({ '.dev/agents/code-explorer.md': '---\nname: code-explorer\ntools: Read\n---\nLook.\n' });
    const { problems, captured } = loadRecipe(own, 'specify-standard-autopilot');
    expect(captured === null || !isKnownSound(captured)).toBe(true);
    const refused = () => requireRecipe(own, 'specify-standard-autopilot');
    if (problems.some(({ severity }) => severity === 'error')) expect(refused).toThrow('specify-standard-autopilot');
    else expect(refused()).toEqual(captured);
  });
});
