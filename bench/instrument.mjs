// Builds dev-cli's programs from the sources so that each function reports its calls to bench/trace.cjs.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import ts from 'typescript';
import { CHECKOUT } from '../tests/support/project.mjs';

const SOURCES = join(CHECKOUT, 'src');

/**
 * @param {Record<string, string>} programs entry points below src/, by program name
 * @param {string} directory where `<name>.cjs` is written; inside the checkout, so that packages are found from there
 */
export async function buildInstrumented(programs, directory) {
  const entries = Object.values(programs).map((file) => join(SOURCES, file));
  await build({
    entryPoints: Object.fromEntries(Object.keys(programs).map((name, index) => [name, entries[index]])),
    outdir: directory,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    target: 'node20.17',
    format: 'cjs',
    external: ['yaml', 'ajv', 'ajv/*', 'pg', '@dbos-inc/dbos-sdk', '@dbos-inc/dbos-sdk/*'],
    mainFields: ['module', 'main'],
    define: { 'import.meta.dirname': JSON.stringify(join(CHECKOUT, 'dist')) },
    logLevel: 'error',
    plugins: [
      {
        name: 'instrument',
        setup({ onLoad }) {
          onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => ({
            contents: instrumented(path, entries.includes(path)),
            loader: 'ts',
          }));
        },
      },
    ],
  });
}

/**
 * Returns a source file's text with the reporting code inserted.
 * @param {string} path absolute
 * @param {boolean} isEntry whether the file's top level is the program itself and not just the evaluation of a module
 */
function instrumented(path, isEntry) {
  const text = readFileSync(path, 'utf8');
  const file = relative(SOURCES, path);
  const insertions = [];
  const visit = (node) => {
    const [before, after] = isTraced(node) ? around(node, JSON.stringify(file)) : [];
    if (before !== undefined) insertions.push(before);
    ts.forEachChild(node, visit);
    if (after !== undefined) insertions.push(after);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
  const whole = inserted(text, insertions);
  if (isEntry) return `__trace.note(${JSON.stringify(file)}, 'program');${whole}`;
  return `__trace.evaluationBegins();${whole}\n__trace.evaluationEnds();`;
}

/** Returns false for constructors, because no code may precede their `super()`. */
function isTraced(node) {
  return ts.isFunctionLike(node) && node.body !== undefined && !ts.isConstructorDeclaration(node);
}

/** Returns the code to insert before and after a function's body, each with its position. */
function around(node, file) {
  const { body } = node;
  const of = `${file}, ${JSON.stringify(nameOf(node))}`;
  // A generator's body cannot be wrapped, because `yield` is not allowed in the function around it.
  if (node.asteriskToken !== undefined) return [[body.getStart() + 1, `__trace.note(${of});`]];
  const isAsync = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword);
  const call = `__trace.call(${of}, ${isAsync ? 'async ' : ''}() => `;
  const [open, close] = ts.isBlock(body) ? [`{ return ${call}`, ');}'] : [`${call}(`, '))'];
  return [
    [body.getStart(), open],
    [body.getEnd(), close],
  ];
}

/**
 * Returns a function's own name or that of the variable to which it is assigned; for other functions, the nearest
 * enclosing name followed by `…`.
 */
function nameOf(node) {
  for (let at = node; at !== undefined; at = at.parent) {
    if (at.name === undefined || !ts.isIdentifier(at.name)) continue;
    return at === node || at.initializer === node ? at.name.text : `${at.name.text} …`;
  }
  return '…';
}

/** Inserts texts at their positions. @param {[number, string][]} insertions keep their order at the same position */
function inserted(text, insertions) {
  const sorted = insertions.toSorted(([a], [b]) => a - b);
  const pieces = sorted.map(([at, insertion], index) => text.slice(sorted[index - 1]?.[0] ?? 0, at) + insertion);
  return pieces.join('') + text.slice(sorted.at(-1)?.[0] ?? 0);
}
