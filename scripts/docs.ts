import { readdirSync, readFileSync } from 'node:fs';
import fastGlob from 'fast-glob';
import { WINGS } from '../src/app/wings.js';
import { ERROR_CODES, EXIT_MEANINGS, type ExitCode } from '../src/base/error-codes.js';
import { ERROR_MEANINGS } from '../src/base/error-meanings.js';
import type { ErrorCode } from '../src/base/errors.js';
import { DISK_READER } from '../src/project/reader.js';
import { BUILTIN_PREFERENCES } from '../src/recipe/settings/builtin-preferences.js';
import { ProjectSettingsSchema } from '../src/recipe/settings/project-settings-schema.js';
import { RecipeSchema } from '../src/recipe/source/schema.js';
import { COMMON_ERRORS } from '../src/registry/endings.js';
import { REGISTRY, RESERVED_WORDS } from '../src/registry/find.js';
import { HANDLERS, type HandlerSpec } from '../src/registry/handlers.js';
import { GLOBAL_OPTIONS } from '../src/registry/input.js';
import type { Actor, CommandOption, DescribedCommand } from '../src/registry/spec.js';
import { readSuite, readSuiteRequirements } from '../src/wings/conformance/suite.js';
import { MUTANTS } from '../tests/conformance/mutants.js';
import { specs } from './catalogue.js';

/** The shipped recipes that the pages show as pictures. */
const DRAWN = ['bugfix', 'execute-hardened', 'ultrawork'];

/** The pages in docs/ that are generated from the sources; a test checks that they are up to date. */
export const pages: Readonly<Record<string, () => string>> = {
  'commands.md': commandsPage,
  'commands-memory.md': memoryPage,
  'commands-people.md': peoplePage,
  'commands-loop.md': loopPage,
  'commands-runtime.md': runtimePage,
  'commands-authors.md': authorsPage,
  'vocabulary.md': vocabularyPage,
  'errors.md': errorsPage,
  'recipe-language.md': () => filledPage('scripts/recipe-language.md'),
  'engine-recipes.md': () => filledPage('scripts/engine-recipes.md'),
  'workflows.md': () => filledPage('scripts/workflows.md'),
  'preferences.md': () => filledPage('scripts/preferences.md'),
  'conformance.md': () => filledPage('scripts/conformance.md'),
  ...(await pagesOfWings()),
};

async function pagesOfWings(): Promise<Record<string, () => string>> {
  const shipped = { reader: DISK_READER, shipped: process.cwd(), project: null };
  return Object.assign({}, ...(await Promise.all(Object.values(WINGS).map(({ pages }) => pages?.(shipped, DRAWN)))));
}

const GENERATED = '<!-- Written by `npm run docs`; do not edit. -->';

/** Wings whose commands have their own page. */
const APART = ['memory', 'loop', 'runtime'];

function commandsOf(actor: Actor, wing?: string): string[] {
  const apartOf = ({ name }: DescribedCommand) => APART.find((one) => one === REGISTRY.wings[name]);
  const wanted = (spec: DescribedCommand) => apartOf(spec) === wing;
  return REGISTRY.commands.filter((spec) => spec.actor === actor && wanted(spec)).flatMap(commandLines);
}

