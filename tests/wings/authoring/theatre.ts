import { resolve } from 'node:path';
import type { FileReader } from '../../../src/base/files.js';
import { DISK_READER } from '../../../src/project/reader.js';
import type { Library } from '../../../src/recipe/load/library.js';
import { runTestFile, type TestedFile } from '../../../src/wings/authoring/tests/run-file.js';
import { openSnapshots, type Snapshots } from '../../../src/wings/authoring/tests/snapshots.js';

const PACKAGE = resolve(import.meta.dirname, '../../..');
const ROOT = '/theatre';

/** Creates an in-memory library of recipes and tests from texts, whose keys are paths in the project. */
function libraryOf(files: Readonly<Record<string, string>>): Library {
  const texts = new Map(Object.entries(files).map(([path, text]) => [`${ROOT}/${path}`, text]));
  const reader: FileReader = {
    read: (path) => texts.get(path) ?? (path.startsWith(PACKAGE) ? DISK_READER.read(path) : null),
    list: (path) => [
      ...[...texts.keys()].filter((one) => one.startsWith(`${path}/`)).map((one) => one.slice(path.length + 1)),
      ...(path.startsWith(PACKAGE) ? DISK_READER.list(path) : []),
    ],
  };
  return { reader, shipped: PACKAGE, project: ROOT };
}

/** Runs a recipe's test; both are given as text. */
export function runText(
  recipe: string,
  test: string,
  more: { files?: Record<string, string>; snapshots?: Snapshots; threshold?: number } = {},
): Promise<TestedFile> {
  const { files = {}, snapshots = openSnapshots(null, false), threshold } = more;
  const name = /^name: (\S+)/m.exec(recipe)?.[1] ?? 'tried';
  const file = `.dev/recipes/${name}.test.yaml`;
  const library = libraryOf({ [`.dev/recipes/${name}.yaml`]: recipe, [file]: test, ...files });
  const context = { library, signal: new AbortController().signal };
  return runTestFile(context, { path: `${ROOT}/${file}`, file, threshold, snapshots });
}

/** A recipe with most kinds of blocks; besides itself, it needs only the schema `notes.json`. */
export const TRIED = `
name: tried
type: sequential
mode: { depth: quick, interaction: interactive }
blocks:
  - { id: part, type: llm, instruction: Which part changes?, choices: [major, minor, { id: none, goto: halt }] }
  - { id: notes, type: llm, instruction: Write the notes., schema: notes.json }
  - { id: build, type: cli, command: npm test, revise: notes, maxRounds: 2 }
  - id: look
    type: subagent-loop
    agents: [{ type: code-reviewer, prompt: Look., output: 'reviews/{round}.md' }]
    exitWhen: agents["code-reviewer"].verdict == "OKAY"
    maxRounds: 2
    onError: continue
  - { id: tag, type: llm, instruction: Tag it., when: 'blocks.part.choice == "major"' }
  - id: gate
    type: wait-for-user
    human: required
    message: Shall it go out?
    choices: [go, { id: back, goto: notes, reason: required }]
    maxRounds: 2
`;

/** The content of `notes.json`. */
export const NOTES = JSON.stringify({
  type: 'object',
  required: ['title', 'level', 'tag'],
  properties: {
    title: { type: 'string', minLength: 3, maxLength: 12 },
    level: { enum: ['a', 'b'] },
    tag: { type: 'string', pattern: '^v\\d+$' },
  },
});

/** Runs test cases against `TRIED`; `cases` is the YAML below the key `cases:`. */
export function runCases(cases: string, head = ''): Promise<TestedFile> {
  return runText(TRIED, `recipe: tried\n${head}cases:\n${cases}`, { files: { '.dev/recipes/notes.json': NOTES } });
}

/** Renders the findings as `line: message`. */
export function findingsOf({ problems }: Pick<TestedFile, 'problems'>): string[] {
  return problems.map(({ line, message }) => `${line}: ${message}`);
}
