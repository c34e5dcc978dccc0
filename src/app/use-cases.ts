import type { JsonObject } from '../base/json.js';
import { stepComplete } from '../protocol/acknowledge/complete.js';
import type { Editor } from '../protocol/plan/edit.js';
import type { Handler, HandlersOf, WithPorts } from '../protocol/ports.js';
import type { CORE } from '../registry/catalogue.js';
import type { Context, HistoryContext } from '../run/context.js';
import { createRestoredView } from '../run/documents/lost.js';
import type { CallEnvironment } from './environment.js';

type Core = (typeof CORE)['specs'];

/** The handlers of questions, which are the commands that only read: their context type offers nothing that writes. */
export type Questions = Omit<HandlersOf<Core, HistoryContext & WithPorts>, 'help' | 'mcp'>;

const document =
  (command: string): Handler<JsonObject> =>
  async (context, input) =>
    (await import('../protocol/documents.js')).runDocumentCommand(context, command, input);

/** Questions about runs. Most of them read a run as if its lost documents had been restored. */
const QUESTIONS = {
  manifest: async (context, { name }) =>
    (await import('../protocol/questions/manifest.js')).showManifest(createRestoredView(context), name),
  list: async (context) => (await import('../protocol/questions/shown.js')).showRunListForTerminal(context),
  'plan diff': async (context, { name, ...input }) =>
    (await import('../protocol/plan/diff.js')).diffPlans(createRestoredView(context), name, input),
  history: async (context, { name, ...input }) =>
    (await import('../protocol/questions/history.js')).showHistory(context, name, input),
  journal: async (context, { name, ...input }) =>
    (await import('../protocol/questions/history.js')).streamJournal(context, name, input),
  replay: async (context, { name, at }) => {
    const { checkReplay, showReplay } = await import('../protocol/questions/replay.js');
    return at === undefined ? checkReplay(context, name) : showReplay(context, name, at);
  },
} satisfies Partial<Questions>;

/**
 * The handler of each command of the core. Every call loads this table, so a row imports its module only when it is
 * used (house.md, Speed); only `step complete`, the most frequent call, is imported at once. `help` and `mcp` have no
 * row, because the front door (src/cli/front.ts) answers them.
 */
export const USE_CASES: Omit<HandlersOf<Core>, 'help' | 'mcp'> = {
  ...QUESTIONS,
  status: async (context, { name, watch, ...input }) =>
    watch === true
      ? (await import('../protocol/questions/watch.js')).watchStatus(createRestoredView(context), name, input)
      : (await import('../protocol/questions/shown.js')).showStatusForTerminal(
          createRestoredView(context),
          name,
          input,
        ),
  use: async (context, { name }) => (await import('../protocol/control/use.js')).activateRun(context, name),
  check: async (context, { subject, action, ...input }, { cwd }) =>
    action === undefined
      ? (await import('../protocol/questions/check.js')).checkDocumentFile(createRestoredView(context), subject, cwd)
      : (await import('../protocol/acknowledge/check-action.js')).checkAction(context, subject, { action, ...input }),
  init: async (...given) => (await import('./begin.js')).beginRun(...given),
  // Reached only if something must be finished first; otherwise the small program for questions has answered `next`.
  next: async (context, { name, ...input }) =>
    (await import('../protocol/questions/next.js')).showNextAction(context, name, input),
  'step complete': (context, { name, result, ...input }) => {
    const said = result === undefined ? {} : { result };
    return stepComplete(context, name, { ...input, ...(result === 'fail' ? { fail: true } : said) });
  },
  'step fail': (context, { name, ...input }) => stepComplete(context, name, { ...input, fail: true }),
  'step invalidate': async (context, { name, ...input }) =>
    (await import('../protocol/control/invalidate.js')).stepInvalidate(context, name, input),
  abort: async (context, { name, reason }) =>
    (await import('../protocol/control/abort.js')).abortNamedRun(context, name, reason),
  hold: async (context, { name, ...input }) =>
    (await import('../protocol/control/hold.js')).holdRun(context, name, input),
  release: async (context, { name }) => (await import('../protocol/control/hold.js')).releaseRun(context, name),
  'step undo': async (context, { name, ...input }) =>
    (await import('../protocol/undo/undo.js')).stepUndo(context, name, input),
  'draft update': document('draft update'),
  'draft show': document('draft show'),
  'draft import': document('draft import'),
  'draft validate': document('draft validate'),
  'draft auto-assume': document('draft auto-assume'),
  'plan template': document('plan template'),
  'plan generate': document('plan generate'),
  'plan validate': document('plan validate'),
  'plan summary': document('plan summary'),
  'plan apply': async (context, { name, ...input }) =>
    (await import('../protocol/plan/apply.js')).applyPlan(context, name, input),
  'analysis save': document('analysis save'),
  cleanup: document('cleanup'),
  fork: async (context, { name, ...input }) =>
    (await import('../protocol/control/fork.js')).forkRun(context, name, input),
  approve: async (context, { name, ...input }, call) =>
    (await import('../protocol/approve/approve.js')).approve(context, name, input, createEditor(context, call)),
  'plan edit': async (context, { name, ...input }, environment) =>
    (await import('../protocol/plan/edit.js')).editPlan(context, name, input, createEditor(context, environment)),
  'plan add': async (context, { name, ...input }) =>
    (await import('../protocol/plan/change.js')).addTodoToPlan(context, name, input),
  'plan drop': async (context, { name, ...input }) =>
    (await import('../protocol/plan/change.js')).dropTodoFromPlan(context, name, input),
  'plan move': async (context, { name, ...input }) =>
    (await import('../protocol/plan/change.js')).moveTodoInPlan(context, name, input),
  trust: async (context, { recipe }) => (await import('../protocol/trust/trust.js')).trustNamed(context, recipe),
  'pull-request branch': async (context, { name }) =>
    (await import('../protocol/pull-request.js')).ensurePullRequestBranch(context, name),
  'pull-request open': async (context, { name }) =>
    (await import('../protocol/pull-request.js')).openPullRequest(context, name),
};

/** Creates access to the calling person's editor. */
export function createEditor(
  { signal }: Pick<Context, 'signal'>,
  { env, write }: Pick<CallEnvironment, 'env' | 'write'>,
): Editor {
  return {
    async open(path, note) {
      if (note !== '') write?.(`${note}\n`);
      const { runEditor } = await import('../work/editor.js');
      await runEditor(path, { env, signal });
    },
  };
}