function commandsPage(): string {
  return page([
    '# Commands',
    '',
    GENERATED,
    '',
    'The commands that agents use, from the registry that also parses them; `dev-cli help <command>` says the same. Those of',
    'memory and handoff stand in [commands-memory.md](commands-memory.md), those of the loop in [commands-loop.md](commands-loop.md),',
    'those of runs driven without a harness in [commands-runtime.md](commands-runtime.md),',
    'those for people in [commands-people.md](commands-people.md), those for authors of recipes and for harnesses in',
    '[commands-authors.md](commands-authors.md).',
    '',
    'A command prints one JSON document on standard output, also when it fails; those marked _text_ print text for people',
    'unless `--json` is given, and those marked _stream_ one document a line, the last with `"type":"end"`. `TEXT|@FILE|-` takes the text itself, a file, or standard input. A path below `.dev/` is',
    'found from any subdirectory of the project.',
    '',
    ...GLOBAL_OPTIONS.map(optionLine),
    '',
    ...table(['exit', 'meaning'], Object.entries(EXIT_MEANINGS)),
    '',
    '## For agents',
    '',
    ...commandsOf('agent'),
    `Reserved for later and used for nothing else: ${RESERVED_WORDS.map((word) => `\`${word}\``).join(' ')}.`,
  ]);
}

const SHARED = 'What all commands share, and those for agents: [commands.md](commands.md).';

function memoryPage(): string {
  return page(['# Commands of memory and handoff', '', GENERATED, '', SHARED, '', ...commandsOf('agent', 'memory')]);
}

function peoplePage(): string {
  return page(['# Commands for people', '', GENERATED, '', SHARED, '', ...commandsOf('person')]);
}

function loopPage(): string {
  return page([
    '# Commands of the loop',
    '',
    GENERATED,
    '',
    SHARED,
    '',
    ...commandsOf('person', 'loop'),
    ...commandsOf('agent', 'loop'),
  ]);
}

function runtimePage(): string {
  return page(['# Commands of the runtime', '', GENERATED, '', SHARED, '', ...commandsOf('person', 'runtime')]);
}

function authorsPage(): string {
  return page([
    '# Commands for authors and harnesses',
    '',
    GENERATED,
    '',
    SHARED,
    '',
    '## For authors of recipes',
    '',
    ...commandsOf('author'),
    '## For harnesses',
    '',
    ...commandsOf('harness'),
  ]);
}

/** Lays the options and answers of all commands side by side, so that a difference without a reason is seen. */
function vocabularyPage(): string {
  const commands = REGISTRY.commands.toSorted((a, b) => a.name.localeCompare(b.name));
  const options = commands.flatMap(({ name, options: own }) =>
    own.filter(({ hidden }) => !hidden).map((option) => ({ name, ...option })),
  );
  const users = new Map<string, string[]>();
  for (const { name, ...option } of options) {
    const meaning = `${renderFlag(option)} | ${option.description.replaceAll('|', '\\|')}`;
    users.set(meaning, [...(users.get(meaning) ?? []), name]);
  }
  const flags = [...users.keys()].map((meaning) => meaning.split(/[ `]+/)[1]);
  const isShared = (flag: string | undefined, names: readonly string[]) =>
    names.length > 1 || flags.filter((other) => other === flag).length > 1;
  const rows = [...users]
    .filter(([meaning, names]) => isShared(meaning.split(/[ `]+/)[1], names))
    .map(([meaning, names]) => `| ${meaning} | ${names.join(', ')} |`)
    .toSorted();
  const answers = commands.map(({ name, actor, output, options: own, exits }) => {
    const shown = own.filter(({ hidden }) => !hidden).map(({ flag }) => `--${flag}`);
    return `| \`${name}\` | ${actor} | ${output} | ${exits.join(', ')} | ${shown.join(' ')} | ${errorsOf(name).join(' ')} |`;
  });
  return page([
    '# One vocabulary',
    '',
    GENERATED,
    '',
    'All commands side by side, and the options that several have. Where an option has several rows, it means different things.',
    '',
    '## Options of several commands',
    '',
    '| option | meaning | commands |',
    '| --- | --- | --- |',
    ...rows,
    '',
    '## Commands',
    '',
    'Any command may also fail with one of these [errors](errors.md), whose exit codes are among its own; one that writes, with `LOCKED`:',
    `${joinList(COMMON_ERRORS)}.`,
    '',
    '| command | for | output | exits | options | errors |',
    '| --- | --- | --- | --- | --- | --- |',
    ...answers,
  ]);
}

/**
 * Returns the commands that may fail with an error.
 * @throws Error if no source raises it, or no command lists it: it is dead, or a specification lacks it
 */
function listFailing(code: ErrorCode, sources: readonly string[]): string {
  const raises = new RegExp(`(?:Error|fail|refuse)\\w*\\(\\s*(?:\\{\\s*code:\\s*)?'${code}'`);
  if (!sources.some((text) => raises.test(text))) throw new Error(`Nothing in src raises ${code}.`);
  if (COMMON_ERRORS.includes(code)) return 'any';
  if (code === 'LOCKED') return 'any that writes';
  const names = specs.filter(({ errors }) => errors.includes(code)).map(({ name }) => `\`${name}\``);
  if (names.length === 0) throw new Error(`No command lists ${code}.`);
  return names.join(', ');
}

function renderFlag(option: CommandOption): string {
  const value = option.form === 'flag' ? '' : ` ${option.placeholder ?? option.key}`;
  return `\`--${option.flag}${value}\``;
}

function commandLines(spec: DescribedCommand): string[] {
  const text = [
    spec.summary,
    spec.description,
    spec.output === 'document' ? undefined : `_${spec.output}._`,
    exitsOf(spec),
  ];
  const lines = [
    ...spec.positionals.map(
      (positional) => `- \`<${positional.key}>\` ${positional.description}${choicesOf(positional)}`,
    ),
    ...spec.options.filter(({ hidden }) => !hidden).map(optionLine),
    `- ${spec.examples.length === 1 ? 'Example' : 'Examples'}: ${spec.examples.map(exampleText).join(' ')}`,
  ];
  const shown = lines.filter((line) => !line.startsWith('- `<name>` The run'));
  return [`### ${usageOf(spec)}`, '', text.filter((part) => part !== undefined).join(' '), '', ...shown, ''];
}

function exampleText({ command, note }: DescribedCommand['examples'][number]): string {
  return `\`${command}\` – ${note}`;
}

function usageOf(spec: DescribedCommand): string {
  const positionals = spec.positionals.map(({ key, variadic, required }) => {
    const name = variadic ? `${key}…` : key;
    return required ? `<${name}>` : `[${name}]`;
  });
  return `\`${['dev-cli', spec.name, ...positionals].join(' ')}\``;
}

function optionLine(option: CommandOption): string {
  const required = option.required ? ' Required.' : '';
  return `- ${renderFlag(option)} ${option.description}${required}`;
}

function choicesOf(value: { choices?: readonly string[] }): string {
  return value.choices ? ` One of ${value.choices.map((choice) => `\`${choice}\``).join(', ')}.` : '';
}

function exitsOf({ name, exits }: DescribedCommand): string {
  const errors = errorsOf(name);
  const own = errors.length === 0 ? '' : ` Errors: ${joinList(errors)}.`;
  return `Exits: ${exits.filter((code) => code !== 130).join(', ')}.${own}`;
}

/** Returns the errors of a command besides those of any command, in the order of all. */
function errorsOf(name: string): ErrorCode[] {
  const { errors = [] } = specs.find((spec) => spec.name === name) ?? {};
  return (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => errors.includes(code));
}

function joinList(codes: readonly string[]): string {
  return codes.map((code) => `\`${code}\``).join(', ');
}

