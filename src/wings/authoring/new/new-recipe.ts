import type { Answer } from '../../../base/answer.js';
import { omitUndefined } from '../../../base/defined.js';
import { DevCliError } from '../../../base/errors.js';
import { isName } from '../../../base/name.js';
import {
  EDITOR_SCHEMAS,
  ensureEditorSchemas,
  locateEditorSchema,
  renderModeline,
} from '../../../project/editor-schemas.js';
import { readIgnoreRules } from '../../../project/gitignore.js';
import { createFile, requireInside } from '../../../project/own-places.js';
import type { SkillDirectories } from '../../../protocol/ports.js';
import type { CapturedRecipe } from '../../../recipe/captured.js';
import { listCommandsToTrust } from '../../../recipe/external-commands.js';
import type { Library } from '../../../recipe/load/library.js';
import { loadRecipeFile, requireRecipe } from '../../../recipe/load/load.js';
import { findRecipe, type LibraryFile, listRecipeFiles, resolveSibling } from '../../../recipe/load/recipe-files.js';
import type { InputIn } from '../../../registry/spec.js';
import type { Context } from '../../../run/context.js';
import { writeDurably } from '../../../store/durable.js';
import type { AUTHORING_SPECS } from '../specs.js';
import { getSnapshotPath } from '../tests/snapshots.js';
import { markCopied, type Renaming, renameRecipe, renameTest } from './rename.js';
import { followsRecipe, locateSkill, renderSkill } from './skill.js';

type Input = Omit<InputIn<typeof AUTHORING_SPECS, 'recipe new'>, 'recipe'>;

/** A file to create; the path is relative to the root. */
interface NewFile {
  path: string;
  text: string;
  /** Returns whether the present text may be overwritten because it is a skill that nobody has edited. */
  mayRenew?: (present: string) => boolean;
}

/** The recipe or template that a new recipe starts from. */
interface Origin {
  name: string;
  type: 'sequential' | 'engine' | 'meta';
  /** Absolute path. */
  path: string;
  text: string;
  isTemplate: boolean;
}

/**
 * `recipe new`: writes a recipe with its test, from a template or another recipe (authoring.md, recipe new). Overwrites
 * nothing except a skill of its own that nobody has edited. An interrupted call continues when it is repeated.
 * @param skills directories in which harnesses look for skills; used with `--skill`
 * @throws DevCliError `NAME_INVALID`, `UNKNOWN_RECIPE`, `RECIPE_INVALID`, `RECIPE_EXISTS`, `IO`; then nothing was
 * written
 */
export async function createRecipe(
  context: Context,
  name: string,
  input: Input,
  skills: Pick<SkillDirectories, 'listFound'>,
): Promise<Answer> {
  const { root, library } = context;
  if (!isName(name)) {
    throw new DevCliError('NAME_INVALID', `${JSON.stringify(name.slice(0, 80))} is not a valid recipe name.`, {
      fix: 'Use 1 to 64 letters, digits, "-" and "_", beginning with a letter or digit.',
    });
  }
  const own = listRecipeFiles(library).find((one) => one.name === name && one.origin === 'project');
  // If the recipe exists, perhaps changed since it was created, only its skill is written.
  const isThere = own !== undefined && input.skill === true && input.from === undefined && input.type === undefined;
  const origin = findOrigin(library, isThere ? { from: name } : input);
  const files = isThere ? [] : listFiles(library, name, origin);
  const captured = isThere ? requireRecipe(library, name) : requireSound(library, root, files);
  if (input.skill === true) {
    const text = renderSkill(library, captured);
    const paths = skills.listFound(context).map((directory) => locateSkill(directory, name));
    const written: NewFile[] = paths.map((path) => ({ path, text, mayRenew: followsRecipe }));
    const free = written.filter((file) => !isInTheWay(library.reader.read(`${root}/${file.path}`), file));
    // For an existing recipe, one edited skill must not keep the others from being generated again.
    files.unshift(...(isThere && free.length > 0 ? free : written));
  }
  const others = isThere
    ? []
    : listRecipeFiles(library).filter((one) => one.name === name && one.file !== files.at(-1)?.path);
  requireRoom(library, root, files, others);
  for (const path of [...files.map((file) => file.path), ...EDITOR_SCHEMAS.map(locateEditorSchema)])
    requireInside(root, path);
  readIgnoreRules(root);
  const schemas = ensureEditorSchemas(context);
  const made = files.map((file) => ({ path: file.path, does: create(library, root, file) })).reverse();
  const list = (wanted: Made) => made.flatMap(({ path, does }) => (does === wanted ? [path] : []));
  return buildAnswer(name, captured, origin, {
    created: [...list('created'), ...schemas],
    renewed: list('renewed'),
    replaces: others.find(({ origin: whose }) => whose !== 'project')?.file,
  });
}

