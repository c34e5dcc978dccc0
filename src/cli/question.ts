import type { QuestionName } from '../app/questions.js';
import type { JsonObject } from '../base/json.js';
import type { CommandSpec } from '../registry/spec.js';

/** What the registry says of a question, as far as it takes part in its plain form; a test keeps the two equal. */
interface Form extends Pick<CommandSpec, 'output' | 'actor'> {
  /** It may be given the name of a run. */
  named: boolean;
  /** Options without a value that become part of the input. */
  flags: readonly string[];
}

export const FORMS: Readonly<Record<QuestionName, Form>> = {
  next: { output: 'document', actor: 'agent', named: true, flags: ['full'] },
  manifest: { output: 'text', actor: 'agent', named: true, flags: [] },
  status: { output: 'text', actor: 'person', named: true, flags: ['full', 'watch'] },
  list: { output: 'text', actor: 'person', named: false, flags: [] },
};

const GLOBAL_FLAGS = ['json', 'text'];

export interface Question {
  command: QuestionName;
  form: Form;
  input: JsonObject;
  globals: { json?: true; text?: true };
}

/**
 * Reads a question in its plain form: a command, a name perhaps, options without a value. Null for everything else, also
 * for what is wrong: the registry's parser understands all of it and explains it, but takes longer to load and to run.
 */
export function plainQuestion([first, ...words]: readonly string[]): Question | null {
  if (first === undefined || !Object.hasOwn(FORMS, first)) return null;
  const command = first as QuestionName;
  const form = FORMS[command];
  const question: Question = { command, form, input: {}, globals: {} };
  const seen = new Set<string>();
  for (const word of words) {
    const key = word.startsWith('-') ? word.slice(2) : 'name';
    const isFlag = word === `--${key}`;
    if (seen.has(key) || word === '') return null;
    seen.add(key);
    if (isFlag && form.flags.includes(key)) question.input[key] = true;
    else if (isFlag && GLOBAL_FLAGS.includes(key)) question.globals[key as 'json' | 'text'] = true;
    else if (!word.startsWith('-') && form.named) question.input['name'] = word;
    else return null;
  }
  return seen.has('json') && seen.has('text') ? null : question;
}
