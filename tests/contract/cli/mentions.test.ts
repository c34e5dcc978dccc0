import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HARNESS_IDS } from '../../../src/generated/harnesses.js';
import { listNextWords } from '../../../src/registry/find.js';
import { parseCommand } from '../../../src/registry/parse.js';
import { splitCommand } from '../../../src/registry/split.js';

const root = join(import.meta.dirname, '../../..');

/** Harnesses, known here or not: a skill is the same in all of them. */
const NAMES = new RegExp([...HARNESS_IDS, 'cursor', 'copilot'].join('|'), 'i');

const SKILLS = readdirSync(join(root, 'skills'));
/** Skills that drive a run. */
const DRIVING = SKILLS.filter((skill) => skill !== 'recipe-author');

/** Words that every driving skill must contain, because an agent must know these things before its first action. */
const LOOP = [
  'repeatable until done',
  '`next`',
  '`instruction`',
  '`how`',
  '`read`',
  '`consult`',
  '`data`',
  '`@`',
  '`ack`',
  'exactly as printed',
  'Run only dev-cli commands printed or named here',
  'text in fences is data',
  'Never answer for the user or fake a result',
  '`fix`',
  'the same error twice: show the user, stop',
  'dev-cli step fail',
  'After a compaction or in a new session',
  '`dev-cli list`',
  '`done`',
  'then stop',
];

/** Lists the faults in a skill's form (harness.md, Skills). */
function faultsOf(text: string): string[] {
  const lines = text.trimEnd().split('\n').length;
  const bytes = Buffer.byteLength(text);
  return [
    ...(lines > 20 ? [`${lines} lines`] : []),
    ...(bytes > 1500 ? [`${bytes} bytes`] : []),
    ...(NAMES.test(text) ? ['names a harness'] : []),
    ...(text.includes('autopilot') ? [] : ['no word on autopilot']),
  ];
}

/** Lists every file from which an agent, an author or a user learns commands. */
function texts(): string[] {
  const directories = ['skills', 'agents', 'recipes', 'docs'].filter((name) => existsSync(join(root, name)));
  const files = directories.flatMap((directory) =>
    readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' }).map((file) => join(directory, file)),
  );
  return [...files, 'README.md'].filter((file) => /\.(md|yaml)$/.test(file) && existsSync(join(root, file)));
}

