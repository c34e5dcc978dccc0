// dist/: CommonJS, one file for all that a short call loads (docs/architecture.md, Build). A plain CommonJS file starts some
// milliseconds earlier than an ES module, each further file costs about one, and what a command does not need is not even
// parsed: what the source imports dynamically lies in files of its own.
//
// esbuild cuts a program along its dynamic imports, but into many pieces: what the entry shares with a part loaded later
// becomes a piece too. So the pieces that the entry loads at once are put together again, and the later parts take what
// they share from there: nothing exists twice in one process.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const source = {
  absWorkingDir: root,
  outdir: 'dist',
  bundle: true,
  write: false,
  metafile: true,
  mainFields: ['module', 'main'],
  platform: 'node',
  target: 'node20.17',
  // Loaded by the few commands that need them, from node_modules.
  external: ['yaml', 'ajv', 'ajv/*'],
  define: { 'import.meta.dirname': '__dirname' },
  logLevel: 'error',
};
/**
 * What write-file-atomic asks of its surroundings, answered for a program that only ever calls `sync` on the main thread.
 * Nothing runs between the lines of synchronous code, so a clean-up at exit or at a signal never had its turn: handlers for
 * seventeen signals were put up and taken down for each file, and would only have kept a signal from its work meanwhile.
 */
const SURROUNDINGS = {
  'signal-exit': 'exports.onExit = () => () => {};',
  worker_threads: 'exports.threadId = 0;',
};
const synchronous = {
  name: 'synchronous',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(signal-exit|worker_threads)$/ }, ({ path, importer }) =>
      /[\\/]write-file-atomic[\\/]/.test(importer) ? { path, namespace: 'synchronous' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'synchronous' }, ({ path }) => ({ contents: SURROUNDINGS[path], loader: 'js' }));
  },
};
/**
 * Packages that lie in files of their own: what few calls need, required in the middle of what many need. A reader takes up
 * no patch and replaces no file; patterns are for `cleanup` and for what an agent may write.
 */
const APART = ['fast-json-patch', 'jsonc-parser', 'picomatch', 'write-file-atomic'];
const commonJs = {
  platform: 'node',
  target: 'node20.17',
  format: 'cjs',
  minify: true,
  legalComments: 'none',
  supported: { 'dynamic-import': false },
};

const programs = await Promise.all([
  program('cli', 'src/cli/main.ts'),
  ...['next', 'manifest', 'status', 'list'].map((question) =>
    closedProgram(question, `src/cli/questions/${question}.ts`, { './main.js': './cli.cjs' }),
  ),
  program('runner', 'src/cli/runner.ts'),
  ...['recipe', 'plan-content'].map(validator),
  ...APART.map(apart),
]);
const files = new Map(programs.flat());
mkdirSync(dist, { recursive: true });
for (const [name, text] of files) writeFileSync(join(dist, name), text);
// Afterwards, so that a build while tests run never leaves dist/ without its entry.
for (const name of readdirSync(dist)) if (!files.has(name)) rmSync(join(dist, name), { recursive: true });

/**
 * A program in one file that loads nothing later but other programs. What its modules import dynamically belongs to functions
 * that it does not call, and goes with them.
 * @param handsOnTo the dynamic imports that stand for other programs
 */
async function closedProgram(name, entry, handsOnTo) {
  const plugin = {
    name: 'closed',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path: handsOnTo[path] ?? path, external: true } : undefined,
      );
    },
  };
  const { outputFiles, metafile } = await build({
    ...source,
    ...commonJs,
    // For publint, which goes by the text: of a program that exports nothing it takes a help text about imports for one.
    footer: { js: 'module.exports = {};' },
    entryPoints: { [name]: join(root, entry) },
    outExtension: { '.js': '.cjs' },
    plugins: [plugin, synchronous, without(APART)],
  });
  const loaded = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
  const later = loaded.filter(({ path, kind }) => kind === 'dynamic-import' && path.startsWith('.'));
  const unexpected = later.filter(({ path }) => !Object.values(handsOnTo).includes(path));
  if (unexpected.length > 0) throw new Error(`${name} would load ${unexpected.map(({ path }) => path).join(', ')}`);
  return outputFiles.map(({ path, text }) => [basename(path), text]);
}

