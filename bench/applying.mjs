// Times what is needed to continue after a plan changed in the middle of an execution (living-plan.md, plan apply):
// proposing the change, and applying it after a person's yes. Compares both with a plain acknowledgement in the run.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answer, ratio, Samples, timedCall } from './measure.mjs';
import { execution, NAME } from './plans.mjs';

const TODOS = 1000;
const SESSION = 's-1';

/** Measures proposing a changed plan, and applying it. Each should take at most as long as three acknowledgements. */
export function applying({ rounds }) {
  const run = execution({ todos: TODOS });
  const { project } = run;
  const inSession = { ...project, env: { ...project.env, CLAUDE_CODE_SESSION_ID: SESSION } };
  try {
    answer(inSession, ['use', NAME]);
    const samples = new Samples();
    for (let round = 0; round < rounds; round++) oneRound(run, inSession, samples, round);
    const plain = samples.median('plain');
    return {
      title: `A changed plan taken up in an execution of ${TODOS} todos, against a plain acknowledgement there`,
      rows: [
        ratio('plan apply by an agent, which proposes', 3, samples.median('proposed'), plain),
        ratio('the yes that takes it up', 3, samples.median('taken up'), plain),
        ratio('plan apply --dry-run', '', samples.median('judged'), plain),
        ratio('plan apply, nothing changed', '', samples.median('unchanged'), plain),
      ],
    };
  } finally {
    project.remove();
  }
}

/** Plays one wave, and changes the plan while the workers' results are judged. */
function oneRound({ project, directory, prepared }, inSession, samples, round) {
  samples.add('unchanged', timedCall(project, ['plan', 'apply', NAME]));
  samples.add('plain', timedCall(project, prepared()));
  change(join(directory, 'plan-content.json'), round);
  samples.add('judged', timedCall(project, ['plan', 'apply', NAME, '--dry-run']));
  samples.add('proposed', timedCall(project, ['plan', 'apply', NAME]));
  answer(project, prepared());
  const heard = JSON.stringify({ session_id: SESSION, cwd: project.root, prompt: 'Yes, do that.' });
  answer(inSession, ['hook', 'user-prompt-submit', '--harness', 'claude'], heard);
  const { actionId, action } = JSON.parse(answer(project, ['next', NAME]));
  if (action !== 'wait-for-user') throw new Error(`no question, but ${action}`);
  samples.add('taken up', timedCall(project, ['step', 'complete', NAME, '--action', actionId, '--choice', 'approve']));
}

/** Changes the last ten todos, which do not begin soon; replaces the last one with a new todo. */
function change(path, round) {
  const plan = JSON.parse(readFileSync(path, 'utf8'));
  const { length } = plan.todos;
  const todos = plan.todos.map((todo, index) =>
    index >= length - 10 ? { ...todo, steps: [`Write it as in round ${round}.`] } : todo,
  );
  const last = todos[length - 1];
  const added = { ...last, id: `todo-r${round}`, files: [`src/round-${round}/**`] };
  writeFileSync(path, JSON.stringify({ ...plan, todos: [...todos.slice(0, -1), added] }, null, 1));
}