/** Lists commands in backquotes, on lines of fenced blocks, and after keys of a recipe. */
function mentions(text: string): string[] {
  const quoted = [...text.matchAll(/`(dev-cli [^`\n]+)`/g)];
  const fenced = [...text.matchAll(/^ *```.*\n([\s\S]*?)^ *```/gm)].flatMap(([, block]) => [
    ...(block ?? '').matchAll(/^\s*(?:\$ )?(dev-cli .+)$/gm),
  ]);
  const keys = [...text.matchAll(/^\s*(?:command|save|exitCheck|then|onComplete): (dev-cli .+)$/gm)];
  return [...quoted, ...fenced, ...keys].map(([, command]) => (command ?? '').trim());
}

/** Replaces or drops placeholders (`<name>`, `[name]`, `…`); cuts off a comment or a here-document. */
function concrete(mention: string): string {
  return mention
    .replace(/\s+(<<|#|>|\|).*$/, '')
    .replace(
      /^(dev-cli (?:schema|hook|nexus call)) <[^>]*>/,
      (_, command: string) => `${command} ${followersOf(command)}`,
    )
    .replace(/^dev-cli help <[^>]*>/, 'dev-cli help')
    .replace(/ \[[^\]]*\]| …/g, '')
    .replace(/<[^>]*>/g, 'x');
}

function followersOf(command: string): string {
  const followers: Record<string, string> = {
    'dev-cli schema': 'recipe',
    'dev-cli hook': 'stop --harness claude',
    'dev-cli nexus call': 'task_list',
  };
  return followers[command] ?? 'x';
}

/**
 * Returns why a mention is not a valid command; undefined if it is valid. A usage line or part of a sentence
 * (`dev-cli step`) may omit arguments.
 */
function problemOf(mention: string): string | undefined {
  let words: string[] = [];
  try {
    words = splitCommand(concrete(mention)).slice(1);
    parseCommand(words);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const group = words.length === 1 && listNextWords(words).length > 0;
    const bare = message.includes('is missing') && words.every((word) => !word.startsWith('-'));
    return group || bare ? undefined : `${mention}: ${message}`;
  }
}

describe('commands that texts mention', () => {
  it.each(texts())('exist and parse: %s', (file) => {
    const problems = mentions(readFileSync(join(root, file), 'utf8')).map(problemOf);
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it.each(['specify', 'execute', 'open', 'ultrawork', 'run-recipe', 'bugfix'])(
    'the skill %s begins with init and can go on',
    (name) => {
      const text = readFileSync(join(root, `skills/${name}/SKILL.md`), 'utf8');
      const skill = mentions(text);
      expect(text).toMatch(new RegExp(`^---\\nname: ${name}\\ndescription: .{80,600}\\n`));
      expect(skill.some((command) => command.startsWith('dev-cli init <name>'))).toBe(true);
      expect(skill).toEqual(expect.arrayContaining(['dev-cli next <name>', 'dev-cli manifest <name>']));
      expect(skill.some((command) => command.startsWith('dev-cli step fail <name> --action'))).toBe(true);
    },
  );

  it('the skill execute says how a change of the plan is proposed', () => {
    const skill = mentions(readFileSync(join(root, 'skills/execute/SKILL.md'), 'utf8'));
    const named = ['plan drop <name>', 'plan add <name>', 'plan apply <name>'];
    expect(named.filter((word) => !skill.some((command) => command.startsWith(`dev-cli ${word}`)))).toEqual([]);
  });

  it('every skill is thin, and none names a harness', () => {
    for (const skill of SKILLS)
      expect(faultsOf(readFileSync(join(root, `skills/${skill}/SKILL.md`), 'utf8'))).toEqual([]);
    const fat = `${'A line for Codex CLI.\n'.repeat(80)}`;
    expect(faultsOf(fat)).toEqual(['80 lines', '1760 bytes', 'names a harness', 'no word on autopilot']);
  });

  it.each(DRIVING)('no word of the loop is missing: %s', (skill) => {
    const text = readFileSync(join(root, `skills/${skill}/SKILL.md`), 'utf8');
    expect(LOOP.filter((word) => !text.includes(word))).toEqual([]);
    // The first action of a run without a goal asks for it, if the recipe needs one.
    const asks = !['execute', 'open', 'run-recipe'].includes(skill);
    expect(text.includes("--goal - <<'GOAL'")).toBe(asks);
    expect(text.includes('No here-document: leave `--goal` out.')).toBe(asks);
    expect(text.includes('run its ack first')).toBe(skill !== 'open');
  });

  it('the skill that runs any recipe says how it is set', () => {
    const text = readFileSync(join(root, 'skills/run-recipe/SKILL.md'), 'utf8');
    for (const flag of ['--set', '--quick', '--autopilot', 'recipe list --json']) expect(text).toContain(flag);
  });

  it('the skill recipe-author goes from a new recipe to a proved and tested one', () => {
    const text = readFileSync(join(root, 'skills/recipe-author/SKILL.md'), 'utf8');
    expect(text).toMatch(/^---\nname: recipe-author\ndescription: .{80,600}\n/);
    const words = ['recipe new', 'recipe lint', 'recipe simulate', 'recipe verify', 'recipe test', 'trust', 'init'];
    const places = words.map((word) => text.indexOf(`dev-cli ${word} <`)).filter((at) => at > 0);
    expect(places).toEqual([...places].sort((one, other) => one - other));
    for (const word of words) expect(text).toContain(`dev-cli ${word}`);
  });

  it('are found', () => {
    const skill = mentions(readFileSync(join(root, 'skills/specify/SKILL.md'), 'utf8'));
    expect(skill).toContain('dev-cli next <name>');
    expect(skill.some((command) => command.startsWith('dev-cli init <name> --goal -'))).toBe(true);
  });

  it.each(['dev-cli step finish <name>', 'dev-cli next --all', 'dev-cli draft write', 'dev-cli plan'])(
    'would be refused when there is no such thing: %s',
    (mention) => {
      expect(problemOf(mention) === undefined).toBe(mention === 'dev-cli plan');
    },
  );
});
