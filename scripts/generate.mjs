// Generates files from the schemas, which are written once, in TypeScript:
// - schemas/*.schema.json, which are shipped and committed;
// - src/generated/<name>.js: precompiled validators, so that no command loads ajv; the outlines with which hot commands
//   check a snapshot; and the commands, both with descriptions and, for hot calls, without.
// Also generates the plugin for Claude Code, from the same hooks that `install` writes.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standaloneCode from 'ajv/dist/standalone/index.js';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

// The harness facts come first, because the registry and the schemas use the names of the harnesses.
const { buildFacts } = await load('scripts/harness-facts.ts');
for (const [file, facts] of Object.entries(buildFacts())) {
  const rows = Object.entries(facts).map(([name, value]) => {
    const text = JSON.stringify(value);
    const written = Object.getPrototypeOf(value) === null ? text.replace('{', '{"__proto__":null,') : text;
    const type = `import('../../scripts/harness-facts.js').Facts['${file}']['${name}']`;
    return { name, written, type: name === 'HARNESS_IDS' ? `readonly ${text}` : type };
  });
  const values = rows.map(({ name, written }) => `export const ${name} = ${written};\n`);
  const types = rows.map(({ name, type }) => `export declare const ${name}: ${type};\n`);
  if (file === 'harnesses') types.push('export type HarnessId = (typeof HARNESS_IDS)[number];\n');
  writeIfChanged(join(root, `src/generated/${file}.js`), values.join(''));
  writeIfChanged(join(root, `src/generated/${file}.d.ts`), types.join(''));
}

const { validators, outlines, registry, forms, tools, ownTools, shipped } = await load('scripts/catalogue.ts', {
  unmade: true,
});

const VALIDATOR =
  "import type { ErrorObject } from 'ajv';\ntype Validator = ((data: unknown) => boolean) & { errors?: ErrorObject[] | null };\n";
for (const [name, schema] of Object.entries(validators)) {
  const ajv = createAjv();
  // Examples are for editors; in a validator they would only take space.
  const plain = JSON.parse(JSON.stringify(schema, (key, member) => (isExamples(key, member) ? undefined : member)));
  const validate = ajv.compile(plain);
  writeIfChanged(join(root, `src/generated/${name}.js`), standaloneCode(ajv, validate));
  writeIfChanged(
    join(root, `src/generated/${name}.d.ts`),
    `${VALIDATOR}declare const validate: Validator;\nexport default validate;\n`,
  );
}
writeTools();
for (const [name, own] of Object.entries(ownTools)) {
  writeData(name, own, "readonly import('../registry/spec.js').OwnTool[]");
}
for (const [name, schema] of Object.entries(outlines)) {
  // Descriptions and examples are only for readers of the shipped schema, so they are left out here.
  writeData(
    name,
    schema,
    "import('../documents/outline.js').OutlineSchema",
    (key, member) => (key !== 'description' || typeof member !== 'string') && !isExamples(key, member),
  );
}
writeData('commands', registry, "import('../registry/find.js').Registry");
writeData(
  'command-forms',
  forms,
  "Readonly<Record<string, import('../registry/spec.js').CommandForm | import('../registry/spec.js').WrittenForm>>",
);
for (const [name, schema] of Object.entries(shipped)) {
  const text = `${JSON.stringify({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...JSON.parse(JSON.stringify(schema)) }, null, 2)}\n`;
  writeIfChanged(join(root, `schemas/${name}.schema.json`), text);
}

const { buildPlugins } = await load('src/wings/harness/install/plugin.ts');
const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
for (const [path, content] of Object.entries(buildPlugins(about))) {
  writeIfChanged(join(root, path), `${JSON.stringify(content, null, 2)}\n`);
}

// Comes last, because reading the shipped texts needs the validators generated above.
const { readShippedTexts } = await load('scripts/shipped-texts.ts');
writeData('shipped-texts', readShippedTexts(root), "import('../recipe/load/shipped-texts.js').ShippedTexts");

