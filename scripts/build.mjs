// dist/: CommonJS, cut along the dynamic imports of the source (docs/architecture.md, Build). A plain CommonJS file starts some
// milliseconds earlier than an ES module, each further file costs about one, and what a command does not need is not even
// parsed. rolldown does the cutting; three things are added, each a plugin of a few lines:
// - a package or a generated file that the source fetches by a plain `require` is a file of its own;
// - what lies behind a door (`CUTS`) is a part loaded by the first call of one of its functions: a decision is synchronous
//   and cannot wait for an `import()`;
// - a program that only answers a question is one file and loads nothing later but cli.cjs.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fastGlob from 'fast-glob';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const sourceFile = (module) => join(root, 'src', `${module}.ts`);

/** The questions that have programs of their own. */
const QUESTIONS = ['next', 'manifest', 'status', 'list', 'judge', 'hook', 'complete'];

/** What several parts import and cli.cjs does not have: without a file of its own, it would lie in one of them, and load that. */
const SHARED = ['common'];

/** What a dynamic import loads in one file, though others import a part of it: each further file costs a millisecond. */
const WHOLE = ['protocol/settle'];

/** Parts of cli.cjs that most acknowledgements do without. What two of them import lies in the first. */
const DOORS = [
  'tree',
  'conditions',
  'language',
  'refusal',
  'plan',
  'differences',
  'edits',
  'engine',
  'moved',
  'move',
  'hold',
  'text',
  'seldom',
  'recovery',
];

/**
 * How a module says in its first line where it is cut off (`// door: plan, shared: common`), and the names that may follow:
 * - `door`: it lies in this part of cli.cjs; it exports functions only;
 * - `shared`: it lies in this file;
 * - `inside`: it is in the program of this question, though it lies behind a door for others;
 * - `outside`: it is left out of the program of this question, as what lies behind doors is.
 */
const CUTS = { door: DOORS, shared: SHARED, inside: QUESTIONS, outside: QUESTIONS };
const marks = readMarks();

/** The files that bear a mark, by mark, in the order of their paths. */
function readMarks() {
  const found = new Map(Object.entries(CUTS).flatMap(([cut, names]) => names.map((name) => [`${cut}: ${name}`, []])));
  for (const path of fastGlob.sync('src/**/*.ts', { cwd: root }).toSorted()) {
    const file = join(root, path);
    const [, line] = /^\/\/ ([a-z]+: [a-z]+(?:, [a-z]+: [a-z]+)*)\n/.exec(readFileSync(file, 'utf8')) ?? [];
    for (const mark of line?.split(', ') ?? []) {
      const files = found.get(mark);
      if (files === undefined) throw new Error(`${path}: there is no "${mark}"`);
      files.push(file);
    }
  }
  return found;
}

/** Whether a file bears the mark. */
function isMarked(file, mark) {
  return marks.get(mark).includes(file);
}

/** Required by every acknowledgement: they lie in cli.cjs itself. */
const ALWAYS_REQUIRED = ['fast-json-patch', 'write-file-atomic'];

