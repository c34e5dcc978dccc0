import { describe, expect, it } from 'vitest';
import { loadDemo } from './library-fixture.js';

/**
 * Planted faults. `«` marks the position at which the one problem is expected, so that line and column are exact. The
 * marker is removed before the recipe is loaded.
 */
interface Planted {
  rule: string;
  blocks?: string;
  recipe?: string;
  says: string;
  severity?: 'warning';
  files?: Record<string, string>;
}

const HEAD = 'name: demo\ntype: sequential\n';
const WRITER = `  - id: write
    type: llm+cli
    instruction: Write it.
    write: a.json
`;
const LOOP = `  - id: loop
    type: llm-loop
    instruction: Ask.
    exitWhen: round > 1
`;
const READ_ONLY = { '.claude/agents/reader.md': '---\nname: reader\ntools: Read, Grep\n---\n\nYou read.\n' };

const VALUES = `  - { id: choose, type: llm, instruction: x, choices: [minor, major], schema: v.json }
  - { id: test, type: cli, command: npm test }
`;
const VERSION = {
  '.dev/recipes/v.json': JSON.stringify({
    type: 'object',
    properties: {
      version: { type: 'string' },
      kind: { enum: ['a', 'b'] },
      parts: { type: 'array', items: { type: 'string' } },
    },
  }),
};

const SCOUT = { '.dev/agents/scout.md': 'You scout.\n' };