function createAjv() {
  return new Ajv2020({
    code: { source: true, esm: true },
    allErrors: true,
    verbose: true,
    discriminator: true,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    // Counts lengths in UTF-16 units, as JavaScript does: to count code points, a validator would load a part of ajv.
    // ajv warns about this option, hence no logger.
    unicode: false,
    logger: false,
  });
}

/** Writes the tools, each with a validator for its arguments. */
function writeTools() {
  const ajv = createAjv();
  const names = tools.map(({ document }) => document.name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) throw new Error(`Two tools are called ${twice}.`);
  for (const { document } of tools) ajv.addSchema(document.inputSchema, document.name);
  const code = standaloneCode(ajv, Object.fromEntries(names.map((name) => [name, name])));
  const served = `const validators = { ${names.join(', ')} };
export default JSON.parse(${JSON.stringify(JSON.stringify(tools))}).map((tool) => ({ ...tool, validate: validators[tool.document.name] }));
`;
  const type = "import('../registry/spec.js').DescribedTool & { validate: Validator }";
  writeIfChanged(join(root, 'src/generated/tools.js'), `${code}\n${served}`);
  writeIfChanged(
    join(root, 'src/generated/tools.d.ts'),
    `${VALIDATOR}declare const tools: readonly (${type})[];\nexport default tools;\n`,
  );
}

function isExamples(key, member) {
  return key === 'examples' && Array.isArray(member);
}

/** Loads a TypeScript module. @param unmade whether the generated modules do not exist yet; empty ones replace them */
async function load(module, { unmade = false } = {}) {
  const outfile = join(root, 'src/generated/.loaded.mjs');
  mkdirSync(dirname(outfile), { recursive: true });
  await build({
    entryPoints: [join(root, module)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [
      { name: 'later', setup: ({ onResolve }) => onResolve({ filter: /./ }, later) },
      { name: 'unknown', setup: nothingShipped },
      ...(unmade ? [{ name: 'unmade', setup: nothingMade }] : []),
    ],
    outfile,
    logLevel: 'error',
  });
  const loaded = await import(`${pathToFileURL(outfile).href}?${module}`);
  rmSync(outfile);
  return loaded;
}

/** Keeps dynamic imports external, because they load handlers that may need modules not generated yet. */
function later({ path, kind }) {
  return kind === 'dynamic-import' ? { path, external: true } : undefined;
}

function nothingShipped({ onResolve, onLoad }) {
  onResolve({ filter: /\/generated\/shipped-texts\.js$/ }, () => ({ path: 'nothing', namespace: 'shipped' }));
  onLoad({ filter: /./, namespace: 'shipped' }, () => ({
    contents: 'export default { yaml: {}, agents: {}, sound: [] };',
  }));
}

/**
 * Replaces generated modules, which may not exist yet, with empty ones. The block types import them, but generating
 * files does not run the code that uses them.
 */
function nothingMade({ onResolve, onLoad }) {
  const resolve = ({ path }) =>
    /\/harness[\w-]*\.js$/.test(path) ? undefined : { path: 'nothing', namespace: 'unmade' };
  onResolve({ filter: /\/generated\// }, resolve);
  onLoad({ filter: /./, namespace: 'unmade' }, () => ({ contents: 'export default {};' }));
}

/** Writes data as JSON text, which parses faster than the same data as JavaScript. */
function writeData(name, value, type, keeps = () => true) {
  const text = JSON.stringify(value, (key, member) => (keeps(key, member) ? member : undefined));
  writeIfChanged(join(root, `src/generated/${name}.js`), `export default JSON.parse(${JSON.stringify(text)});\n`);
  writeIfChanged(join(root, `src/generated/${name}.d.ts`), `declare const data: ${type};\nexport default data;\n`);
}

function writeIfChanged(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  let present = null;
  try {
    present = readFileSync(path, 'utf8');
  } catch {
    // The file does not exist yet.
  }
  if (present !== text) writeFileSync(path, text);
}
