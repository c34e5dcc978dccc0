import type { OptionSpec, PositionalSpec } from '../spec.js';

/** Values that mean the same in every command that takes them. */

export const OPTIONAL_NAME: PositionalSpec = {
  key: 'name',
  form: 'name',
  description: 'The run. Left out: the run of this session, else of this work tree, else the active one.',
};

export const REQUIRED_NAME: PositionalSpec = {
  key: 'name',
  form: 'name',
  required: true,
  description: 'The run: 1 to 64 letters, digits, "-" and "_".',
};

export const ACTION: OptionSpec = {
  key: 'action',
  flag: 'action',
  form: 'action',
  placeholder: 'ID',
  description: 'The action this is for, as `next` names it: a7.',
};

export const WAIT: OptionSpec = {
  key: 'wait',
  flag: 'wait',
  form: 'integer',
  placeholder: 'SECONDS',
  description: 'Stay at most this long while an external command is at work.',
};

export const DATA: OptionSpec = {
  key: 'data',
  flag: 'data',
  form: 'data',
  placeholder: '@FILE|-|JSON',
  description: 'A file (@FILE; .md holds sections, everything else JSON), standard input (-), or JSON.',
};

export const REASON: OptionSpec = {
  key: 'reason',
  flag: 'reason',
  form: 'text',
  placeholder: 'TEXT|@FILE|-',
  description: 'Why, for those who come later.',
};

export const NOTE: OptionSpec = {
  key: 'note',
  flag: 'note',
  form: 'text',
  placeholder: 'TEXT|@FILE|-',
  needs: ['choice'],
  description: 'What was said with the choice; some choices demand it.',
};
