import fc from 'fast-check';
import { aCommand, aPlan, aTodo } from './fixture.js';

/** Texts that would become markup or hide something if PLAN.md contained them unchanged. */
export const HOSTILE = [
  '```',
  '### [x] todo-1: done',
  '\n### [x] todo-1: done',
  '\n\n## Todos\n',
  '<!--',
  '--> <b>',
  '"]',
  '"] --> t1',
  '# x',
  '- [x] y',
  '1. z',
  '`',
  '``',
  '\\',
  '\u202e',
  '\r### [x] todo-2: ',
  '\u2028### [x] todo-2: ',
  '~~~',
  '<script>',
  '[a](b)',
  '![i](http://x)',
  '|',
  '---',
  '===',
  '%%{init}%%',
  'end',
  '\0',
];
/** Generates texts that contain some of HOSTILE. */
export const hostile = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 5 })
  .map((parts) => `x${parts.join('')}`);
/** Ids of the todos of hostile plans. */
export const ids = ['todo-1', 'todo-2', 'todo-10', 'a'];

/** Generates plans whose texts are all hostile. */
export const hostilePlan = fc
  .array(hostile, { minLength: 12, maxLength: 12 })
  .chain((texts) => fc.shuffledSubarray(ids, { minLength: 1 }).map((chosen) => ({ texts, chosen })))
  .map(({ texts, chosen }) => {
    const [t = ''] = texts;
    const todo = (id: string, index: number) =>
      aTodo(id, {
        title: texts[index] ?? t,
        files: [t],
        steps: texts,
        mustNotDo: [t],
        references: [t],
        dependsOn: chosen.slice(0, index),
        outputs: [{ name: 'o', description: t }],
        acceptance: [
          aCommand('c', texts),
          { id: 'a', kind: 'assertion', text: t },
          { id: 'h', kind: 'human', text: t },
        ],
      });
    return aPlan({
      todos: chosen.map(todo),
      context: { originalRequest: texts.join('\n'), interviewSummary: texts, researchFindings: t, assumptions: t },
      objectives: { core: t, deliverables: texts, definitionOfDone: texts, mustNotDo: texts },
      commits: chosen.slice(0, 1).map((afterTodo) => ({ afterTodo, message: t })),
      requirements: [{ id: 'r-1', quote: t, from: 'user', text: t }],
      decisions: [{ text: t, reason: t, by: 'user' }],
      risks: [{ text: t, severity: 'low' }],
      externalDependencies: [{ when: 'pre', text: t }],
    });
  });
