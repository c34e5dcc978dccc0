import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { getLanguageService, type Position, TextDocument } from 'yaml-language-server';
import { EDITOR_SCHEMAS, ensureEditorSchemas, renderModeline } from '../../../src/project/editor-schemas.js';
import { DISK_READER } from '../../../src/project/reader.js';
import { CHECKOUT } from '../../support/project.mjs';
import { scratchDirectory } from '../../support/scratch.js';

interface Schema {
  description?: string;
  examples?: unknown[];
  type?: string;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
}

/** Lists properties that lack a description, or lack an example although their type does not say what to write. */
function listMute(schema: Schema, path: string): string[] {
  const { properties = {}, patternProperties = {}, items, oneOf = [], anyOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([key, value]) => [
      ...(value.description === undefined ? [`${path}/${key}: description`] : []),
      ...(isObvious(value) || value.examples !== undefined ? [] : [`${path}/${key}: examples`]),
      ...listMute(value, `${path}/${key}`),
    ]),
    ...[...Object.values(patternProperties), ...(items === undefined ? [] : [items]), ...oneOf, ...anyOf].flatMap(
      (one) => listMute(one, path),
    ),
  ];
}

function isObvious({ type, const: only, enum: words, properties, oneOf, items }: Schema): boolean {
  if (type === 'array') return items !== undefined && isObvious(items);
  return (
    [only, words, properties, oneOf].some((one) => one !== undefined) ||
    ['boolean', 'integer', 'object'].includes(type ?? '')
  );
}

const root = scratchDirectory('editor-');
ensureEditorSchemas({ root, library: { reader: DISK_READER, shipped: CHECKOUT } });
const service = getLanguageService({
  schemaRequestService: (uri) => Promise.resolve(readFileSync(fileURLToPath(uri), 'utf8')),
  workspaceContext: {
    resolveRelativePath: (path, resource) => pathToFileURL(join(dirname(fileURLToPath(resource)), path)).href,
  },
});
service.configure({ validate: true, completion: true, hover: true });

/**
 * The type of document that the service takes; the package's own `TextDocument` is of another version, so it is cast.
 */
type Opened = Parameters<typeof service.doValidation>[0];
/** The version of the next document. Each gets its own, because the service caches its findings by version. */
let version = 0;

/** Opens a file of a project as an editor would. `¦` marks the cursor. */
function open(path: string, schema: 'recipe' | 'recipe-test', text: string): { document: Opened; cursor: Position } {
  const whole = `${renderModeline(path, schema)}\n${text}`;
  const at = Math.max(0, whole.indexOf('¦'));
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, whole.replace('¦', ''));
  version += 1;
  const document = TextDocument.create(pathToFileURL(file).href, 'yaml', version, whole.replace('¦', '')) as Opened;
  return { document, cursor: document.positionAt(at) };
}

async function complete(path: string, schema: 'recipe' | 'recipe-test', text: string): Promise<string[]> {
  const { document, cursor } = open(path, schema, text);
  const { items } = await service.doComplete(document, cursor, false);
  return items.map(({ label }) => label);
}

const RECIPE = '.dev/recipes/tried.yaml';
const GOOD = 'name: tried\ntype: sequential\nblocks:\n  - { id: a, type: llm, instruction: Think. }\n';

describe('an editor (authoring.md, Editors)', () => {
  it.each(EDITOR_SCHEMAS)(
    'explains every key of a %s, with an example where its type does not say what to write',
    (name) => {
      const schema = JSON.parse(readFileSync(join(CHECKOUT, `schemas/${name}.schema.json`), 'utf8')) as Schema;
      expect(listMute(schema, name)).toEqual([]);
      expect(listMute({ properties: { a: { type: 'string' } } }, '')).toEqual(['/a: description', '/a: examples']);
    },
  );

  it('finds nothing wrong with what is right', async () => {
    expect(await service.doValidation(open(RECIPE, 'recipe', GOOD).document, false)).toEqual([]);
    for (const name of ['bugfix', 'execute-hardened', 'specify-standard-interactive']) {
      const text = readFileSync(join(CHECKOUT, `recipes/${name}.yaml`), 'utf8').replace(/^#.*\n/, '');
      expect(await service.doValidation(open(`.dev/recipes/${name}.yaml`, 'recipe', text).document, false)).toEqual([]);
    }
  });

  it('finds a key that is none, a value of the wrong kind and what is missing, each at its place', async () => {
    const wrong = `${GOOD}  - { id: b, type: llm, instrucion: x }\n  - { id: c, type: cli, command: ls, timeout: soon }\n  - { id: d, type: cli }\n`;
    const found = await service.doValidation(open(RECIPE, 'recipe', wrong).document, false);
    const told = found.map(({ message, range }) => `${range.start.line}: ${message}`);
    expect(told).toEqual([
      expect.stringMatching(/^5: .*instrucion/),
      expect.stringMatching(/^6: .*integer/),
      expect.stringMatching(/^7: .*"command"/),
    ]);
    const test = open('.dev/recipes/tried.test.yaml', 'recipe-test', 'recipe: tried\ncases:\n  - { nam: x }\n');
    const ofTest = await service.doValidation(test.document, false);
    expect(ofTest.map(({ message }) => message).join()).toMatch(/name[\s\S]*nam/);
  });

  it('completes keys by the type of a block, words of closed lists, and keys of tests', async () => {
    const inGate = await complete(RECIPE, 'recipe', `${GOOD}  - id: b\n    type: wait-for-user\n    ¦\n`);
    expect(inGate).toEqual(expect.arrayContaining(['human', 'message', 'choices', 'artifact']));
    expect(inGate).not.toContain('command');
    const types = await complete(RECIPE, 'recipe', `${GOOD}  - id: b\n    type: ¦\n`);
    expect(types).toEqual(expect.arrayContaining(['cli', 'llm-loop', 'subagent']));
    const ofTest = await complete('.dev/recipes/tried.test.yaml', 'recipe-test', 'recipe: tried\n¦\n');
    expect(ofTest).toEqual(expect.arrayContaining(['cases', 'coverage', 'given']));
  });

  it.each([
    ['choices', `${GOOD}  - id: b\n    type: wait-for-user\n    choices: ¦`],
    ['onError', `${GOOD}  - id: b\n    type: llm\n    onError: ¦`],
    ['onFail', 'name: tried\ntype: meta\nerrorPolicy:\n  onFail: ¦'],
    ['plan', 'recipe: tried\ngiven:\n  plan: ¦'],
    ['data', 'recipe: tried\ncases:\n  - name: a\n    steps:\n      - data: ¦'],
  ])('offers for `%s` nothing that cannot be written', async (_key, text) => {
    const isTest = text.startsWith('recipe:');
    const { document, cursor } = open(
      isTest ? '.dev/recipes/tried.test.yaml' : RECIPE,
      isTest ? 'recipe-test' : 'recipe',
      text,
    );
    const { items } = await service.doComplete(document, cursor, false);
    expect(items.length).toBeGreaterThan(0);
    expect(JSON.stringify(items)).not.toContain('[object');
  });

  it('explains a key under the pointer', async () => {
    const { document, cursor } = open(RECIPE, 'recipe', GOOD.replace('instruction', 'instr¦uction'));
    const hover = await service.doHover(document, cursor);
    expect(JSON.stringify(hover)).toContain('At most 600 characters');
  });
});