function errorsPage(): string {
  const codes = Object.entries(ERROR_CODES) as [ErrorCode, ExitCode][];
  const files = fastGlob.sync('src/**/*.{ts,tsx}', { ignore: ['src/generated/**', 'src/base/error-*.ts'] });
  const sources = files.map((path) => readFileSync(path, 'utf8'));
  const sections = Object.entries(EXIT_MEANINGS).flatMap(([exit, meaning]) => {
    const rows = codes.filter(([, code]) => code === Number(exit));
    if (rows.length === 0) return [];
    const lines = rows.map(
      ([code]) => `| \`${code}\` | ${ERROR_MEANINGS[code].replaceAll('|', '\\|')} | ${listFailing(code, sources)} |`,
    );
    return [`## Exit ${exit}: ${meaning}`, '', '| code | when | commands |', '| --- | --- | --- |', ...lines, ''];
  });
  return page([
    '# Errors',
    '',
    GENERATED,
    '',
    'A failure is one JSON document on standard output: `{"ok":false,"run"?,"error":{"code","message","details","fix"?,"instead"?},',
    '"pending"?}`. `code` keeps its meaning for ever. `details` lists every problem. `fix` is a command exactly when it begins',
    'with `dev-cli `, else one instruction; `instead` is another legitimate way on. Commands that print text say',
    '`CODE: message. fix` on one line of standard error.',
    '',
    ...sections,
  ]);
}

