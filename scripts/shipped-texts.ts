import { readdirSync, readFileSync } from 'node:fs';
import { sha256 } from '../src/base/sha256.js';
import { findAgentDefinition, findVariant } from '../src/recipe/load/agent-definitions.js';
import type { Library } from '../src/recipe/load/library.js';
import { loadRecipe } from '../src/recipe/load/load.js';
import { listRecipeFiles } from '../src/recipe/load/recipe-files.js';
import type { ShippedTexts } from '../src/recipe/load/shipped-texts.js';
import { parseYaml } from '../src/recipe/source/yaml.js';

/**
 * Reads and checks all recipes and agents of the package, without any cached results.
 * @param root absolute directory of the package
 */
export function readShippedTexts(root: string): ShippedTexts {
  const found = { yaml: {} as Record<string, unknown>, agents: {} as Record<string, unknown>, sound: [] as string[] };
  const library = createLibrary(root);
  for (const { name, path, file } of listRecipeFiles(library)) {
    const text = readFileSync(path, 'utf8');
    const { value } = parseYaml(text, file);
    if (value !== undefined) found.yaml[sha256(text)] = value;
    const { captured, problems } = loadRecipe(library, name);
    if (captured !== null && problems.length === 0) found.sound.push(captured.digest);
  }
  for (const file of library.reader.list(`${root}/agents`)) {
    const [type = '', variant = ''] = file.split('.');
    const agent =
      file.split('.').length === 2 ? findAgentDefinition(library, type) : findVariant(library, type, variant);
    if (agent !== null) found.agents[sha256(agent.text)] = { captured: agent.captured, maySave: agent.maySave };
  }
  return found as ShippedTexts;
}

function createLibrary(root: string): Library {
  const read = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch {
      return otherwise;
    }
  };
  return {
    reader: {
      read: (path) => read(() => readFileSync(path, 'utf8'), null),
      list: (directory) => read(() => readdirSync(directory), []),
    },
    shipped: root,
    project: null,
  };
}