/** The same library in one module graph that can be joined into one scope: loaded in half the time of its CommonJS. */
const JOINABLE = { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') };

/** Files to be made of what was required: the module by the name of the file. */
const required = new Map();
/** What only a fleet needs, and whoever has one installs. */
const PEERS = [/^pg(\/|$)/, /^@dbos-inc\/dbos-sdk/];

const requires = (but = []) => ({
  name: 'requires',
  async resolveId(path, importer, { kind }) {
    if (kind !== 'require-call' || !importer.startsWith(join(root, 'src')) || but.includes(path)) return;
    if (PEERS.some((pattern) => pattern.test(path))) return;
    const id = JOINABLE[path] ?? (await this.resolve(path, importer, { kind, skipSelf: true })).id;
    const file = `${basename(path, '.js')}.cjs`;
    required.set(file, id);
    return { id: `./${file}`, external: true };
  },
});

const doors = {
  name: 'doors',
  async resolveId(path, importer, { kind }) {
    if (path.startsWith('part:')) return path;
    if (importer?.startsWith('door:')) return { id: path, external: true };
    if (kind !== 'import-statement' || importer === undefined || importer.startsWith('part:')) return;
    const found = await this.resolve(path, importer, { kind, skipSelf: true });
    const part = DOORS.find((name) => isMarked(found?.id, `door: ${name}`));
    return part && `door:${part}:${found.id}`;
  },
  load(id) {
    const [kind, part, file] = id.split(':');
    const exported = (from) => functionsOf(this.parse(readFileSync(from, 'utf8'), { lang: 'ts' }), from);
    switch (kind) {
      case 'part':
        return marks
          .get(`door: ${part}`)
          .map((from) => `export { ${exported(from)} } from '${from}';`)
          .join('\n');
      case 'door':
        return exported(file)
          .map((name) => `export const ${name} = (...given) => require('./${part}.cjs').${name}(...given);`)
          .join('\n');
    }
  },
};

const shared = {
  name: 'shared',
  resolveId: (path) => (path.startsWith('shared:') ? path : undefined),
  load(id) {
    return marks
      .get(id.replace('shared:', 'shared: '))
      ?.map((file) => `import '${file}';`)
      .join('\n');
  },
};

function functionsOf({ body }, file) {
  const exported = body.filter(({ type, exportKind }) => type.startsWith('Export') && exportKind !== 'type');
  return exported.map(({ declaration }) => {
    if (declaration?.type !== 'FunctionDeclaration') throw new Error(`${file} exports more than functions`);
    return declaration.id.name;
  });
}

/**
 * What write-file-atomic asks of its surroundings, answered for a program that only ever calls `sync` on the main thread.
 * Nothing runs between the lines of synchronous code, so a clean-up at exit or at a signal never had its turn: handlers for
 * seventeen signals were put up and taken down for each file, and would only have kept a signal from its work meanwhile.
 */
const SURROUNDINGS = { 'signal-exit': 'exports.onExit = () => () => {};', worker_threads: 'exports.threadId = 0;' };
const synchronous = {
  name: 'synchronous',
  resolveId: (path, importer) =>
    path in SURROUNDINGS && /[\\/]write-file-atomic[\\/]/.test(importer) ? `surroundings:${path}` : undefined,
  load: (id) => SURROUNDINGS[id.replace('surroundings:', '')],
};

/**
 * What server and client of the Model Context Protocol ask of their surroundings, but for the validator of schemas, as large as the rest:
 * it judges what clients fill in when a server asks them, and answers by a schema that the server named, and dev-cli asks for neither. A
 * program is started as the rest of dev-cli starts one.
 */
const VALIDATOR =
  'export class DefaultJsonSchemaValidator { getValidator() { return (data) => ({ valid: true, data }); } }';
const UNASKED = {
  '@modelcontextprotocol/server/_shims': `export { default as process } from 'node:process'; ${VALIDATOR}`,
  '@modelcontextprotocol/client/_shims': `export const CORS_IS_POSSIBLE = false; ${VALIDATOR}`,
  'cross-spawn': "export { spawn as default } from 'node:child_process';",
  'pkce-challenge': "export default () => { throw new Error('dev-cli signs in nowhere'); };",
  jose: 'export {};',
  'node:process': 'export default globalThis.process;',
};
const unasking = {
  name: 'unasking',
  resolveId: (path, importer) =>
    path in UNASKED && importer?.includes('@modelcontextprotocol') ? `unasked:${path}` : undefined,
  load: (id) => UNASKED[id.replace('unasked:', '')],
};

/**
 * What the packages of providers have for schemas of zod's third version, which none of them has: its whole library, for the names of the
 * kinds of schemas.
 */
const unused = {
  name: 'unused',
  resolveId: (path, importer) => (path === 'zod/v3' && importer?.includes('@ai-sdk') ? 'unused:zod/v3' : undefined),
  load: (id) => (id === 'unused:zod/v3' ? 'export const ZodFirstPartyTypeKind = {};' : undefined),
};

/** What a question loads later, by the end of the path that imports it: the whole program, which answers in its place, and one part. */
const LATER = { '/main.js': './program.cjs', '/facts.js': './facts.cjs' };

/**
 * A question calls nothing else that its modules import dynamically; and where it comes to a door, it fails, and the whole program
 * answers, too (src/cli/hot.ts).
 */
const closed = (question) => ({
  name: 'closed',
  async resolveId(path, importer, { kind }) {
    if (kind === 'dynamic-import') return { id: LATER[path.slice(path.lastIndexOf('/'))] ?? path, external: true };
    const found = await this.resolve(path, importer, { kind, skipSelf: true });
    if (isMarked(found?.id, `outside: ${question}`)) return `closed:question:${found.id}`;
    if (isMarked(found?.id, `inside: ${question}`)) return;
    const door = await doors.resolveId.call(this, path, importer, { kind });
    return door?.replace('door:', 'closed:');
  },
  load(id) {
    const [kind, , file] = id.split(':');
    if (kind !== 'closed') return;
    const exported = functionsOf(this.parse(readFileSync(file, 'utf8'), { lang: 'ts' }), file);
    return exported.map((name) => `export function ${name}() { throw new Error('left out'); }`).join('\n');
  },
  generateBundle(_options, made) {
    const later = Object.values(made).flatMap(({ dynamicImports }) => dynamicImports);
    if (later.some((path) => !Object.values(LATER).includes(path)))
      throw new Error(`A question would load ${later.join(', ')}`);
  },
});

/** A package that leaves out its licence, and one out of the same repository that has it. */
const SAME_LICENSE = { '@ai-sdk/provider-utils': '@ai-sdk/provider' };

/** Directories of the packages whose modules are bundled. */
const packages = new Set();
const files = new Map();
await bundle({ cli: sourceFile('cli/main'), ...parts() }, [requires(ALWAYS_REQUIRED), shared, doors]);
await bundle({ runner: sourceFile('cli/runner') }, [requires()]);
await bundle({ importer: sourceFile('app/importer') }, [requires()]);
await bundle({ program: sourceFile('cli/program') }, [requires()]);
await bundle({ facts: sourceFile('wings/memory/facts') }, [requires()]);
for (const question of QUESTIONS) {
  await bundle({ [question]: sourceFile(`cli/questions/${question}`) }, [requires(), closed(question)]);
}
for (const [file, id] of required) await bundle({ [basename(file, '.cjs')]: id });
files.set('page.html', await buildPage());

files.set('LICENSES.txt', licenses());

mkdirSync(dist, { recursive: true });
for (const [name, text] of files) writeFileSync(join(dist, name), text);
// Afterwards, so that a build while tests run never leaves dist/ without its entry.
for (const name of readdirSync(dist)) if (!files.has(name)) rmSync(join(dist, name), { recursive: true });

/** The first that imports a module statically has it. */
function parts() {
  return Object.fromEntries([
    ...SHARED.map((name) => [name, `shared:${name}`]),
    ...DOORS.map((part) => [part, `part:${part}`]),
  ]);
}

/**
 * Makes the files of a program: one for each entry with all that it imports statically and no entry before it has, and one for
 * each dynamic import.
 * @param {Record<string, string>} entries modules by the name of the file
 */
async function bundle(entries, plugins = []) {
  const names = Object.keys(entries);
  const made = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    // Loaded from node_modules by the few commands that need them.
    external: [/^ajv\//, ...PEERS],
    resolve: { mainFields: ['module', 'main'] },
    transform: { target: 'node20.17', define: { 'import.meta.dirname': '__dirname' } },
    checks: { ineffectiveDynamicImport: false, mixedExports: false },
    plugins: [synchronous, unasking, unused, ...plugins],
  });
  const { output } = await made.generate({
    format: 'cjs',
    minify: true,
    comments: { legal: true },
    // For publint, which goes by the text: in a program that exports nothing it takes a help text about imports for one.
    postFooter: 'module.exports;',
    dynamicImportInCjs: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: 'cli-[name].cjs',
    codeSplitting: names.length > 1 && {
      groups: [...names, ...WHOLE].map((name, index) => {
        let together;
        return {
          debugName: name,
          priority: names.length + WHOLE.length - index,
          name(id, graph) {
            together ??= staticallyImported(entries[name] ?? sourceFile(name), graph);
            // A door that lay in a part would have that loaded by whoever only passes by.
            const isDoor = SHARED.includes(name) && id.startsWith('door:');
            return together.has(id) || isDoor || id.startsWith('\0') ? basename(name) : null;
          },
        };
      }),
    },
  });
  for (const { fileName, code, modules } of output) {
    files.set(fileName, toAscii(code));
    for (const module of Object.keys(modules)) noteItsPackage(module);
  }
}