/** Finds the recipe or template to start from. @throws DevCliError `UNKNOWN_RECIPE`, `RECIPE_INVALID` */
function findOrigin(library: Library, { from, type = 'sequential' }: Input): Origin {
  if (from === undefined) {
    const path = `${library.shipped}/templates/${type}.yaml`;
    return { name: type, type, path, text: library.reader.read(path) ?? '', isTemplate: true };
  }
  const { path } = findRecipe(library, from);
  const { workflow, recipe } = requireRecipe(library, from);
  return {
    name: from,
    type: (workflow ?? recipe).type,
    path,
    text: library.reader.read(path) ?? '',
    isTemplate: false,
  };
}

/** Lists the files to create; the recipe comes last, so that everything that it names exists before it. */
function listFiles(library: Library, name: string, origin: Origin): NewFile[] {
  const directory = origin.type === 'meta' ? '.dev/workflows' : '.dev/recipes';
  const path = `${directory}/${name}.yaml`;
  const renaming: Renaming = { from: origin.name, to: name, file: path };
  const read = (file: string) => {
    const found = resolveSibling(library, origin.path, file);
    return found === null ? null : library.reader.read(found);
  };
  const recipe = renameRecipe(origin.text, renaming, (file) => read(file) !== null);
  return [
    ...recipe.files.map(({ from, to }) => ({ path: `${directory}/${to}`, text: read(from) ?? '' })),
    ...listTests(library, { ...renaming, file: `${directory}/${name}.test.yaml` }, origin),
    { path, text: origin.isTemplate ? recipe.text : markCopied(recipe.text, origin.name) },
  ];
}

/** Returns the origin's test under the new name, with its snapshots; if the origin has no test, a first one. */
function listTests({ reader }: Library, renaming: Renaming, { path }: Origin): NewFile[] {
  const { to, file } = renaming;
  const [test] = ['.test.yaml', '.test.yml']
    .map((ending) => path.replace(/\.ya?ml$/, ending))
    .filter((one) => reader.read(one) !== null);
  if (test === undefined) return [{ path: file, text: renderFirstTest(to, file) }];
  const snapshots = reader.read(getSnapshotPath(test));
  return [
    ...(snapshots === null ? [] : [{ path: getSnapshotPath(file), text: snapshots }]),
    { path: file, text: renameTest(reader.read(test) ?? '', renaming) },
  ];
}

/** Loads the new recipe as if it already existed. @throws DevCliError `RECIPE_INVALID` */
function requireSound(library: Library, root: string, files: readonly NewFile[]): CapturedRecipe {
  const texts = new Map(files.map(({ path, text }) => [`${root}/${path}`, text]));
  const reader = { ...library.reader, read: (path: string) => texts.get(path) ?? library.reader.read(path) };
  const { captured, problems, file } = loadRecipeFile({ ...library, reader }, `${root}/${files.at(-1)?.path}`);
  if (captured !== null) return captured;
  throw new DevCliError('RECIPE_INVALID', `${file} would have errors.`, {
    details: problems.map(({ message, line, column }) => ({ problem: message, at: `${file}:${line}:${column}` })),
    fix: 'Start from a different recipe.',
  });
}

/**
 * Requires that each new file's path is free, or holds the same text or an unedited skill.
 * @throws DevCliError `RECIPE_EXISTS`
 */
