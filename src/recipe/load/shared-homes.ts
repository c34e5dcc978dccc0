import { posix } from 'node:path';
import type { FileFinder, FileReader } from '../../base/files.js';
import { PREFERENCES_FILE, readProjectSettings } from '../settings/project-settings.js';
import { quoteWord } from '../source/yaml.js';

/** The name of a package of npm; anything else in the list is a directory. */
const PACKAGE = /^(@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;
const PARTS = ['recipes', 'workflows', 'agents'];

/** What homes are found by; a library has it. */
interface Surroundings {
  reader: FileReader;
  project: string | null;
  files?: () => FileFinder;
}

/**
 * Lists the homes that projects share, in order of precedence: the user's, then those that `recipes` of .dev/preferences.yaml
 * names (authoring.md, Where recipes are found). Nothing of a package is run.
 * @returns absolute directories
 * @throws DevCliError `PREFERENCES_INVALID`, with every entry that leads nowhere; `IO`
 */
export function listSharedHomes(around: Surroundings): string[] {
  const { project, reader, files } = around;
  if (files === undefined) return [];
  const finder = files();
  const user = finder.settings === null ? [] : [`${finder.settings}/dev-cli`];
  const text = project === null ? null : reader.read(`${project}/${PREFERENCES_FILE}`);
  // Reading YAML takes longer than all the rest of it, and few projects name recipes.
  if (project === null || text === null || !text.includes('recipes')) return user;
  const named: string[] = [];
  readProjectSettings(text, ['recipes'], ({ recipes = [] }, report) => {
    for (const [index, entry] of recipes.entries()) {
      const found = findEntry(around, project, entry, finder);
      if ('base' in found) named.push(found.base);
      else report.error(['recipes', index], found.problem, { fix: found.fix });
    }
  });
  return [...new Set([...user, ...named])].filter((base) => base !== project);
}

type Entry = { base: string } | { problem: string; fix?: string };

function findEntry({ reader }: Surroundings, project: string, entry: string, finder: FileFinder): Entry {
  const isPackage = PACKAGE.test(entry);
  const base = isPackage ? findPackage(reader, project, entry) : resolveDirectory(project, entry, finder.home);
  const shown = quoteWord(entry);
  if (base === null || finder.real(base) === null) {
    if (!isPackage) return { problem: `There is no directory ${shown}.` };
    const isDirectory = finder.real(`${project}/${entry}`) !== null;
    return {
      problem: `The package ${shown} is not installed.`,
      fix: isDirectory ? `For the directory, write ./${entry}.` : `\`npm install --save-dev ${entry}\` installs it.`,
    };
  }
  if (PARTS.some((part) => reader.list(base).includes(part))) return { base };
  return {
    problem: `${shown} has none of the directories ${PARTS.join(', ')}.`,
    fix: 'Its recipes, workflows and definitions of agents are looked for there.',
  };
}

/** Finds a package where Node does: in node_modules of the project, or of a directory around it. */
function findPackage(reader: FileReader, project: string, name: string): string | null {
  for (let at = project; ; at = posix.dirname(at)) {
    const base = posix.join(at, 'node_modules', name);
    if (reader.read(`${base}/package.json`) !== null) return base;
    if (at === posix.dirname(at)) return null;
  }
}

function resolveDirectory(project: string, entry: string, home: string | null): string | null {
  const [first, ...rest] = entry.split('/');
  const path = first !== '~' ? posix.resolve(project, entry) : home === null ? null : posix.join(home, ...rest);
  return path?.replace(/(?<=.)\/+$/, '') ?? null;
}
