import { Type } from '@sinclair/typebox';
import { IMPORT_FORMATS } from '../../base/import-formats.js';
import type { CommandSpec } from '../spec.js';
import {
  choice,
  DOCUMENT_COMMAND,
  data,
  flag,
  freeText,
  integer,
  list,
  OPTIONAL_NAME,
  optional,
  REQUIRED_NAME,
  word,
} from '../values.js';

const COMPLETE = flag('Demand requirements: each from the words it comes from to its proof.');

const DRY_RUN = flag('Only show the difference; writes nothing.');
const TODO = word('The todo, by its id.', { placeholder: 'TODO' });

/** plan-content.json and PLAN.md (documents.md, plan-content.json). */
export const PLAN_COMMANDS = [
  {
    name: 'plan template',
    summary: 'Print a commented example of plan-content.json.',
    actor: 'agent',
    output: 'document',
    readOnly: true,
    input: Type.Object({}),
    exits: [0, 1, 2, 130],
    examples: [{ command: 'dev-cli plan template', note: 'Every field with its meaning.' }],
    inRecipe: true,
  },
  {
    name: 'plan generate',
    ...DOCUMENT_COMMAND,
    summary: 'Validate plan-content.json and write PLAN.md from it.',
    description:
      'Works on a name without a run too. Without --data it takes the plan-content.json that is there. Boxes of unchanged todos stay ticked.',
    input: Type.Object({
      name: OPTIONAL_NAME,
      data: optional(data()),
      complete: COMPLETE,
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli plan generate add-auth --data @plan-content.json', note: 'From a file of yours.' },
      { command: 'dev-cli plan generate add-auth', note: 'After a change of plan-content.json.' },
    ],
  },
  {
    name: 'plan validate',
    ...DOCUMENT_COMMAND,
    summary: 'All findings of a plan at once; writes nothing.',
    readOnly: true,
    input: Type.Object({
      name: OPTIONAL_NAME,
      data: optional(data()),
      complete: COMPLETE,
    }),
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli plan validate add-auth --data @plan-content.json', note: 'Before it is stored.' }],
  },
  {
    name: 'plan summary',
    ...DOCUMENT_COMMAND,
    summary: 'The plan in a few lines.',
    readOnly: true,
    input: Type.Object({ name: OPTIONAL_NAME }),
    exits: [0, 1, 2, 3, 130],
    examples: [{ command: 'dev-cli plan summary add-auth --text', note: 'For a person.' }],
  },
  {
    name: 'plan import',
    summary: 'Make a plan of one that was written for another tool.',
    description:
      'Reads an OpenSpec change, a feature of spec-kit, a plan of superpowers, or a plain list in Markdown, inside the project. What the source does not say, what is done already, and what has no place in a plan are named. A plan that is there is never replaced, and nothing is approved: people are asked about plan and commands as about any other.',
    actor: 'agent',
    output: 'document',
    positionals: ['name', 'source'],
    input: Type.Object({
      name: REQUIRED_NAME,
      source: word('The file of the plan, or the directory of the change or feature.', { format: 'file' }),
      format: optional(choice(IMPORT_FORMATS, 'The format of the source. Left out: it is recognised.')),
      dryRun: flag('Only say what would become of it; writes nothing.'),
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli plan import add-auth openspec/changes/add-auth', note: 'A change of OpenSpec.' },
      { command: 'dev-cli plan import cache docs/plans/cache.md --dry-run', note: 'What would the plan be?' },
      { command: 'dev-cli plan import chores TODO.md --format markdown', note: 'A list, as it is.' },
    ],
  },
  {
    name: 'plan apply',
    summary: 'Take up a changed plan-content.json or PLAN.md, also while the plan is carried out.',
    description:
      'Whichever of the two was changed; both is a conflict. Without an execution both are written anew, and an approval made before does not hold any more. In an execution each todo gets a verdict, and all is taken up in one step or nothing: what is not begun as it now reads, what is at work in a new attempt, what is done stays. A person at a terminal of their own is asked once; an agent’s call proposes, and a person decides at a gate.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      dryRun: flag('Only say what would become of which todo; writes nothing.'),
      reopen: optional(
        list('TODO,…', 'Done todos that are to be done again, as the plan now reads; what builds on them too.'),
      ),
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli plan apply add-auth --dry-run', note: 'What would become of each todo?' },
      { command: 'dev-cli plan apply add-auth', note: 'After a change of either file.' },
      {
        command: 'dev-cli plan apply add-auth --reopen todo-2',
        note: 'todo-2 is done, and done again as it now reads.',
      },
    ],
  },
  {
    name: 'plan edit',
    summary: 'Edit PLAN.md in your editor, and have the edit taken up.',
    description:
      'Opens a copy in $VISUAL or $EDITOR. What cannot be read back is named by its line, and the editor may be opened again; then the edit is taken up as by `plan apply`. Until then the text is kept, and the next call goes on with it.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      discard: flag('Throw away the text that was kept of an earlier edit.'),
    }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli plan edit add-auth', note: 'Before the plan is approved, or in the middle.' },
      { command: 'dev-cli plan edit add-auth --discard', note: 'The text that was kept is not wanted any more.' },
    ],
  },
  {
    name: 'plan add',
    summary: 'Add a todo to the plan, also while it is carried out.',
    description:
      'At the end, with the next free id. --data takes a section as PLAN.md writes it, or the JSON of one todo. Both files of the plan are written anew, and taken up as `plan apply` does.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      data: optional(
        data(
          {},
          'A section `### Title` as PLAN.md writes it, or the JSON of one todo: a file, standard input, or text.',
        ),
      ),
      title: optional(freeText('What the todo is about, in a line.')),
      after: optional(list('TODO,…', 'Todos that it comes after.', { needs: ['title'] })),
      files: optional(list('GLOB,…', 'What it may touch.', { needs: ['title'] })),
      run: optional(
        word('A command that judges it, run without a shell.', { placeholder: 'COMMAND', needs: ['title'] }),
      ),
      assertion: optional(freeText('What an agent judges it by.', { needs: ['title'] })),
      dryRun: DRY_RUN,
    }),
    oneOf: ['data', 'title'],
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      {
        command:
          'dev-cli plan add add-auth --title "Log out" --after todo-2 --files "src/logout/**" --run "npm test -- logout"',
        note: 'A todo with a command that judges it.',
      },
      { command: 'dev-cli plan add add-auth --data @todo.md', note: 'A section as PLAN.md writes it.' },
    ],
  },
  {
    name: 'plan drop',
    summary: 'Take a todo out of the plan, also while it is carried out.',
    description:
      'What came after it comes after what it came after; commit messages for it go with it. Refused where another todo takes a value of it, or a requirement would be left without a proof: each is named.',
    actor: 'person',
    output: 'document',
    positionals: ['name', 'todo'],
    input: Type.Object({ name: REQUIRED_NAME, todo: TODO, dryRun: DRY_RUN }),
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli plan drop add-auth todo-3 --dry-run', note: 'What would change?' },
      { command: 'dev-cli plan drop add-auth todo-3', note: 'It is not wanted any more.' },
    ],
  },
  {
    name: 'plan move',
    summary: 'Put a todo at another place of the plan.',
    description: 'What depends on what stays: todos that can start are handed out in the order of the plan.',
    actor: 'person',
    output: 'document',
    positionals: ['name', 'todo'],
    input: Type.Object({
      name: REQUIRED_NAME,
      todo: TODO,
      before: optional(word('Before this todo.', { placeholder: 'TODO' })),
      after: optional(word('Right after this todo.', { placeholder: 'TODO' })),
      first: flag('Before all others.'),
      last: flag('After all others.'),
      dryRun: DRY_RUN,
    }),
    oneOf: ['before', 'after', 'first', 'last'],
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli plan move add-auth todo-4 --first', note: 'It comes before all others.' },
      { command: 'dev-cli plan move add-auth todo-4 --after todo-1', note: 'It stands right after todo-1.' },
    ],
  },
  {
    name: 'plan diff',
    summary: 'How the plan in its files differs from the one that runs, or from an earlier one.',
    description:
      'Compares plan-content.json, or a PLAN.md that was edited, with what the execution carries out; without an execution, with what the journal holds. For people as PLAN.md names its parts; --json has each change as data.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      round: optional(integer('N', 'Compare with the plan of this round of planning, from 1.')),
      run: optional(integer('SEQ', 'Compare with the plan as it was after this entry of the journal.')),
    }),
    exclusive: [['round', 'run']],
    exits: [0, 1, 2, 3, 4, 130],
    examples: [
      { command: 'dev-cli plan diff add-auth', note: 'What would `plan apply` take up?' },
      { command: 'dev-cli plan diff add-auth --round 1', note: 'What has the review changed?' },
      { command: 'dev-cli plan diff add-auth --run 40 --json', note: 'Since entry 40, for a program.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
