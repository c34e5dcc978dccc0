// Builds dist/ as CommonJS, split at the source's dynamic imports (docs/architecture.md, Build). A CommonJS file starts
// some milliseconds earlier than an ES module. Splitting spares a command from parsing code that it does not need, but
// each additional file costs about one millisecond. rolldown does the splitting; small plugins add three things:
// - a package or a generated file that the source loads by a plain `require` becomes a separate file;
// - modules behind a door (`CUTS`) become a part that is loaded at the first call of one of its functions, by a
//   `require`, because decisions are synchronous and cannot wait for an `import()`;
// - each command in `QUESTIONS` has a program of its own: one file, which may load only the files in `LATER`
//   afterwards.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fastGlob from 'fast-glob';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const sourceFile = (module) => join(root, 'src', `${module}.ts`);

/** Commands with a small program of their own, because they are called often. The code calls them questions. */
const QUESTIONS = ['next', 'manifest', 'status', 'list', 'judge', 'hook', 'complete'];

/**
 * Files for modules that several parts import and cli.cjs does not need. Otherwise these modules would be put into one
 * of the parts, which all the others would then have to load.
 */
const SHARED = ['common'];

/**
 * Each of these modules is kept in one file together with everything it imports, even imports that other modules share.
 * Splitting off the shared imports would cost a millisecond for loading one more file.
 */
const WHOLE = ['protocol/settle'];

/** Parts of cli.cjs that most acknowledgements do not need. A module that two parts import goes into the first one. */
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
 * The marks by which a module's first line says where the module goes (`// door: plan, shared: common`), and the names
 * that may follow each mark:
 * - `door`: the module goes into this part of cli.cjs, and exports nothing but functions;
 * - `shared`: the module goes into this file;
 * - `inside`: this question's program contains the module, although it is behind a door for other programs;
 * - `outside`: this question's program leaves the module out, as if it were behind a door.
 */
const CUTS = { door: DOORS, shared: SHARED, inside: QUESTIONS, outside: QUESTIONS };
const marks = readMarks();

/** Returns for each mark the files that have it, sorted by path. */
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

function isMarked(file, mark) {
  return marks.get(mark).includes(file);
}

/** Packages that every acknowledgement needs, and which are therefore in cli.cjs itself. */
const ALWAYS_REQUIRED = ['fast-json-patch', 'write-file-atomic'];

/**
 * Builds to use instead of a library's CommonJS build. Their modules can be joined into one scope, which halves the
 * loading time.
 */
const JOINABLE = { yaml: join(root, 'node_modules/yaml/browser/dist/index.js') };

/** The modules to build into files of their own, by file name. */
const required = new Map();
/** Packages that only a fleet needs; its operator installs them. */
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
 * Replacements for two modules that write-file-atomic imports. They serve a program that only calls `sync` on the main
 * thread. For each file, write-file-atomic would install and remove handlers for seventeen signals, to clean up when
 * the process ends. No handler can run during synchronous code, so they would be useless and could only delay a signal.
 */
const SURROUNDINGS = { 'signal-exit': 'exports.onExit = () => () => {};', worker_threads: 'exports.threadId = 0;' };
const synchronous = {
  name: 'synchronous',
  resolveId: (path, importer) =>
    path in SURROUNDINGS && /[\\/]write-file-atomic[\\/]/.test(importer) ? `surroundings:${path}` : undefined,
  load: (id) => SURROUNDINGS[id.replace('surroundings:', '')],
};

/**
 * Replacements for modules that the server and the client of the Model Context Protocol import but dev-cli does not
 * need. The schema validator is as large as everything else together. It checks forms that a server has a client fill
 * in, and results whose schema a server declared; dev-cli uses neither. `cross-spawn` is replaced by Node's own
 * `spawn`.
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
 * The provider packages import the whole of zod 3 only to compare a schema's kind with the names that zod 3 gives its
 * kinds. dev-cli has no schemas of zod 3, so an empty table of names is enough.
 */
const unused = {
  name: 'unused',
  resolveId: (path, importer) => (path === 'zod/v3' && importer?.includes('@ai-sdk') ? 'unused:zod/v3' : undefined),
  load: (id) => (id === 'unused:zod/v3' ? 'export const ZodFirstPartyTypeKind = {};' : undefined),
};

/**
 * The files that a question's program may load later, by the last segment of the import path: the whole program, which
 * then answers instead, and memory's facts.
 */
const LATER = { '/main.js': './program.cjs', '/facts.js': './facts.cjs' };

/**
 * Keeps everything behind doors out of a question's program, and rejects dynamic imports other than `LATER`. If the
 * program reaches a door, it fails, and the whole program answers instead (src/cli/hot.ts).
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

/** Packages published without their licence, each with a package from the same repository that includes it. */
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
// Old files are removed last, so that dist/ is complete at any time even if tests run during the build.
for (const name of readdirSync(dist)) if (!files.has(name)) rmSync(join(dist, name), { recursive: true });

/** Lists the parts in order; a module that several of them import statically goes into the first. */
function parts() {
  return Object.fromEntries([
    ...SHARED.map((name) => [name, `shared:${name}`]),
    ...DOORS.map((part) => [part, `part:${part}`]),
  ]);
}

/**
 * Builds a program's files: one for each entry, with its static imports except those in an earlier entry's file, and
 * one for each dynamic import.
 * @param {Record<string, string>} entries entry modules by file name
 */
async function bundle(entries, plugins = []) {
  const names = Object.keys(entries);
  const made = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    // The few commands that need these packages load them from node_modules.
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
    // Added for publint, which searches the text of a program instead of parsing it: in a program without exports, it
    // mistakes the word `import` in a help text for an import statement.
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
            // Doors stay out of shared files: otherwise, importing a door would load the whole file.
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

/** Builds the page that `dev-cli view` serves and writes: one file, without data (docs/spec/view-page.md, Server). */
async function buildPage() {
  const client = join(root, 'src/wings/page/client');
  const made = await rolldown({
    cwd: root,
    input: join(client, 'main.tsx'),
    platform: 'browser',
    // Selects the Markdown parser's build that looks up character names in a table instead of using `innerHTML`.
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

/**
 * Escapes all characters that are not ASCII. A single one beyond Latin-1 would make V8 store the whole file with two
 * bytes per character, and take longer to scan it.
 */
function toAscii(code) {
  return code.replace(/[\x80-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function noteItsPackage(module) {
  const [, directory] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(module) ?? [];
  if (directory !== undefined) packages.add(directory);
}

/** Collects the licences of all bundled packages, because each licence must accompany its package. */
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