function requireRoom(
  { reader }: Library,
  root: string,
  files: readonly NewFile[],
  others: readonly LibraryFile[],
): void {
  const taken = [
    ...files.filter((file) => isInTheWay(reader.read(`${root}/${file.path}`), file)).map(({ path }) => path),
    ...others.filter(({ origin }) => origin === 'project').map(({ file }) => file),
  ];
  if (taken.length > 0) throw buildTakenError(taken);
}

function buildTakenError(paths: readonly string[]): DevCliError {
  return new DevCliError('RECIPE_EXISTS', `${paths[0]} exists already; nothing was overwritten.`, {
    details: paths.map((target) => ({ target, problem: 'already exists' })),
    fix: 'Choose another name, or continue with the existing files.',
  });
}

function isInTheWay(present: string | null, { text, mayRenew }: NewFile): boolean {
  return present !== null && present !== text && mayRenew?.(present) !== true;
}

type Made = 'created' | 'renewed' | 'there';

/** Creates a file, or renews one that may be overwritten. @throws DevCliError `RECIPE_EXISTS`, `IO` */
function create({ reader }: Library, root: string, file: NewFile): Made {
  const { path, text } = file;
  if (createFile(`${root}/${path}`, text, root)) return 'created';
  const present = reader.read(`${root}/${path}`);
  if (present === text) return 'there';
  if (isInTheWay(present, file)) throw buildTakenError([path]);
  writeDurably(`${root}/${path}`, text, root);
  return 'renewed';
}

function buildAnswer(
  name: string,
  captured: CapturedRecipe,
  { type }: Origin,
  { created, renewed, replaces }: Record<'created' | 'renewed', readonly string[]> & { replaces: string | undefined },
): Answer {
  const { recipe, workflow } = captured;
  const goal = recipe.usesGoal || workflow !== undefined ? " --goal 'what a user asks for'" : '';
  const steps: string[][] = [
    ['see what an agent is asked', `dev-cli recipe simulate ${name}${goal}`],
    ['after each change', 'dev-cli recipe lint'],
    ['prove that it always ends', `dev-cli recipe verify ${name}`],
    ['run its test and see what no case covers', 'dev-cli recipe test'],
    ...(listCommandsToTrust(captured).length === 0
      ? []
      : [['let it run its commands; done by a person in a terminal', `dev-cli trust ${name}`]]),
    type === 'engine'
      ? [`find the run whose plan it should carry out: dev-cli init RUN --recipe ${name}`, 'dev-cli list']
      : ['begin a run', `dev-cli init try-it --${type === 'meta' ? 'workflow' : 'recipe'} ${name}${goal}`],
  ];
  return {
    exit: 0,
    json: {
      ok: true,
      recipe: name,
      type,
      created,
      ...(renewed.length === 0 ? {} : { renewed }),
      ...omitUndefined({ replaces }),
      nextSteps: steps.map(([why, command]) => `${command} (${why})`),
    },
    text: () =>
      [
        ...(created.length + renewed.length === 0 ? ['All of it exists already.'] : []),
        ...created.map((path) => `created  ${path}`),
        ...renewed.map((path) => `renewed  ${path}`),
        ...(replaces === undefined ? [] : ['', `From now on "${name}" means this recipe instead of ${replaces}.`]),
        '',
        ...steps.map(([why, command]) => `${command}\n    ${why}`),
      ].join('\n'),
  };
}

/**
 * Renders the first test file of a recipe; it passes at once, because everything in it is canned (authoring.md, recipe
 * test).
 * @param recipe the recipe's name
 * @param file the test's path, relative to the root
 */
export function renderFirstTest(recipe: string, file: string): string {
  return `${renderModeline(file, 'recipe-test')}
recipe: ${recipe}
# Raise it as you add cases; dev-cli recipe test names the transitions that none has taken.
coverage: 0
given: { goal: What a user asks for }

cases:
  - name: all goes well
    end: { outcome: completed }

  # A step says what comes, and what is done; what it leaves out is canned.
  # - name: somebody cannot go on
  #   steps:
  #     - until: BLOCK
  #       fail: why it cannot be done
  #   end: { outcome: halted }
`;
}
