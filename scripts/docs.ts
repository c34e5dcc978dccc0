import { readFileSync } from 'node:fs';
import { ERROR_CODES, type ExitCode } from '../src/base/error-codes.js';
import { EXIT_MEANINGS } from '../src/cli/exit-codes.js';
import { RecipeSchema } from '../src/recipe/schema.js';
import { COMMANDS, GLOBAL_OPTIONS, RESERVED_WORDS } from '../src/registry/find.js';
import type { Actor, CommandSpec, OptionSpec } from '../src/registry/spec.js';

/** The pages of docs/ that are written from the sources; a test keeps them equal. */
export const pages: Readonly<Record<string, () => string>> = {
  'commands.md': commandsPage,
  'errors.md': errorsPage,
  'recipe-language.md': recipeLanguagePage,
};

const GENERATED = '<!-- Written by `npm run docs`; do not edit. -->';

const ACTORS: readonly [Actor, string][] = [
  ['agent', 'For agents'],
  ['person', 'For people'],
  ['author', 'For authors of recipes'],
  ['harness', 'For harnesses'],
];

function commandsPage(): string {
  const sections = ACTORS.flatMap(([actor, heading]) => {
    const specs = COMMANDS.filter((spec) => spec.actor === actor);
    return specs.length === 0 ? [] : [`## ${heading}`, '', ...specs.flatMap(commandLines)];
  });
  return page([
    '# Commands',
    '',
    GENERATED,
    '',
    'Every command, from the registry that also parses them. `dev-cli help <command>` says the same.',
    '',
    'A command prints one JSON document on standard output, also when it fails; those marked _text_ print text for people',
    'unless `--json` is given, and those marked _stream_ one document a line, the last with `"type":"end"`. `TEXT|@FILE|-` takes the text itself, a file, or standard input. A path below `.dev/` is',
    'found from any subdirectory of the project.',
    '',
    ...GLOBAL_OPTIONS.map(optionLine),
    '',
    ...table(['exit', 'meaning'], Object.entries(EXIT_MEANINGS)),
    '',
    ...sections,
    `Reserved for later and used for nothing else: ${RESERVED_WORDS.map((word) => `\`${word}\``).join(' ')}.`,
  ]);
}

function commandLines(spec: CommandSpec): string[] {
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

function exampleText({ command, note }: CommandSpec['examples'][number]): string {
  return `\`${command}\` – ${note}`;
}

function usageOf(spec: CommandSpec): string {
  const positionals = spec.positionals.map(({ key, variadic, required }) => {
    const name = variadic ? `${key}…` : key;
    return required ? `<${name}>` : `[${name}]`;
  });
  return `\`${['dev-cli', spec.name, ...positionals].join(' ')}\``;
}

function optionLine(option: OptionSpec): string {
  const value = option.form === 'flag' ? '' : ` ${option.placeholder ?? option.key}`;
  const required = option.required ? ' Required.' : '';
  return `- \`--${option.flag}${value}\` ${option.description}${required}`;
}

function choicesOf(value: { choices?: readonly string[] }): string {
  return value.choices ? ` One of ${value.choices.map((choice) => `\`${choice}\``).join(', ')}.` : '';
}

function exitsOf(spec: CommandSpec): string {
  return `Exits: ${spec.exits.filter((code) => code !== 130).join(', ')}.`;
}

function errorsPage(): string {
  const codes = Object.entries(ERROR_CODES);
  const sections = Object.entries(EXIT_MEANINGS).flatMap(([exit, meaning]) => {
    const rows = codes.filter(([, spec]) => spec.exit === (Number(exit) as ExitCode));
    if (rows.length === 0) return [];
    const cells = rows.map(([code, spec]): [string, string] => [`\`${code}\``, spec.when.replaceAll('|', '\\|')]);
    return [`## Exit ${exit}: ${meaning}`, '', ...table(['code', 'when'], cells), ''];
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
  required?: string[];
  description?: string;
}

/** Prose from scripts/recipe-language.md, tables of fields from the schema. Run in the package's directory, as npm does. */
function recipeLanguagePage(): string {
  const text = readFileSync('scripts/recipe-language.md', 'utf8');
  return text.replace(/^<!-- fields: (.+) -->$/gm, (_, name: string) => fieldTable(name));
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

/** A block's table leaves out what every block has; those fields have tables of their own. */
function fieldsShown(name: string, key: string): boolean {
  if (name === 'common') return COMMON_FIELDS.includes(key) && key !== 'type';
  if (name === 'asking') return ASKING_FIELDS.includes(key);
  if (name === 'recipe' || name === 'agent' || name === 'choice') return true;
  return ![...COMMON_FIELDS, ...ASKING_FIELDS].includes(key);
}

/** The schema behind a table: the recipe, an agent, a choice, a block by its type; `common` and `asking` are parts of one. */
function objectNamed(name: string): FieldSchema {
  const languages = JSON.parse(JSON.stringify(RecipeSchema)) as FieldSchema;
  const recipe = alternative(languages, 'sequential');
  const block = (type: string) => alternative(recipe.properties?.['blocks']?.items, type);
  if (name === 'recipe') return recipe;
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

function alternative(schema: FieldSchema | undefined, type: string): FieldSchema {
  return found(
    schema?.oneOf?.find(({ properties }) => properties?.['type']?.const === type),
    type,
  );
}

function found(schema: FieldSchema | undefined, name: string): FieldSchema {
  if (schema === undefined)
    throw new Error(`scripts/recipe-language.md asks for ${name}, which the schema does not have`);
  return schema;
}

/** What a field takes, in a few words. */
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

/** A table as the formatter of the project writes it: columns of one width. */
function table(head: [string, string], rows: [string, string][]): string[] {
  const widthOf = (column: 0 | 1) => Math.max(...[head, ...rows].map((row) => row[column].length));
  const [left, right] = [widthOf(0), widthOf(1)];
  const line = ([first, second]: [string, string]) => `| ${first.padEnd(left)} | ${second.padEnd(right)} |`;
  return [line(head), `| ${'-'.repeat(left)} | ${'-'.repeat(right)} |`, ...rows.map(line)];
}

function page(lines: string[]): string {
  return `${lines.join('\n').trimEnd()}\n`;
}
