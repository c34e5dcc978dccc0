import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../base/errors.js';
import { DECISION_ERRORS } from '../endings.js';
import type { CommandSpec } from '../spec.js';
import {
  commaList,
  DOCUMENT_COMMAND,
  data,
  flag,
  freeText,
  integer,
  OPTIONAL_NAME,
  optional,
  REQUIRED_NAME,
  word,
} from '../values.js';

const COMPLETE = flag('Demand requirements, each traced from the quoted request to its proof.');

const DRY_RUN = flag('Only show the difference; write nothing.');
const TODO = word('The todo, by its id.', { format: 'todo', placeholder: 'TODO' });

const REOPEN = optional(
  commaList('TODO,…', 'Finished todos to do again as the plan now reads, along with everything that builds on them.', {
    format: 'todo',
  }),
);

/** What a change of a plan may end with, also one of a plan that is carried out: it is judged, asked about and taken up. */
const CHANGE_ERRORS = [...DECISION_ERRORS, 'RUN_EXISTS'] as const satisfies readonly ErrorCode[];

/** Commands on plan-content.json and PLAN.md (documents.md, plan-content.json). */
export const PLAN_COMMANDS = [
  {
    name: 'plan template',
    summary: 'Print a commented example of plan-content.json.',
    actor: 'agent',
    output: 'document',
    readOnly: true,
    input: Type.Object({}),
    errors: [],
    examples: [{ command: 'dev-cli plan template', note: 'Every field with its meaning.' }],
    inRecipe: true,
  },
  {
    name: 'plan generate',
    ...DOCUMENT_COMMAND,
    summary: 'Validate plan-content.json and write PLAN.md from it.',
    description:
      'Also works for a name that has no run yet. Without --data it reads the plan-content.json of that name. Unchanged todos keep their ticked boxes.',
    input: Type.Object({
      name: OPTIONAL_NAME,
      data: optional(data()),
      complete: COMPLETE,
    }),
    errors: ['DATA_MISSING', 'SCHEMA_INVALID', 'DOCUMENT_UNREADABLE', 'RUN_EXISTS'],
    examples: [
      { command: 'dev-cli plan generate add-auth --data @plan-content.json', note: 'From a file of your own.' },
      { command: 'dev-cli plan generate add-auth', note: 'After plan-content.json was changed.' },
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
    errors: ['DATA_MISSING'],
    exitOfNo: 3,
    examples: [
      { command: 'dev-cli plan validate add-auth --data @plan-content.json', note: 'Check it before it is stored.' },
    ],
  },
  {
    name: 'plan summary',
    ...DOCUMENT_COMMAND,
    summary: 'The plan in a few lines.',
    readOnly: true,
    input: Type.Object({ name: OPTIONAL_NAME }),
    errors: ['DATA_MISSING', 'SCHEMA_INVALID'],
    exitOfNo: 3,
    examples: [{ command: 'dev-cli plan summary add-auth --text', note: 'For a person.' }],
  },
  {
    name: 'plan apply',
    summary: 'Apply an edited plan-content.json or PLAN.md, even during an execution.',
    description:
      'Applies whichever of the two files was edited; if both were, that is a conflict. Outside an execution both files are rewritten and any earlier approval lapses. During an execution each todo gets a verdict, and either the whole change is applied or none of it: a todo not yet begun is done as it now reads, one in progress gets a new attempt, a finished one stays as it is. A person at their own terminal is asked once; an agent’s call only proposes the change, and a person decides at a gate.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      dryRun: flag('Only show the verdict for each todo; write nothing.'),
      reopen: REOPEN,
    }),
    errors: CHANGE_ERRORS,
    examples: [
      { command: 'dev-cli plan apply add-auth --dry-run', note: 'What would happen to each todo?' },
      { command: 'dev-cli plan apply add-auth', note: 'After editing either file.' },
      {
        command: 'dev-cli plan apply add-auth --reopen todo-2',
        note: 'todo-2 is finished; do it again as it now reads.',
      },
    ],
  },
  {
    name: 'plan edit',
    summary: 'Edit PLAN.md in your editor and apply the edit.',
    description:
      'Opens a copy in $VISUAL or $EDITOR. When you close it, the edit is applied as `plan apply` does. Lines that cannot be read are named, and you may open the editor again. Until the edit is applied the text is kept, and the next call continues with it.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      discard: flag('Throw away the text kept from an earlier edit.'),
      reopen: REOPEN,
    }),
    errors: CHANGE_ERRORS,
    examples: [
      { command: 'dev-cli plan edit add-auth', note: 'Before approval, or in the middle of an execution.' },
      {
        command: 'dev-cli plan edit add-auth --reopen todo-2',
        note: 'Change todo-2, which is finished, and do it again.',
      },
      { command: 'dev-cli plan edit add-auth --discard', note: 'Drop the kept text.' },
    ],
  },
  {
    name: 'plan add',
    summary: 'Add a todo to the plan, even during an execution.',
    description:
      'The todo goes to the end, or with --before ahead of the todos that are to wait for it, and gets the next free id. If a todo checks all other work but would not wait for the new one, the answer says so. --data takes a section written as in PLAN.md, or one todo as JSON. The plan is then applied as `plan apply` does.',
    actor: 'person',
    output: 'document',
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      data: optional(
        data({}, 'A section `### Title` written as in PLAN.md, or one todo as JSON: a file, standard input, or text.'),
      ),
      title: optional(freeText('The title of the todo, in one line.')),
      after: optional(commaList('TODO,…', 'The todos it depends on.', { format: 'todo', needs: ['title'] })),
      before: optional(
        commaList('TODO,…', 'The todos that are to depend on it; it goes ahead of them.', { format: 'todo' }),
      ),
      files: optional(commaList('GLOB,…', 'The files it may touch.', { needs: ['title'] })),
      run: optional(word('An acceptance command, run without a shell.', { placeholder: 'COMMAND', needs: ['title'] })),
      assertion: optional(freeText('An acceptance criterion for an agent to judge.', { needs: ['title'] })),
      dryRun: DRY_RUN,
    }),
    oneOf: ['data', 'title'],
    errors: CHANGE_ERRORS,
    examples: [
      {
        command:
          'dev-cli plan add add-auth --title "Log out" --after todo-2 --files "src/logout/**" --run "npm test -- logout"',
        note: 'With an acceptance command.',
      },
      {
        command: 'dev-cli plan add add-auth --data @todo.md --before todo-5',
        note: 'A section written as in PLAN.md; todo-5, which checks the whole, waits for it.',
      },
    ],
  },
  {
    name: 'plan drop',
    summary: 'Remove a todo from the plan, even during an execution.',
    description:
      'Todos that depended on it now depend on what it depended on; its commit messages are removed, too. The command is refused and lists what prevents it if another todo uses one of its outputs or a requirement would lose its only proof; --with-requirements also withdraws such a requirement and all references to it.',
    actor: 'person',
    output: 'document',
    positionals: ['name', 'todo'],
    input: Type.Object({
      name: REQUIRED_NAME,
      todo: TODO,
      withRequirements: flag('Also withdraw the requirements that only this todo serves or proves.'),
      dryRun: DRY_RUN,
    }),
    errors: CHANGE_ERRORS,
    examples: [
      { command: 'dev-cli plan drop add-auth todo-3 --dry-run', note: 'What would change?' },
      { command: 'dev-cli plan drop add-auth todo-3', note: 'Remove it.' },
      {
        command: 'dev-cli plan drop add-auth todo-3 --with-requirements',
        note: 'What it was for is no longer wanted.',
      },
    ],
  },
  {
    name: 'plan move',
    summary: 'Move a todo to another place in the plan.',
    description:
      'Dependencies stay as they are; among todos that can start, the order of the plan decides which goes first.',
    actor: 'person',
    output: 'document',
    positionals: ['name', 'todo'],
    input: Type.Object({
      name: REQUIRED_NAME,
      todo: TODO,
      before: optional(word('Before this todo.', { format: 'todo', placeholder: 'TODO' })),
      after: optional(word('Right after this todo.', { format: 'todo', placeholder: 'TODO' })),
      first: flag('Before all others.'),
      last: flag('After all others.'),
      dryRun: DRY_RUN,
    }),
    oneOf: ['before', 'after', 'first', 'last'],
    errors: CHANGE_ERRORS,
    examples: [
      { command: 'dev-cli plan move add-auth todo-4 --first', note: 'Put it first.' },
      { command: 'dev-cli plan move add-auth todo-4 --after todo-1', note: 'Put it right after todo-1.' },
    ],
  },
  {
    name: 'plan diff',
    summary: 'Show how the plan files differ from the plan being carried out, or from an earlier one.',
    description:
      'Compares plan-content.json, or PLAN.md if that was edited, with the plan that the execution carries out; without an execution, with the last plan in the journal. The text names things as PLAN.md does; --json gives each change as data.',
    actor: 'person',
    output: 'text',
    readOnly: true,
    positionals: ['name'],
    input: Type.Object({
      name: OPTIONAL_NAME,
      round: optional(integer('N', 'Compare with the plan of this round of planning, counted from 1.')),
      run: optional(integer('SEQ', 'Compare with the plan as of this journal entry.', { format: 'entry' })),
    }),
    exclusive: [['round', 'run']],
    errors: ['UNKNOWN_ENTRY', 'DATA_MISSING', 'SCHEMA_INVALID', 'PLAN_MISSING', 'PLAN_EDITED', 'PLAN_CONFLICT'],
    examples: [
      { command: 'dev-cli plan diff add-auth', note: 'What would `plan apply` change?' },
      { command: 'dev-cli plan diff add-auth --round 1', note: 'What changed since the first round?' },
      { command: 'dev-cli plan diff add-auth --run 40 --json', note: 'Since entry 40, for a program.' },
    ],
  },
] as const satisfies readonly CommandSpec[];