/** The page that `dev-cli view` serves and writes: one file, without data (docs/spec/view-page.md, Server). */
async function buildPage() {
  const client = join(root, 'src/wings/page/client');
  const made = await rolldown({
    cwd: root,
    input: join(client, 'main.tsx'),
    platform: 'browser',
    // Without a document at hand the parser of Markdown takes names of characters from a table, instead of from `innerHTML`.
    resolve: { conditionNames: ['worker', 'import', 'default'] },
    transform: { target: 'es2022' },
  });
  const { output } = await made.generate({ format: 'es', minify: true, comments: { legal: true } });
  const [{ code, modules }, ...more] = output;
  if (more.length > 0) throw new Error('The page would be more than one file');
  for (const module of Object.keys(modules)) noteItsPackage(module);
  const script = toAscii(code).replaceAll(/<(?=\/script|!--)/gi, '\\x3c');
  const style = readFileSync(join(client, 'style.css'), 'utf8');
  const shell = readFileSync(join(client, 'page.html'), 'utf8');
  return shell.replace(/(?=<\/(style|script)>)/g, (_, name) => (name === 'style' ? style : script));
}

/** One character above them all would make V8 keep a whole file in two bytes a character, and scan it for longer. */
function toAscii(code) {
  return code.replace(/[\x80-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function noteItsPackage(module) {
  const [, directory] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(module) ?? [];
  if (directory !== undefined) packages.add(directory);
}

/** The licences of all packages that are bundled, as each of them asks. */
function licenses() {
  const texts = [...packages].toSorted().map((directory) => {
    const { name, version } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
    const holder = name in SAME_LICENSE ? join(root, 'node_modules', SAME_LICENSE[name]) : directory;
    const file = readdirSync(holder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} comes without its licence`);
    return `${name} ${version}\n\n${readFileSync(join(holder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

function staticallyImported(entry, graph) {
  const found = new Set([entry]);
  for (const id of found) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}