/** The parts of a JSON Schema that a table of fields shows. */
interface FieldSchema {
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  items?: FieldSchema;
  anyOf?: FieldSchema[];
  oneOf?: FieldSchema[];
  properties?: Record<string, FieldSchema>;
  patternProperties?: Record<string, FieldSchema>;
  required?: string[];
  description?: string;
}

/**
 * Fills a page, whose prose is a file in scripts/, with tables from the schemas and the registry. Must run in the
 * package's directory, as npm scripts do.
 */
function filledPage(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/^<!-- fields: (.+) -->$/gm, (_, name: string) => fieldTable(name))
    .replace(/^<!-- handlers -->$/m, handlerTable)
    .replace(/^<!-- requirements -->$/m, requirementTable)
    .replace(/^<!-- agents -->$/m, agentTable)
    .replace(/^<!-- preferences -->$/m, preferenceTable)
    .replace(/^<!-- settings -->$/m, settingTable);
}

function handlerTable(): string {
  const rows = HANDLERS.map((handler: HandlerSpec): [string, string] => {
    const who = handler.agent === undefined ? 'dev-cli' : `agent ${handler.agent}`;
    const off = handler.switch === undefined ? '' : ` Off with \`${handler.switch}: false\`.`;
    return [`\`${handler.key}\``, `${who}. ${handler.summary}${off}`];
  });
  return table(['handler', 'who acts, and what it does'], rows).join('\n');
}

/** Lists for each requirement the first few of the cases that prove it. */
function requirementTable(): string {
  const shipped = { reader: DISK_READER, package: process.cwd() };
  const cases = readSuite('own', shipped, 'dev-cli-agent');
  const rows = readSuiteRequirements(shipped).map(({ id, text, strict = false }): [string, string] => {
    const proving = cases.filter(({ requires }) => requires.includes(id)).map((one) => `\`${one.id}\``);
    const more = proving.length > SHOWN ? ` and ${proving.length - SHOWN} more` : '';
    const faults = MUTANTS.filter(({ requirement }) => requirement === id).length;
    const kinds = `${faults} ${faults === 1 ? 'fault' : 'faults'}`;
    const said = text.replaceAll(/"([^"]+)"/g, '`$1`');
    return [`\`${id}\`${strict ? '°' : ''} ${said}`, `${proving.slice(0, SHOWN).join(', ')}${more}; ${kinds}`];
  });
  return table(['requirement', 'cases that prove it; faults that they notice'], rows).join('\n');
}

const SHOWN = 3;

function agentTable(): string {
  const rows = readdirSync('agents')
    .filter((file) => file.endsWith('.md'))
    .sort()
    .map((file): [string, string] => {
      const use = /^description: (.+)$/m.exec(readFileSync(`agents/${file}`, 'utf8'))?.[1] ?? '';
      return [`\`${file.slice(0, -'.md'.length)}\``, use];
    });
  return table(['agent', 'for'], rows).join('\n');
}

function preferenceTable(): string {
  const rows = Object.entries(BUILTIN_PREFERENCES).map(([key, spec]): [string, string] => {
    const values = (spec.values ?? [true, false]).map((value) => `\`${String(value)}\``).join(', ');
    return [`\`${key}\``, `${values}. ${spec.description} Default: ${String(spec.default)}.`];
  });
  return table(['preference', 'value and meaning'], rows).join('\n');
}

function settingTable(): string {
  const { properties = {} } = JSON.parse(JSON.stringify(ProjectSettingsSchema)) as FieldSchema;
  const rows = Object.entries(properties).map(([key, { description = '' }]): [string, string] => [
    `\`${key}\``,
    description,
  ]);
  return table(['key', 'meaning'], rows).join('\n');
}

function fieldTable(name: string): string {
  const { properties = {}, required = [] } = objectNamed(name);
  const rows = Object.entries(properties)
    .filter(([key]) => fieldsShown(name, key))
    .map(([key, schema]): [string, string] => {
      const parts = [`${valueIn(schema)}.`, schema.description, required.includes(key) ? 'Required.' : undefined];
      return [
        `\`${key}\``,
        parts
          .filter((part) => part !== undefined)
          .join(' ')
          .replaceAll('|', '\\|'),
      ];
    });
  return table(['field', 'value and meaning'], rows).join('\n');
}

