import { isRecord, parseOrNull } from '../base/json.js';
import { toBoundedLine } from '../documents/foreign.js';
import { SECTION_IDS, SECTION_TEXTS } from '../documents/sections.js';
import { listRecipeFiles, readOrEmpty } from '../recipe/load/recipe-files.js';
import type { Candidate, CompletionKind } from '../registry/spec.js';
import type { ReadContext } from '../run/context.js';
import { findChoices } from '../run/pending-action.js';
import type { RunHead, RunState } from '../run/state.js';
import { findRun } from './find/find-run.js';

/** The value to complete: its kind, the run's name if the command line has one, and the text typed so far. */
interface Wanted {
  offer: CompletionKind;
  name: string | undefined;
  typed: string;
}

/** The most characters of a description; shells may cut it shorter. */
const LONGEST = 80;

/** How many runs are read for their descriptions; shells list fewer, so the rest are offered by name only. */
const MOST_RUNS = 60;

/**
 * Lists the words that a shell may offer for a value, each with a title or goal cut to one line (view.md, Completion).
 * @throws DevCliError for a run that does not exist or cannot be read
 */
export async function listCandidates(context: ReadContext, wanted: Wanted): Promise<Candidate[]> {
  const found = await findCandidates(context, wanted);
  return found.map(({ word, text }) => ({ word, text: toBoundedLine(text, LONGEST) }));
}

async function findCandidates(context: ReadContext, { offer, name, typed }: Wanted): Promise<Candidate[]> {
  switch (offer) {
    case 'file':
    case 'guide':
      return [];
    case 'section':
      return SECTION_IDS.map((word) => ({ word, text: SECTION_TEXTS[word].hint }));
    case 'recipe':
    case 'workflow':
      return listRecipes(context, offer);
    case 'name':
      return listRuns(context, typed);
    default: {
      const { snapshot, files } = await context.store.read(await findRun(context, name, false));
      return VALUES[offer](snapshot, files);
    }
  }
}

type OfRun = Exclude<CompletionKind, 'file' | 'guide' | 'section' | 'recipe' | 'workflow' | 'name'>;

/** Functions that list a run's values, by kind. Todos are also listed for a name with a plan file but no run. */
const VALUES: Record<OfRun, (state: RunState | null, files: RunHead['files']) => Candidate[]> = {
  todo: listTodos,
  block: (state) => Object.entries(state?.steps ?? {}).map(([word, { status }]) => ({ word, text: status })),
  work: (...head) => [...VALUES.block(...head), ...listTodos(...head)],
  choice: (state) => {
    const action = state?.pendingAction ?? null;
    return ((action && findChoices(action)) ?? []).map(({ id, label }) => ({ word: id, text: label }));
  },
  action: (state) => {
    const { pendingAction: action = null, engine = null } = state ?? {};
    const tasks = Object.entries(engine?.tasks ?? {}).map(([word, task]) => ({ word, text: task.todoId ?? task.role }));
    return action === null || action.action === 'done'
      ? tasks
      : [{ word: action.actionId, text: action.block }, ...tasks];
  },
  entry: (state) =>
    (state?.events ?? []).map(({ seq, type, at, block = '' }) => ({ word: `${seq}`, text: `${at} ${type} ${block}` })),
};

async function listRuns({ store }: ReadContext, typed: string): Promise<Candidate[]> {
  const names = (await store.streams()).filter((name) => name.startsWith(typed));
  const found = names.map(async (word, at): Promise<Candidate[]> => {
    if (at >= MOST_RUNS) return [{ word, text: '' }];
    const { snapshot } = await store.read(word);
    return snapshot === null ? [] : [{ word, text: describeRun(snapshot) }];
  });
  return (await Promise.allSettled(found)).flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
}

function describeRun({ status, held, phase, goal }: RunState): string {
  const standing = status !== 'live' ? status : held === undefined ? phase : 'held';
  return [standing, ...(goal === null ? [] : [goal])].join(': ');
}

function listTodos(state: RunState | null, files: RunHead['files']): Candidate[] {
  if (state?.engine) return state.engine.order.map((word) => describeTodo(word, state.engine?.todos[word]));
  const plan = parseOrNull(files.read('plan-content.json')?.toString() ?? null);
  const todos = isRecord(plan) && Array.isArray(plan['todos']) ? plan['todos'] : [];
  return todos.flatMap((todo) => (isRecord(todo) ? [{ word: `${todo['id']}`, text: `${todo['title']}` }] : []));
}

function describeTodo(word: string, todo: { status: string; title: string } | undefined): Candidate {
  return { word, text: todo === undefined ? '' : `${todo.status}: ${todo.title}` };
}

/** Reads kind and description from the recipe files' lines without parsing YAML, which would take completion longer. */
function listRecipes({ library }: ReadContext, offer: 'recipe' | 'workflow'): Candidate[] {
  return listRecipeFiles(library).flatMap(({ name, path, hiddenBy }) => {
    const text = hiddenBy === undefined ? readOrEmpty(library, path) : '';
    if (!text.includes('\nname:') || /^phases:/m.test(text) !== (offer === 'workflow')) return [];
    return [{ word: name, text: /^description: *["']?(.*?)["']?$/m.exec(text)?.[1] ?? '' }];
  });
}