const PLANTED: Planted[] = [
  // Schema
  {
    rule: 'unknown field',
    recipe: `${HEAD}«blok: []\nblocks:\n${WRITER}`,
    says: 'Unknown key `blok`; did you mean `block',
  },
  {
    rule: 'unknown key of a block',
    blocks: `${WRITER}    «exitcheck: dev-cli draft validate\n`,
    says: 'Unknown key `exitcheck`',
  },
  {
    rule: 'unknown key of a choice',
    blocks: '  - { id: a, type: llm, instruction: x, choices: [{ id: b, «got: next }] }\n',
    says: 'did you mean `goto`',
  },
  { rule: 'a field of another block type', blocks: `${WRITER}    «agents: []\n`, says: 'Unknown key `agents`' },
  { rule: 'missing name', recipe: `«type: sequential\nblocks:\n${WRITER}`, says: '`name` is missing' },
  {
    rule: 'a field that is missing because it is misspelt, told once',
    blocks: '  - { id: a, type: cli, «comand: x }\n',
    says: 'Unknown key `comand`; did you mean `command`?',
  },
  {
    rule: 'an instruction that is misspelt, told once',
    blocks: '  - { id: a, type: llm, «instrution: x }\n',
    says: 'Unknown key `instrution`; did you mean `instruction`?',
  },
  {
    rule: 'a text in braces without quotes',
    blocks: '  - { id: a, type: llm, instruction: «{goal} }\n',
    says: 'Put a text with braces in quotes.',
  },
  { rule: 'missing id', blocks: '  - «type: llm\n    instruction: x\n', says: '`id` is missing' },
  { rule: 'missing type', blocks: '  - «id: a\n    instruction: x\n', says: '`type` is missing' },
  { rule: 'unknown block type', blocks: '  - id: a\n    type: «lmm\n', says: 'Did you mean `llm`?' },
  { rule: 'bad id', blocks: '  - id: «1a\n    type: llm\n    instruction: x\n', says: '`id` cannot be `1a`' },
  { rule: 'wrong type', blocks: `${WRITER}    read: «DRAFT.md\n`, says: '`read` must be a list, not text' },
  { rule: 'wrong item', blocks: `${WRITER}    read: [«3]\n`, says: 'Item 1 of `read` must be text, not a number' },
  {
    rule: 'a word that is no text, told once',
    blocks: '  - { id: a, type: wait-for-user, human: «true }\n',
    says: '`human` must be `required`, not true or false',
  },
  { rule: 'wrong word', blocks: `${WRITER}    stale: «blok\n`, says: 'Did you mean `block`?' },
  { rule: 'wrong onError', blocks: `${WRITER}    onError: «contnue\n`, says: 'Did you mean `continue`?' },
  { rule: 'no bound', blocks: `${LOOP}    maxRounds: «0\n`, says: 'must be at least 1' },
  { rule: 'unbounded', blocks: `${LOOP}    maxRounds: «.inf\n`, says: 'finite' },
  { rule: 'blank text', blocks: '  - { id: a, type: llm, instruction: «" " }\n', says: '`instruction` is empty' },
  { rule: 'no blocks', recipe: `${HEAD}blocks: «[]\n`, says: 'empty list' },
  { rule: 'unknown section', blocks: `${LOOP}    sections: [«purpos]\n`, says: 'Did you mean `purpose`?' },
  { rule: 'newer language', recipe: `${HEAD}language: «2\nblocks:\n${WRITER}`, says: '`language` must be `1`' },
  {
    rule: 'unknown schema',
    blocks: '  - { id: a, type: llm, instruction: x, schema: «sise }\n',
    says: 'There is no shipped schema `sise`. Did you mean `size`?',
  },
  {
    rule: 'schema that is none',
    blocks: '  - { id: a, type: llm, instruction: x, schema: «a.json }\n',
    says: '`a.json` is not a JSON Schema',
    files: { '.dev/recipes/a.json': '{ "type": 5 }' },
  },
  {
    rule: 'schema that is none, each place once',
    blocks: '  - { id: a, type: llm, instruction: x, schema: «a.json }\n',
    says: ': /properties/b/type must be equal to one of the allowed values: array, boolean, integer, null, number, object, string; /required must be array.',
    files: { '.dev/recipes/a.json': '{ "properties": { "b": { "type": "txt" } }, "required": "b" }' },
  },
  {
    rule: 'schema of sections',
    blocks: '  - { id: a, type: llm, instruction: x, sections: [intent], schema: «size }\n',
    says: '`schema` applies to JSON',
  },
  {
    rule: 'schema of Markdown',
    blocks: '  - { id: a, type: llm+cli, instruction: x, write: a.md, schema: «size }\n',
    says: '`schema` applies to JSON; `a.md` is Markdown',
  },
  {
    rule: 'headings of JSON',
    blocks: '  - { id: a, type: llm+cli, instruction: x, write: a.json, «headings: [Steps] }\n',
    says: '`headings` apply to Markdown; `a.json` is JSON',
  },
  {
    rule: 'a heading with its marks',
    blocks: "  - { id: a, type: llm+cli, instruction: x, write: a.md, headings: [Why, «'## Steps'] }\n",
    says: 'is not a valid heading',
  },
  {
    rule: 'a heading with a placeholder',
    blocks: "  - { id: a, type: llm+cli, instruction: x, write: a.md, headings: [«'Steps of {name}'] }\n",
    says: 'is not a valid heading',
  },
  {
    rule: 'a heading twice',
    blocks: '  - { id: a, type: llm+cli, instruction: x, write: a.md, headings: [Steps, «steps] }\n',
    says: 'The heading `steps` is listed twice',
  },
  {
    rule: 'a value of Markdown',
    blocks: `  - { id: a, type: llm+cli, instruction: x, write: a.md }\n  - { id: b, type: llm, instruction: x, when: «'blocks["a"].data.x == 1' }\n`,
    says: 'has no JSON data',
  },
  // YAML
  { rule: 'duplicate key', blocks: `${WRITER}    «write: b.json\n`, says: 'The key `write` occurs twice' },
  {
    rule: 'a text with a colon',
    blocks: '  - id: a\n    type: llm\n    instruction: «Do this: write {goal}\n',
    says: 'Put a text with a colon in quotes',
  },
  {
    rule: 'a text that begins with a sign of YAML',
    blocks: '  - id: a\n    type: llm\n    instruction: «`npm test` has to pass\n',
    says: 'Put the text in quotes',
  },
  {
    rule: 'a condition that is a tag to YAML',
    blocks: '  - id: a\n    type: llm\n    instruction: x\n    when: «!draft.intent.filled\n',
    says: 'put a text that begins with `!` in quotes',
  },
  {
    rule: 'too many brackets',
    recipe: `«${HEAD}blocks: ${'['.repeat(5000)}`,
    says: 'nested too deeply',
  },
  { rule: 'tab', recipe: `${HEAD}blocks:\n«\t- id: a\n`, says: 'YAML cannot be indented with tabs' },
  {
    rule: 'cleanup of the root',
    recipe: `${HEAD}cleanup: [«/src/*]\nblocks:\n  - { id: a, type: llm, instruction: x }\n`,
    says: 'files of the run only',
  },
  {
    rule: 'cleanup with a placeholder',
    recipe: `${HEAD}cleanup: [«"{name}.tmp"]\nblocks:\n  - { id: a, type: llm, instruction: x }\n`,
    says: 'files of the run only',
  },
  { rule: 'no mapping', recipe: '«- a\n- b\n', says: 'A mapping of fields is expected' },
  {
    rule: 'braces that YAML takes for a mapping, told once',
    recipe: `${HEAD}blocks:\n  - { id: a, type: cli, command: dev-cli check «{name} }\n  - { id: b, type: cli, command: x }\n`,
    says: 'Put a text with braces in quotes',
  },
  {
    rule: 'a control character',
    blocks: '  - { id: a, type: llm, instruction: "a«\u001bb" }\n',
    says: 'A control character is not allowed in YAML',
  },
  {
    rule: 'a document that is read outside the run, told once',
    blocks: '  - { id: a, type: llm, instruction: x, read: [«../x.md] }\n',
    says: 'is not a path below',
  },
  { rule: 'two documents', recipe: `${HEAD}blocks:\n${WRITER}«---\nname: other\n`, says: 'more than one document' },
  // Declarations
  {
    rule: 'an artifact of the root',
    recipe: `${HEAD}artifacts: [a.json, «/README.md]\nblocks:\n${WRITER}`,
    says: '`/README.md` must be a document of the run',
  },
  {
    rule: 'an inherited document by pattern',
    recipe: `${HEAD}inherits: [«"notes/*.md"]\nblocks:\n${WRITER}`,
    says: 'must be a document of the run',
  },
  {
    rule: 'a placeholder at the end',
    recipe: `${HEAD}closing: "Tell «{goal}."\nblocks:\n${WRITER}`,
    says: '{goal} is not filled',
    severity: 'warning',
  },
  {
    rule: 'an execution without todos',
    recipe: `${HEAD}begins: «execution\nblocks:\n${WRITER}`,
    says: 'on a recipe of type sequential, which carries out no plan',
  },
  {
    rule: 'an execution that plans',
    recipe: 'name: demo\ntype: engine\nbegins: «planning\n',
    says: 'on a recipe of type engine, which carries out a plan',
  },
  {
    rule: 'sources kept and written',
    recipe: `${HEAD}guard: { writes: [docs/**], sources: «kept }\nblocks:\n${WRITER}`,
    says: '`sources: kept` contradicts `guard.writes`',
  },
  {
    rule: 'an execution that keeps sources',
    recipe: 'name: demo\ntype: engine\nguard: { sources: «kept }\n',
    says: 'An execution changes sources',
  },
  { rule: 'a goal that is one', recipe: `${HEAD}goal: «Ship it\nblocks:\n${WRITER}`, says: '`goal` must be' },
  // Header
  { rule: 'another name', recipe: `name: «other\ntype: sequential\nblocks:\n${WRITER}`, says: 'its file `demo.yaml`' },
  {
    rule: 'mode against init',
    recipe: `${HEAD}mode: { depth: «quick }\nblocks:\n  - { id: init, type: cli, command: [dev-cli, init, '{name}', --standard] }\n`,
    says: '--standard',
  },
  {
    rule: 'default of another type',
    recipe: `${HEAD}preferences: { x: { type: int, default: «soon, description: d } }\nblocks:\n${WRITER}`,
    says: 'a whole number',
  },
  {
    rule: 'preference named as a setting of the project',
    recipe: `${HEAD}preferences: { «notify: { type: bool, description: d } }\nblocks:\n${WRITER}`,
    says: 'is a reserved key of .dev/preferences.yaml',
  },
  {
    rule: 'built-in preference redefined',
    recipe: `${HEAD}preferences: { external_research: { type: «string, description: d } }\nblocks:\n${WRITER}`,
    says: 'is built in, as bool',
  },
  {
    rule: 'var like a built-in',
    recipe: `${HEAD}vars: { «round: 1 }\nblocks:\n${WRITER}`,
    says: 'means the built-in',
    severity: 'warning',
  },
  // Ids, order, loops, choices
  { rule: 'duplicate id', blocks: `${WRITER}${WRITER.replace('id: write', 'id: «write')}`, says: 'used twice' },
  {
    rule: 'id of Object.prototype',
    blocks: '  - id: «constructor\n    type: llm\n    instruction: x\n',
    says: 'cannot be called',
  },
  {
    rule: 'id with a meaning in goto',
    blocks: '  - id: «halt\n    type: llm\n    instruction: x\n',
    says: 'has its own meaning in `goto`',
  },
  {
    rule: 'late init',
    blocks: `${WRITER}  - id: init\n    type: cli\n    command: «dev-cli init {name}\n`,
    says: 'must come first',
  },
  {
    rule: 'conditional init',
    blocks: `  - id: init\n    type: cli\n    when: «round > 1\n    command: dev-cli init {name}\n`,
    says: 'can have no condition',
  },
  {
    rule: 'init of another recipe',
    blocks: `  - id: init\n    type: cli\n    command: dev-cli init {name} --recipe «other\n`,
    says: 'names the recipe `other`',
    severity: 'warning',
  },
  { rule: 'init inside a block', blocks: `${LOOP}    save: «dev-cli init {name}\n`, says: 'has a block of its own' },
  {
    rule: 'loop without end',
    blocks: '  - «id: loop\n    type: llm-loop\n    instruction: Ask.\n',
    says: 'never ends',
  },
  { rule: 'revise itself', blocks: `${LOOP}    revise: «loop\n`, says: 'its own block' },
  { rule: 'revise later', blocks: `${LOOP}    revise: «write\n${WRITER}`, says: 'a later block' },
  { rule: 'revise unknown', blocks: `${WRITER}${LOOP}    revise: «writ\n`, says: 'Did you mean `write`?' },
  {
    rule: 'revise of a command, unknown',
    blocks: `${WRITER}  - { id: test, type: cli, command: npm test, revise: «writ }\n`,
    says: 'Did you mean `write`?',
  },
  {
    rule: 'revise of a command to a later block',
    blocks: `  - { id: test, type: cli, command: npm test, revise: «write }\n${WRITER}`,
    says: 'a later block',
  },
  {
    rule: 'bound of a command without revise',
    blocks: '  - { id: test, type: cli, command: npm test, «maxRounds: 2 }\n',
    says: '`maxRounds` of a command limits its `revise`, which is missing.',
  },
  {
    rule: 'revise of a command to a command',
    blocks:
      '  - { id: build, type: cli, command: npm run build }\n  - { id: test, type: cli, command: npm test, revise: «build }\n',
    says: 'nobody is told why the command failed',
    severity: 'warning',
  },
  {
    rule: 'revise of a command that runs once',
    blocks: `${WRITER}  - { id: test, type: cli, command: npm test, revise: write, maxRounds: «1 }\n`,
    says: '`revise` has no effect',
    severity: 'warning',
  },
  {
    rule: 'revise of a loop of one round',
    blocks: `${WRITER}${LOOP}    revise: write\n    maxRounds: «1\n`,
    says: '`revise` has no effect',
    severity: 'warning',
  },
  {
    rule: 'revise init',
    blocks: `  - id: init\n    type: cli\n    command: dev-cli init {name}\n${LOOP}    revise: «init\n`,
    says: 'which never runs again',
  },
  {
    rule: 'goto itself',
    blocks: '  - { id: a, type: wait-for-user, message: m, choices: [yes, { id: no, goto: «a }] }\n',
    says: 'its own block',
  },
  {
    rule: 'goto later',
    blocks: `  - { id: a, type: wait-for-user, message: m, choices: [yes, { id: no, goto: «write }] }\n${WRITER}`,
    says: 'a later block',
  },
  {
    rule: 'goto unknown',
    blocks: '  - { id: a, type: wait-for-user, message: m, choices: [yes, { id: no, goto: «nxt }] }\n',
    says: 'Did you mean `next`?',
  },
  {
    rule: 'choice twice',
    blocks: '  - { id: a, type: wait-for-user, message: m, choices: [yes, «yes] }\n',
    says: 'offered twice',
  },
  {
    rule: 'title too long',
    blocks: `  - { id: a, type: llm, instruction: x, title: «${'word '.repeat(13)}}\n`,
    says: 'The title has 64 characters',
  },
  {
    rule: 'title of two lines',
    blocks: '  - { id: a, type: llm, instruction: x, title: «"One\\nTwo" }\n',
    says: 'A title is one line',
  },
  {
    rule: 'title with what nobody sees',
    blocks: '  - { id: a, type: cli, command: dev-cli cleanup {name}, title: «"One\\u202e" }\n'.replace(
      'dev-cli cleanup {name}',
      '"dev-cli cleanup {name}"',
    ),
    says: 'invisible characters in the title',
  },
  {
    rule: 'no way on',
    blocks: '  - { id: a, type: wait-for-user, message: m, «choices: [{ id: stop, goto: halt }] }\n',
    says: 'continues to the next block',
  },
  {
    rule: 'no way on where nothing is left at the bound',
    blocks:
      '  - { id: a, type: llm, instruction: x }\n  - { id: b, type: wait-for-user, message: m, when: round > 1, «choices: [{ id: again, goto: a }] }\n',
    says: 'continues to the next block',
  },
  {
    rule: 'one round only',
    blocks: '  - { id: a, type: subagent, maxRounds: «3, agents: [{ type: code-explorer }] }\n',
    says: 'always one round',
    severity: 'warning',
  },
  {
    rule: 'a gate in autopilot',
    recipe: `${HEAD}mode: { interaction: autopilot }\nblocks:\n  - «{ id: a, type: wait-for-user, message: m }\n`,
    says: 'the run will wait there',
    severity: 'warning',
  },
  {
    rule: 'no instruction',
    blocks: '  - «id: a\n    type: llm\n',
    says: '`instruction` or `instructionFile` is missing',
  },
  {
    rule: 'no file to write',
    blocks: '  - «id: a\n    type: llm+cli\n    instruction: x\n    command: dev-cli plan validate {name}\n',
    says: '`write` is missing',
  },
  {
    rule: 'then and command',
    blocks: `${WRITER}    command: dev-cli plan validate {name}\n    «then: dev-cli plan validate {name}\n`,
    says: 'means the same',
  },
  // Agents
  {
    rule: 'unknown agent',
    blocks: '  - { id: a, type: subagent, agents: [{ type: «gap-analyser }] }\n',
    says: 'Did you mean `gap-analyzer`?',
  },
  {
    rule: 'agent that cannot write',
    blocks: '  - { id: a, type: subagent, agents: [{ type: «reader, output: findings/a.md }] }\n',
    says: 'no tool to write',
    files: READ_ONLY,
  },
  {
    rule: 'agent whose front matter is no YAML',
    blocks: '  - { id: a, type: subagent, agents: [{ type: «scout, output: findings/a.md }] }\n',
    says: 'its front matter is not valid YAML and is read as text',
    severity: 'warning',
    files: { '.dev/agents/scout.md': '---\nname: scout\ntools: [Read\n---\n\nYou scout.\n' },
  },
  {
    rule: 'agent of whom nothing is said',
    blocks: '  - { id: a, type: subagent, agents: [{ type: «scout, output: findings/a.md }] }\n',
    says: 'it is empty',
    severity: 'warning',
    files: { '.dev/agents/scout.md': '---\nname: scout\n---\n' },
  },
  {
    rule: 'agent id twice',
    blocks:
      '  - { id: a, type: subagent, agents: [{ type: code-explorer, id: x }, { type: code-explorer, id: «x }] }\n',
    says: 'used twice',
  },
  {
    rule: 'one output for two',
    blocks:
      '  - { id: a, type: subagent, agents: [{ type: code-explorer, output: o.md }, { type: ux-reviewer, output: «o.md }] }\n',
    says: 'Two agents',
  },
  {
    rule: 'prompt and promptFile',
    blocks: '  - { id: a, type: subagent, agents: [{ type: code-explorer, prompt: p, «promptFile: p.md }] }\n',
    says: 'not both',
    files: { '.dev/recipes/p.md': 'Look.' },
  },
  {
    rule: 'no prompt file',
    blocks: '  - { id: a, type: subagent, agents: [{ type: code-explorer, promptFile: «p.md }] }\n',
    says: 'no file `p.md`',
  },
  {
    rule: 'empty prompt file',
    blocks: '  - { id: a, type: llm, instructionFile: «p.md }\n',
    says: 'is empty',
    files: { '.dev/recipes/p.md': ' \n' },
  },
  {
    rule: 'prompt file outside',
    blocks: '  - { id: a, type: llm, instructionFile: «../../../etc/passwd }\n',
    says: 'no file',
  },
  // Commands
  {
    rule: 'unknown command',
    blocks: '  - id: a\n    type: cli\n    command: «dev-cli draft updat {name}\n',
    says: 'draft update',
  },
  {
    rule: 'unknown option',
    blocks: '  - id: a\n    type: cli\n    command: «dev-cli draft import {name} --sectoin x\n',
    says: '--sectoin',
  },
  {
    rule: 'command that is not for recipes',
    blocks: '  - id: a\n    type: cli\n    command: «dev-cli abort {name} --reason x\n',
    says: 'cannot be used in a recipe',
  },
  {
    rule: 'help',
    blocks: '  - id: a\n    type: cli\n    command: «dev-cli cleanup --help\n',
    says: 'cannot be used in a recipe',
  },
  {
    rule: 'another run',
    blocks: '  - id: a\n    type: cli\n    command: dev-cli cleanup «other\n',
    says: 'write {name}',
  },
  {
    rule: 'a placeholder in place of the run, told once',
    blocks: '  - id: a\n    type: cli\n    command: dev-cli cleanup «{nme}\n',
    says: 'write {name}',
  },
  {
    rule: 'a root of its own',
    blocks: '  - id: a\n    type: cli\n    command: «dev-cli cleanup --root /x\n',
    says: 'are not allowed in a recipe',
  },
  {
    rule: 'standard input',
    blocks: '  - id: a\n    type: cli\n    command: «dev-cli plan generate {name} --data -\n',
    says: 'names a file',
  },
  { rule: 'shell syntax', blocks: '  - id: a\n    type: cli\n    command: echo a «| tee b\n', says: 'shell syntax' },
  { rule: 'open quote', blocks: "  - id: a\n    type: cli\n    command: echo «'a\n", says: 'never closed' },
  { rule: 'external save', blocks: `${LOOP}    save: «tee file\n`, says: 'must be a `dev-cli …` command' },
  {
    rule: 'external exit check of agents',
    blocks:
      '  - { id: a, type: subagent-loop, agents: [{ type: code-explorer, output: a.md }], exitCheck: «npm test }\n',
    says: 'must be a `dev-cli …` command',
  },
  {
    rule: 'timeout of an own exit check',
    blocks: `${LOOP}    exitCheck: dev-cli check a.json\n    «timeout: 5\n`,
    says: '`timeout` is for an external exit check',
  },
  { rule: 'timeout of no exit check', blocks: `${LOOP}    «timeout: 5\n`, says: 'is for an external exit check' },
  {
    rule: 'placeholder in an exit check',
    blocks: `${LOOP}    exitCheck: make «{thta}\n`,
    says: 'Unknown placeholder {thta}',
  },
  {
    rule: 'timeout of our own',
    blocks: '  - id: a\n    type: cli\n    command: dev-cli cleanup {name}\n    «timeout: 5\n',
    says: 'for external commands',
  },
  {
    rule: 'our own in a shell',
    blocks: '  - id: a\n    type: cli\n    command: «dev-cli cleanup {name}\n    shell: true\n',
    says: 'never by a shell',
  },
  {
    rule: 'placeholder in a shell',
    blocks: '  - id: a\n    type: cli\n    shell: true\n    command: echo {name} > «{goal}\n',
    says: 'no placeholder but {name}',
  },
  {
    rule: 'list for a shell',
    blocks: '  - id: a\n    type: cli\n    shell: true\n    command: «[echo, a]\n',
    says: 'one line of text',
  },
  // Placeholders and paths
  {
    rule: 'unknown placeholder',
    blocks: '  - id: a\n    type: llm\n    instruction: Look at «{gaol} now.\n',
    says: 'did you mean {goal}?',
  },
  {
    rule: 'unknown placeholder of few letters',
    blocks: '  - id: a\n    type: llm\n    instruction: Look at «{foo} now.\n',
    says: 'Unknown placeholder {foo} Write',
  },
  {
    rule: 'placeholder in doubled braces',
    blocks: '  - id: a\n    type: llm\n    instruction: Look at «{{ goal }} now, not at {{this}}.\n',
    says: 'Write {goal} for its value.',
    severity: 'warning',
  },
  {
    rule: 'unknown section in a placeholder',
    blocks: '  - id: a\n    type: llm\n    instruction: Look at «{draft.goal}.\n',
    says: 'no section `goal`',
  },
  {
    rule: 'unknown preference in a placeholder',
    blocks: '  - id: a\n    type: llm\n    instruction: Look at «{preferences.x}.\n',
    says: 'Unknown placeholder',
  },
  {
    rule: 'placeholder of no use',
    blocks: '  - id: a\n    type: subagent\n    agents: [{ type: code-explorer, output: "findings/«{rond}.md" }]\n',
    says: 'did you mean {round}?',
  },
  {
    rule: 'path out of the run',
    blocks: '  - { id: a, type: subagent, agents: [{ type: code-explorer, output: «../x.md }] }\n',
    says: 'is not a path below',
  },
  {
    rule: 'path of ours',
    blocks: '  - { id: a, type: llm+cli, instruction: x, write: «state.json }\n',
    says: 'belongs to dev-cli',
  },
  {
    rule: 'path of a harness',
    blocks: '  - { id: a, type: llm+cli, instruction: x, write: «/.claude/settings.json }\n',
    says: 'belongs to Claude Code',
  },
  // Size
  {
    rule: 'size that nothing has',
    blocks: `${WRITER}    when: «size == "tiny"\n`,
    says: 'size is one of small, middle, large',
  },
  {
    rule: 'condition of a choice',
    blocks: '  - { id: a, type: llm, instruction: x, choices: [b, { id: c, when: «round > "1" }] }\n',
    says: 'int > string',
  },
  {
    rule: 'growing that leads nowhere',
    blocks: '  - { id: a, type: llm, instruction: x, choices: [b, { id: c, grows: «true }] }\n',
    says: 'does not lead to an earlier block',
  },
  {
    rule: 'nothing leads on whatever the conditions say',
    blocks: '  - { id: a, type: llm, instruction: x, «choices: [{ id: b, when: round > 1 }, { id: c, goto: halt }] }\n',
    says: 'continues to the next block if every condition is false',
  },
  {
    rule: 'a recipe that says the size',
    blocks: `  - { id: init, type: cli, command: 'dev-cli init {name} «--size small' }\n${WRITER}`,
    says: 'A recipe cannot set the size',
  },
  {
    rule: 'a var named size',
    recipe: `${HEAD}vars: { «size: L }\nblocks:\n${WRITER}`,
    says: '{size} means this var, not the built-in',
    severity: 'warning',
  },
  // Draft
  {
    rule: 'section without a writer',
    recipe: `${HEAD}draft: { required: [intent, «criteria] }\nblocks:\n  - { id: a, type: llm, instruction: x, save: dev-cli draft update --section intent }\n  - { id: b, type: cli, command: dev-cli draft validate }\n`,
    says: 'no block writes it',
  },
  {
    rule: 'writer too late',
    recipe: `${HEAD}draft: { required: [«intent] }\nblocks:\n  - { id: b, type: cli, command: dev-cli draft validate }\n  - { id: a, type: llm, instruction: x, save: dev-cli draft update --section intent }\n`,
    says: 'before the check',
  },
  {
    rule: 'unknown section of save',
    blocks: '  - { id: a, type: llm, instruction: x, save: dev-cli draft update --section «critera }\n',
    says: 'did you mean "criteria"',
  },
  // Files
  {
    rule: 'read before written',
    blocks: `  - { id: a, type: llm, instruction: x, read: [«a.json] }\n${WRITER}`,
    says: '`write` writes it later',
  },
  {
    rule: 'never written',
    blocks: '  - { id: a, type: llm, instruction: x, consult: [«b.md] }\n',
    says: 'No earlier block writes `b.md`',
  },
  {
    rule: 'misspelt document',
    blocks: `${WRITER.replace('a.json', 'notes.json')}  - { id: a, type: llm, instruction: x, read: [«notes.jsn] }\n`,
    says: 'Did you mean `notes.json`?',
  },
  {
    rule: 'read by an agent of the same block',
    blocks:
      '  - { id: a, type: subagent, agents: [{ type: code-explorer, output: a.md }, { type: ux-reviewer, readsFrom: [«a.md] }] }\n',
    says: 'this block itself writes it',
  },
  {
    rule: 'artifact nobody writes',
    blocks: '  - { id: a, type: wait-for-user, message: m, artifact: «report.md }\n',
    says: 'No earlier block',
  },
  {
    rule: 'data nobody writes',
    recipe: `${HEAD}skill: specify\nblocks:\n  - { id: a, type: cli, command: dev-cli plan generate --data «plan-content.json }\n`,
    says: 'No earlier block',
  },
  {
    rule: 'judged without the condition it is written on',
    blocks: `${WRITER}    when: round > 1\n  - { id: a, type: wait-for-user, message: m, artifact: «a.json }\n`,
    says: 'only under a condition',
    severity: 'warning',
  },
  {
    rule: 'judged at a size at which nobody has written it',
    blocks: `${WRITER}    when: size == "small"\n${WRITER.replace('id: w', 'id: w2')}    when: size == "middle"\n  - { id: a, type: wait-for-user, message: m, artifact: «a.json }\n`,
    says: 'only under a condition',
    severity: 'warning',
  },
  {
    rule: 'read though its writer may fail',
    blocks: `${WRITER}    onError: continue\n  - { id: a, type: llm, instruction: x, read: [«a.json] }\n`,
    says: 'only under a condition',
    severity: 'warning',
  },
  // Commands that run as a process of their own
  {
    rule: 'process where only a document command can be',
    blocks: '  - { id: a, type: llm, instruction: x, save: «dev-cli pull-request open }\n',
    says: 'needs a block of its own, of type cli',
  },
  {
    rule: 'process in another directory',
    blocks: '  - { id: a, type: cli, command: dev-cli pull-request open, «cwd: api }\n',
    says: '`cwd` is for external commands',
  },
  {
    rule: 'process for another run',
    blocks: '  - { id: a, type: cli, command: dev-cli pull-request open «other }\n',
    says: 'write {name} instead of `other`',
  },
  // Conditions
  { rule: 'undeclared name', blocks: `${WRITER}    when: «rund > 1\n`, says: 'did you mean round' },
  {
    rule: 'agent nobody starts',
    blocks: `${WRITER}    when: «agents["x"].verdict == "OKAY"\n`,
    says: 'uses x, which is not declared',
  },
  // Values between blocks
  ...[
    ['an unknown block', 'blocks["chose"].choice == "minor"', 'There is no block `chose`. Did you mean `choose`?'],
    ['a later block', 'blocks["last"].status == "done"', 'The block `last` comes later'],
    ['the block itself', 'blocks["asks"].rounds > 1', 'The block `asks` is this one'],
    ['an unknown member', 'blocks.test.exti == 0', 'A block has no `exti`. Did you mean `exit`?'],
    ['a member that the block never has', 'blocks["choose"].exit == 0', 'never has `exit`: it is not a cli block'],
    ['data of a command', 'blocks.test.data.x == 0', 'never has `data`: it has no JSON data'],
    ['an unknown key of the data', 'blocks.choose.data.verison == "1"', 'Did you mean `version`?'],
    ['a type of the data', 'blocks.choose.data.version == 1', 'string == int'],
    ['a type in a list of the data', 'blocks.choose.data.parts.exists(p, p == 1)', 'string == int'],
    ['a type of the exit', 'blocks.test.exit == "0"', 'int == string'],
    ['a choice that is not offered', 'blocks.choose.choice == "mnior"', 'never "mnior" (did you mean minor?)'],
    ['a status that is none', 'blocks.test.status != "green"', 'never "green"'],
    ['a word that the schema does not have', 'blocks.choose.data.kind in ["a", "c"]', 'never "c"'],
    ['a block named by a value', 'blocks[goal].status == "done"', 'Name a block by its id'],
    ['all blocks', 'size(blocks) > 1', 'Name a block by its id'],
  ].map(
    ([what = '', when = '', says = '']): Planted => ({
      rule: `condition over ${what}`,
      blocks: `${VALUES}  - { id: asks, type: llm, instruction: x, when: «'${when}' }\n  - { id: last, type: llm, instruction: x }\n`,
      says,
      files: VERSION,
    }),
  ),
  ...[
    ['an unknown block', 'blocks.chose.choice', 'There is no block `chose`. Did you mean `choose`?'],
    ['a later block', 'blocks.last.status', 'The block `last` comes later'],
    ['a block alone', 'blocks.choose', 'Name a value of the block `choose`: status, choice, data, rounds'],
    ['an unknown key', 'blocks.choose.data.verison', 'Did you mean `version`?'],
    ['a value of a value', 'blocks.test.exit.code', 'is a single value'],
  ].map(
    ([what = '', key = '', says = '']): Planted => ({
      rule: `placeholder of ${what}`,
      blocks: `${VALUES}  - { id: asks, type: llm, instruction: 'See «{${key}}.' }\n  - { id: last, type: llm, instruction: x }\n`,
      says,
      files: VERSION,
    }),
  ),
  {
    rule: 'value of a block in a shell command',
    blocks: `${VALUES}  - { id: tag, type: cli, shell: true, command: 'git tag «{blocks.choose.data.version}' }\n`,
    says: 'A shell command may contain no placeholder',
    files: VERSION,
  },
  { rule: 'condition of a type', blocks: `${WRITER}    when: «round + 1\n`, says: 'type int' },
  {
    rule: 'condition of an agent',
    blocks: '  - { id: a, type: subagent, agents: [{ type: code-explorer, when: «preferences.x }] }\n',
    says: 'not declared',
  },
  {
    rule: 'a verdict that no review has',
    blocks:
      '  - id: a\n    type: subagent-loop\n    agents: [{ type: plan-reviewer, output: a.md }]\n    exitWhen: agents["plan-reviewer"].verdict == "«OK"\n',
    says: 'A verdict is OKAY or REJECT, never `OK`. Did you mean `OKAY`?',
  },
  {
    rule: 'a result that nobody reports',
    blocks: `  - { id: a, type: cli, command: make, when: «result == "OKAY" }\n`,
    says: 'Nothing has set `result` yet: no agent has reported. The condition is always false.',
  },
  {
    rule: 'a result where somebody has chosen',
    blocks: `  - { id: a, type: llm, instruction: x, choices: [x, y] }\n  - { id: b, type: cli, command: make, when: 'size == "small" && «result == "x"' }\n`,
    says: 'The condition is always false.',
  },
  {
    rule: 'a word in a result that nobody reports',
    blocks: `  - { id: a, type: cli, command: make }\n  - { id: b, type: wait-for-user, choices: [yes, { id: no, goto: halt, when: «result == "x" }] }\n`,
    says: 'The condition is always false.',
  },
  {
    rule: 'sugar',
    blocks:
      '  - id: a\n    type: subagent-loop\n    agents: [{ type: plan-reviewer }]\n    exitWhen: «result contains OKAY\n',
    says: 'not OKAY',
    severity: 'warning',
  },
  // Statements without effect
  ...(
    [
      [
        'a result that nobody reports and something else makes up for',
        `  - { id: a, type: cli, command: make, when: '«result == "OKAY" || size == "small"' }\n`,
        'Nothing has set `result` yet',
      ],
      [
        'an agent that is started later',
        `  - { id: a, type: llm, instruction: x, when: 'agents["«late"].status == "done"' }\n  - { id: b, type: subagent, agents: [{ type: scout, id: late }] }\n`,
        'starts later',
      ],
      [
        'a section that nobody writes',
        `  - { id: a, type: llm, instruction: 'About {draft.«criteria}.' }\n`,
        'No block writes the draft section `criteria`',
      ],
      [
        'a condition on a section that nobody writes',
        `  - { id: a, type: llm, instruction: x, when: draft.«findings.filled }\n`,
        'No block writes the draft section `findings`',
      ],
      [
        'a bound of choices that lead on',
        '  - { id: a, type: wait-for-user, choices: [yes, no], «maxRounds: 2 }\n',
        '`maxRounds` has no effect',
      ],
      [
        'growing where there are no sizes',
        '  - { id: a, type: llm, instruction: x }\n  - { id: b, type: wait-for-user, choices: [yes, { id: more, goto: a, «grows: true }] }\n',
        '`grows` has no effect',
      ],
      [
        'a goal in the init block',
        '  - { id: init, type: cli, command: "dev-cli init {name} «--goal x" }\n',
        'has no effect here',
      ],
    ] as const
  ).map(([rule, blocks, says]): Planted => ({ rule, blocks, says, severity: 'warning', files: SCOUT })),
  ...(
    [
      ['a cleanup that no block does', '«cleanup: [a.tmp]', 'no block runs `dev-cli cleanup`'],
      ['sections that nothing demands', 'draft: { «required: [intent] }', 'These sections are never checked'],
      ['an artifact that no block writes', 'artifacts: [a.json, «b.json]', 'No block writes `b.json`'],
      ['a mode that nothing reads', 'mode: { «dept: quick }', 'Nothing reads `mode.dept`. Did you mean `depth`?'],
      [
        'a guard of what is reserved',
        'guard: { writes: [src/**, «.claude/skills/**] }',
        '.claude belongs to Claude Code',
      ],
      ['a guard outside the work tree', 'guard: { writes: [src/**, «/etc/*] }', 'matches no file in the work tree'],
    ] as const
  ).map(
    ([rule, head, says]): Planted => ({
      rule,
      recipe: `${HEAD}${head}\nblocks:\n${WRITER}`,
      says,
      severity: 'warning',
    }),
  ),
  ...(
    [
      ['a variable of a shell', '  - { id: a, type: cli, command: «CI=1 npm test }\n', 'Put `env` before it'],
      ['a directory of a shell', '  - { id: a, type: cli, command: [«cd, api] }\n', 'Set the directory with `cwd`'],
      [
        'a shell word in an exit check',
        '  - { id: a, type: llm-loop, instruction: x, exitCheck: «export A }\n',
        'no shell reads this',
      ],
      [
        'a pattern to write',
        '  - { id: a, type: llm+cli, instruction: x, write: «"a*.md" }\n',
        'must be the name of one file',
      ],
      [
        'a directory to write',
        '  - { id: a, type: subagent, agents: [{ type: scout, output: «out/ }] }\n',
        'must be the name of one file',
      ],
    ] as const
  ).map(([rule, blocks, says]): Planted => ({ rule, blocks, says, severity: 'warning', files: SCOUT })),
  {
    rule: 'a description of several lines',
    recipe: `${HEAD}«description: |\n  One.\n  Two.\nblocks:\n${WRITER}`,
    says: 'on one line',
    severity: 'warning',
  },
  {
    rule: 'a timeout of no command',
    blocks: `${WRITER}    then: dev-cli check a.json\n    «timeout: 5\n`,
    says: '`timeout` is for an external command',
  },
  {
    rule: 'a directory outside the work tree',
    blocks: '  - { id: a, type: cli, command: make, cwd: «../api }\n',
    says: '`../api` points outside the work tree',
  },
  ...[
    ['mode.depth == "quik"', 'did you mean quick?'],
    ['mode.interaction in ["autopilt"]', 'did you mean autopilot?'],
    ['preferences.approve_commands == "aks"', 'did you mean ask?'],
    ['size > "small"', 'size is one of small, middle, large; `>` would compare them alphabetically'],
    ['"quick" <= mode.depth', 'mode.depth is one of standard, quick; `<=` would compare them alphabetically'],
    ['round > 1 and mode.depth = "quick"', 'Write && for "and"'],
    ['result contains a and round', 'Write && for "and"'],
    ['mode.depth == quick', '(a text needs quotes: "quick")'],
    ['goal.matches("(")', 'The pattern of `matches` cannot be read'],
    ['goal.matches(goal)', 'needs a literal pattern'],
    ['goal.matches("^(a+)+$")', 'matching may never end'],
  ].map(
    ([when = '', says = '']): Planted => ({
      rule: `condition ${when}`,
      blocks: `${WRITER}    when: «'${when}'\n`,
      says,
    }),
  ),
];

