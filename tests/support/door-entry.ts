import {
  listQuestion,
  manifestQuestion,
  nextQuestion,
  type Question,
  type QuestionName,
  statusQuestion,
} from '../../src/app/questions.js';
import { front, type Rim } from '../../src/cli/front.js';
import { answered } from '../../src/cli/hot.js';
import type { Printed } from '../../src/cli/print.js';

/** The commands that have a program of their own. */
const QUESTIONS: { [Name in QuestionName]: Question<Name> } = {
  next: nextQuestion,
  manifest: manifestQuestion,
  status: statusQuestion,
  list: listQuestion,
};

/**
 * What bin/dev-cli.js does: a question is answered the short way, if it can be.
 * @param whole as dist/cli.cjs does: no short way
 */
export async function call(argv: string[], whole: boolean, rim: Rim): Promise<Printed> {
  const [name = ''] = argv;
  const printed = !whole && isQuestion(name) ? await ask(argv, name, rim).catch(() => null) : null;
  return printed ?? front(argv, rim);
}

function ask<Name extends QuestionName>(argv: string[], name: Name, rim: Rim): Promise<Printed | null> {
  return answered(argv, name, QUESTIONS[name], rim);
}

function isQuestion(name: string): name is QuestionName {
  return Object.hasOwn(QUESTIONS, name);
}