const COMMON_FIELDS = ['id', 'type', 'when', 'onError', 'stale'];
const ASKING_FIELDS = ['instruction', 'instructionFile', 'read', 'consult'];

/**
 * Returns whether a table shows a field. A block's table leaves out the fields that many blocks share, because the
 * tables `common` and `asking` show them.
 */
function fieldsShown(name: string, key: string): boolean {
  if (name === 'common') return COMMON_FIELDS.includes(key) && key !== 'type';
  if (name === 'asking') return ASKING_FIELDS.includes(key);
  if (name === 'engine') return ['block', 'config', 'handlers'].includes(key);
  if (name === 'meta') return ['phases', 'errorPolicy'].includes(key);
  if (['recipe', 'agent', 'choice', 'phase'].includes(name)) return true;
  if (name === 'policies' || name.startsWith('handler ')) return true;
  return ![...COMMON_FIELDS, ...ASKING_FIELDS].includes(key);
}

/**
 * Returns the schema for a table. The table is named `recipe`, `agent`, `choice`, `engine`, `policies`, `handler
 * ACTOR`, `meta` or `phase`, after a type of block, or `common` or `asking` for the fields that blocks share.
 */
function objectNamed(name: string): FieldSchema {
  const languages = JSON.parse(JSON.stringify(RecipeSchema)) as FieldSchema;
  const recipe = alternative(languages, 'sequential');
  const block = (type: string) => alternative(recipe.properties?.['blocks']?.items, type);
  if (name === 'recipe') return recipe;
  const engine = alternative(languages, 'engine');
  if (name === 'engine') return engine;
  const meta = alternative(languages, 'meta');
  if (name === 'meta') return meta;
  if (name === 'phase') return found(meta.properties?.['phases']?.items, name);
  if (name === 'policies') return found(engine.properties?.['config']?.properties?.['policies'], name);
  if (name.startsWith('handler ')) {
    const own = Object.values(engine.properties?.['handlers']?.patternProperties ?? {})[0];
    return alternative(own, name.slice('handler '.length), 'actor');
  }
  if (name === 'common' || name === 'asking') return block('llm');
  if (name === 'agent') return found(block('subagent').properties?.['agents']?.items, name);
  if (name === 'choice') {
    const forms = block('wait-for-user').properties?.['choices']?.items?.anyOf;
    return found(
      forms?.find(({ properties }) => properties !== undefined),
      name,
    );
  }
  return block(name);
}

function alternative(schema: FieldSchema | undefined, type: string, tag = 'type'): FieldSchema {
  return found(
    schema?.oneOf?.find(({ properties }) => properties?.[tag]?.const === type),
    type,
  );
}

function found(schema: FieldSchema | undefined, name: string): FieldSchema {
  if (schema === undefined) throw new Error(`a page of scripts/ asks for ${name}, which the schema does not have`);
  return schema;
}

/** Describes the values of a field in a few words. */
function valueIn(schema: FieldSchema): string {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined)
    return [...new Set(alternatives.map(valueIn))].join(' or ').replaceAll(' or List', ' or list');
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.type === 'array')
    return `List of ${schema.items?.properties || schema.items?.oneOf ? 'objects' : listed(schema.items)}`;
  if (schema.type === 'object')
    return schema.properties === undefined ? 'Map' : `\`{${Object.keys(schema.properties).join(', ')}}\``;
  return { string: 'Text', integer: 'Whole number', boolean: 'True or false' }[String(schema.type)] ?? 'Any value';
}

function listed(items: FieldSchema | undefined): string {
  return items?.type === 'string' && items.enum === undefined
    ? 'texts'
    : valueIn(items ?? {}).replace(/^Text\b/, 'text');
}

/** Renders a table as the project's formatter would, with all cells of a column padded to the same width. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rows.map(line)];
}

function page(lines: string[]): string {
  return `${lines.join('\n').trimEnd()}\n`;
}
