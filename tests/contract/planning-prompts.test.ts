import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHECKOUT } from '../support/project.mjs';

// A planning run in a harness's default mode needs no permission from its user (harness.md, Install): it only calls
// dev-cli, reads, and writes below .dev/. So none of its texts may tell an agent to call anything else in a shell.

const read = (path: string) => readFileSync(join(CHECKOUT, path), 'utf8');

/** The content of the recipes that plan. */
const PLANNING = readdirSync(join(CHECKOUT, 'recipes'))
  .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
  .map((name) => read(`recipes/${name}`))
  .filter((text) => (parse(text) as { skill?: string }).skill === 'specify');

/**
 * Lists every text that a planning run hands out: its recipes, the prompts they name, and the definitions of the agents
 * they start.
 */
function listTexts(): Map<string, string> {
  const prompts = PLANNING.flatMap((text) =>
    [...text.matchAll(/\bprompts\/[\w-]+\.md/g)].map(([path]) => `recipes/${path}`),
  );
  const agents = PLANNING.flatMap((text) =>
    [...text.matchAll(/\btype: ([\w.-]+)/g)].map(([, type = '']) => `agents/${type}.md`),
  );
  const known = readdirSync(join(CHECKOUT, 'agents')).map((name) => `agents/${name}`);
  const paths = [...new Set([...prompts, ...agents.filter((path) => known.includes(path))])].sort();
  return new Map(paths.map((path) => [path, read(path)]));
}

/** Calls that these texts may name, and why harnesses do not ask about them. */
const ALLOWED = [
  /^dev-cli /, // allowed by `dev-cli install`
  /^git log\b/, // reads only, so harnesses do not ask
  /^(?:codex exec|gemini -p) /, // only where the user's preference `second_vendor` orders it
];

/** Matches text in backticks that is no call although it contains a space, such as a heading. */
const NO_CALL = /^(?:## |[\w.-]+:|path:line|\w+ of \w+)|[<>{}"$=/]/;

/** Lists orders to run something, and code that looks like a call. */
function listCalls(text: string): string[] {
  const code = [...text.matchAll(/`([a-z][\w.-]* [^`\n]+)`/g)].map(([, call = '']) => call);
  const calls = code.filter((call) => !ALLOWED.some((form) => form.test(call)) && !NO_CALL.test(call));
  const orders = [
    ...text.matchAll(
      /(?:^|[.:;] |\b(?:then|you may|must) )(?:run|execute)\b(?! (?:none|nothing|no|side|`dev-cli)\b)[^.\n]*/gim,
    ),
  ].map(([order]) => order.trim());
  return [...calls, ...orders];
}

describe('what a planning run hands out', () => {
  const texts = listTexts();

  it('is found', () => {
    expect(PLANNING.length).toBeGreaterThan(3);
    expect([...texts.keys()]).toEqual(
      expect.arrayContaining(['recipes/prompts/explore-one.md', 'agents/code-explorer.md']),
    );
  });

  it.each([...texts])('%s orders no call of the shell but those of dev-cli', (_path, text) => {
    expect(listCalls(text)).toEqual([]);
  });

  it.each([
    ['Then run the tests of the project.', 1],
    ['You look first. Run a test command if it is quick.', 1],
    ['You may run what only reads.', 1],
    ['Count the callers with `rg -c name src`.', 1],
    ['Look at `npm test` and what it prints.', 1],
    ['Run nothing of it; `dev-cli check FILE` judges the report.', 0],
    ['todos meant to run side by side share no file', 0],
    ['An entry such as `todo-1: npm test` is a proof.', 0],
  ])('would be found: %s', (text, count) => {
    expect(listCalls(text)).toHaveLength(count);
  });
});