describe('lint', () => {
  it.each(PLANTED)('$rule', ({ blocks, recipe, says, severity = 'error', files }) => {
    const marked = recipe ?? `${HEAD}blocks:\n${blocks}`;
    const offset = marked.indexOf('«');
    const before = marked.slice(0, offset).split('\n');
    const { captured, problems } = loadDemo(marked.replace('«', ''), files);
    expect(problems.map(({ message, fix }) => `${message} ${fix ?? ''}`).join('\n')).toContain(says);
    expect(problems.map(({ severity, line, column }) => ({ severity, line, column }))).toEqual([
      { severity, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
    ]);
    expect(captured === null).toBe(severity === 'error');
  });

  it('tells everything at once, in the order of reading', () => {
    const { problems, captured } = loadDemo(`name: dem
type: sequential
blocks:
  - id: constructor
    type: llm
    instrction: Look at {gaol}.
    instruction: Look at {gaol}.
  - id: a
    type: clii
  - id: a
    type: wait-for-user
    message: Well?
    choices: [yes, { id: no, goto: b }]
`);
    expect(captured).toBeNull();
    expect(problems.map(({ line, column }) => `${line}:${column}`)).toEqual([
      '1:7',
      '4:9',
      '6:5',
      '7:26',
      '9:11',
      '10:9',
      '13:36',
    ]);
  });

  it.each([
    ['a type that is misspelt', 'type: «sequental', 'Did you mean `sequential`?'],
    ['no type', '«', '`type` is missing'],
  ])('judges the rest of a recipe with %s', (_what, line, says) => {
    const marked = `${line}\nname: demo\nblocks:\n  - { id: a, type: cli, comand: x }\n  - { id: a, type: llm, instruction: '{gaol}' }\n`;
    const [first, ...rest] = loadDemo(marked.replace('«', '')).problems;
    expect(first?.message).toContain(says);
    expect(rest.map(({ line, column }) => `${line}:${column}`)).toEqual(['4:25', '5:11', '5:39']);
  });

  it('points into schemas', () => {
    const { problems } = loadDemo(`${HEAD}blocks:\n  - { id: a, type: llm, instruction: x, schema: a.json }\n`, {
      '.dev/recipes/a.json': '{\n  "type": "object",\n}\n',
    });
    expect(problems).toMatchObject([{ file: '.dev/recipes/a.json', line: 3, column: 1, message: expect.any(String) }]);
  });

  it('points into prompt files', () => {
    const { problems } = loadDemo(`${HEAD}blocks:\n  - { id: a, type: llm, instructionFile: prompts/a.md }\n`, {
      '.dev/recipes/prompts/a.md': 'Look.\n\nAt {{this}, {goal} and\n  {thta}.\n',
    });
    expect(problems).toMatchObject([{ file: '.dev/recipes/prompts/a.md', line: 4, column: 3, length: 6 }]);
  });
});

describe('what reads a faulty block', () => {
  it.each([
    ['a schema that is not there', 'schema: none.json, choices: [minor]'],
    ['a schema that does not exist', 'schema: sise, choices: [minor]'],
    ['a schema that is no text', 'schema: { type: object }, choices: [minor]'],
    ['an unknown type of a field', 'choices: 7'],
  ])('is not told of it once more: %s', (_what, fault) => {
    const reader = `  - { id: a, type: llm, instruction: '{blocks.choose.data.version}', when: 'blocks.choose.choice == "minor" && blocks.choose.data.version == "1"' }\n`;
    const choose = `  - { id: choose, type: llm, instruction: x, ${fault} }\n`;
    expect(loadDemo(`${HEAD}blocks:\n${choose}${reader}`).problems).toHaveLength(1);
  });
});

describe('what lint leaves alone', () => {
  it.each([
    [
      'an agent that is started later, where the run goes back from there',
      `  - { id: b, type: llm, instruction: x, when: 'agents["scout"].verdict != "OKAY"' }\n  - { id: a, type: subagent-loop, agents: [{ type: scout, output: a.md }], exitWhen: 'agents["scout"].verdict == "OKAY"', revise: b }\n`,
    ],
    [
      'a result that is reported before, or in the same round',
      '  - { id: a, type: subagent-loop, agents: [{ type: scout }], exitWhen: result != "" }\n  - { id: b, type: cli, command: make, when: result == "x" }\n',
    ],
    [
      'sections that agents report',
      '  - { id: a, type: subagent, agents: [{ type: scout, output: findings/a.md }], onComplete: dev-cli draft import }\n  - { id: b, type: llm, instruction: "{draft.findings} {draft.purpose}" }\n',
    ],
    [
      'values of blocks that stand before, and of the own block at the end of a round',
      `${VALUES}  - { id: a, type: llm-loop, instruction: 'See {blocks.choose.data.parts.0} and {{blocks.none}.', schema: size, exitWhen: 'blocks.a.data.size != "large" && blocks.a.rounds < 3 && blocks.choose.data.version == null && blocks.choose.data != null && blocks.choose.data.parts[0] == "x"' }\n`,
    ],
    [
      'a conditional writer and a reader on the same condition',
      `${WRITER}    when: round > 1\n  - { id: a, type: llm, instruction: x, when: round > 1, read: [a.json] }\n`,
    ],
    [
      'a conditional writer and a reader that is told',
      `${WRITER}    when: round > 1\n  - { id: a, type: llm, instruction: x, consult: [a.json] }\n`,
    ],
    ['a file of the project', '  - { id: a, type: llm, instruction: x, read: [/README.md] }\n'],
    ['a pattern', `  - { id: a, type: llm, instruction: x, when: 'goal.matches("^(fix|mend)+ [a-z]+$")' }\n`],
    [
      'a file that an external command may have written',
      '  - { id: b, type: cli, command: make report }\n  - { id: a, type: llm, instruction: x, read: [report.md] }\n',
    ],
    ['a plan from an earlier run', '  - { id: a, type: llm, instruction: x, read: [PLAN.md] }\n'],
    [
      'numbered outputs read by any number',
      '  - { id: a, type: subagent, agents: [{ type: code-explorer, output: "r/{round}.md" }] }\n  - { id: b, type: llm, instruction: x, read: [r/1.md, "r/*.md"] }\n',
    ],
    ['other braces', '  - { id: a, type: llm, instruction: "Write {\\"a\\": {}} and {{x} and {X}." }\n'],
    ['quotes and backslashes', `  - { id: a, type: cli, command: "printf '%s | %s' a\\\\ b" }\n`],
    [
      'a shell where it is asked for',
      '  - { id: a, type: cli, shell: true, command: "echo {name} | tee /dev/null" }\n',
    ],
    [
      'a gate that leads back or halts, and that a condition passes over',
      `  - { id: a, type: llm, instruction: x }
  - { id: b, type: cli, command: npm test, onError: continue }
  - { id: c, type: wait-for-user, human: required, message: m, when: 'blocks["b"].exit != 0', choices: [{ id: again, goto: a }, { id: stop, goto: halt }] }
`,
    ],
    ['an agent of the project', '  - { id: a, type: subagent, agents: [{ type: scout, output: a.md }] }\n'],
  ])('%s', (_what, blocks) => {
    const files = {
      ...VERSION,
      '.codex/agents/scout.toml':
        'name = "scout"\ndescription = "Scouts."\ndeveloper_instructions = """\nYou scout.\n"""\n',
    };
    expect(loadDemo(`${HEAD}blocks:\n${blocks}`, files).problems).toEqual([]);
  });
});