/** A validator, larger than most programs, in a file of its own: the few that need it load it with a plain `require`. */
async function validator(name) {
  const { code } = await transform(readFileSync(join(root, `src/generated/${name}.js`), 'utf8'), commonJs);
  return [[`validate-${name}.cjs`, code]];
}

/** A package in a file of its own. */
async function apart(name) {
  const { outputFiles } = await build({
    ...source,
    ...commonJs,
    stdin: { contents: `module.exports = require(${JSON.stringify(name)});`, resolveDir: root },
    outdir: undefined,
    plugins: [synchronous],
  });
  return outputFiles.map(({ text }) => [`${name}.cjs`, text]);
}

/** @param {string[]} names packages of `APART` */
function without(names) {
  return {
    name: 'apart',
    setup({ onResolve }) {
      onResolve({ filter: /^[a-z-]+$/ }, ({ path, kind }) =>
        kind === 'require-call' && names.includes(path) ? { path: `./${path}.cjs`, external: true } : undefined,
      );
    },
  };
}

function withoutValidators({ onResolve }) {
  onResolve({ filter: /\/generated\/[^/]+\.js$/ }, ({ path, kind }) =>
    kind === 'require-call' ? { path: `./validate-${basename(path, '.js')}.cjs`, external: true } : undefined,
  );
}

/** The files of one program, apart from the others: what two programs share would have to be loaded from a file more. */
async function program(name, entry) {
  const { outputFiles, metafile } = await build({
    ...source,
    entryPoints: { [name]: join(root, entry) },
    chunkNames: `${name}-[name]-[hash]`,
    splitting: true,
    format: 'esm',
    legalComments: 'linked',
    plugins: [{ name: 'validators', setup: withoutValidators }, synchronous, without(['jsonc-parser', 'picomatch'])],
  });
  const first = `${name}.js`;
  const pieces = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const together = loadedAtOnce(metafile, first);
  const made = [...pieces].map(async ([piece, text]) => {
    if (!piece.endsWith('.js')) return [[shipped(piece), text]];
    if (piece === first) return [[shipped(piece), await joined(first, pieces, together)]];
    return together.has(piece) ? [] : [[shipped(piece), await later(text, first, together)]];
  });
  return (await Promise.all(made)).flat();
}

function shipped(piece) {
  return piece.replace(/\.js(?=$|\.)/, '.cjs');
}

/** The pieces that `first` imports statically, directly or not. */
function loadedAtOnce(metafile, first) {
  const found = new Set([first]);
  for (const piece of found) {
    for (const { path, kind, external } of metafile.outputs[`dist/${piece}`].imports) {
      if (kind === 'import-statement' && !external) found.add(basename(path));
    }
  }
  return found;
}

/** The entry and all it loads at once, as one file that also hands each piece on to the parts that are loaded later. */
async function joined(first, pieces, together) {
  const plugin = {
    name: 'pieces',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\// }, ({ path }) => {
        const piece = basename(path);
        return together.has(piece)
          ? { path: piece, namespace: 'piece' }
          : { path: `./${shipped(piece)}`, external: true };
      });
      onLoad({ filter: /./, namespace: 'piece' }, ({ path }) => ({ contents: pieces.get(path) }));
    },
  };
  const handedOn = [...together].filter((piece) => piece !== first);
  const lines = handedOn.map((piece) => `export * as ${JSON.stringify(piece)} from './${piece}';`);
  const { outputFiles } = await build({
    ...commonJs,
    stdin: { contents: [...lines, `import './${first}';`].join('\n') },
    bundle: true,
    write: false,
    packages: 'external',
    plugins: [plugin],
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

/** A part that is loaded later. */
async function later(text, first, together) {
  const { code } = await transform(text, commonJs);
  return code.replace(/require\("\.\/([^"]+)"\)/g, (_whole, piece) =>
    together.has(piece) ? `require("./${shipped(first)}")[${JSON.stringify(piece)}]` : `require("./${shipped(piece)}")`,
  );
}
