import { findNodeAtLocation, getNodeValue, type Node, parseTree } from 'jsonc-parser';
import { isRecord } from '../../../base/json.js';
import type { SourceLocation } from '../../../plan/markdown/place.js';
import type { ImportNotes } from '../notes.js';
import {
  createSourcePlan,
  type SourceFile,
  type SourcePlan,
  type SourceStep,
  type SourceTask,
} from '../source-plan.js';

/** A value of a file, with its position. */
interface Found {
  value: unknown;
  at: SourceLocation;
}

/** Members of a task that the import uses, or that a todo does not need. Any other member becomes a note. */
const PLACED = ['id', 'title', 'context', 'approach', 'acceptance', 'risk', 'status', 'deps', 'created_at'];

/** Reads the tasks and the plan of the neutral contract (neutral.md, Seams with runs). */
export function readNexus(files: readonly SourceFile[], notes: ImportNotes): SourcePlan {
  const open = (name: string) => readJson(files.find(({ path }) => path.endsWith(name)));
  const [tasks, planned] = [open('tasks.json'), open('plan.json')];
  const topic = textOf(planned, 'topic');
  const goal = textOf(tasks, 'goal');
  const plan = createSourcePlan('nexus', topic?.text ?? goal?.text ?? 'tasks.json');
  plan.core = topic?.text ?? goal?.text ?? null;
  if (goal !== null && topic !== null) plan.request = [goal];
  const research = textOf(planned, 'research_summary');
  if (research !== null) plan.findings = [research];
  for (const issue of listOf(planned, 'issues')) {
    const title = textOf(issue, 'title');
    const decision = textOf(issue, 'decision');
    if (title === null) continue;
    if (decision === null) plan.needs.push(title);
    else
      plan.decisions.push({
        text: `${title.text}${/[?!.:]$/.test(title.text) ? '' : ':'} ${decision.text}`,
        reason: '',
        at: decision.at,
      });
  }
  for (const { value, at } of listOf(tasks, 'decisions').map(toFound)) {
    if (typeof value === 'string') plan.decisions.push({ text: value, reason: '', at });
  }
  const listed = listOf(tasks, 'tasks');
  const all = listed.filter((task) => textOf(task, 'title') !== null);
  for (const { value, at } of listed.filter((task) => !all.includes(task)).map(toFound)) {
    notes.refuse(at, JSON.stringify(value), 'a task without a title is no todo');
  }
  for (const task of sortByDeps(all)) plan.tasks.push(readTask(task, plan, notes));
  return plan;
}

function readTask(task: Member, plan: SourcePlan, notes: ImportNotes): SourceTask {
  const { value, at } = toFound(task);
  const members = isRecord(value) ? value : {};
  const risk = textOf(task, 'risk');
  if (risk !== null) plan.risks.push(risk);
  const steps = ['context', 'approach'].flatMap((key): SourceStep[] => {
    const said = textOf(task, key);
    return said === null ? [] : [{ ...said, isDone: false }];
  });
  for (const [key, said] of Object.entries(members)) {
    if (!PLACED.includes(key)) notes.refuse(at, `${key}: ${JSON.stringify(said)}`, 'a todo has nothing of this kind');
  }
  return {
    id: `task-${idOf(task)}`,
    title: textOf(task, 'title')?.text ?? '',
    at,
    phase: 0,
    isParallel: true,
    after: depsOf(task).map((id) => `task-${id}`),
    steps,
    check: textOf(task, 'acceptance')?.text ?? null,
    files: [],
    references: [],
    below: [],
    commands: [],
    namesCommands: false,
    isCheck: false,
    commit: null,
    isDone: members['status'] === 'completed',
    mark: null,
    serves: null,
  };
}

/** Puts each task after those that it depends on. Tasks that depend on each other in a circle keep their order. */
function sortByDeps(tasks: readonly Member[]): Member[] {
  const sorted: Member[] = [];
  const visit = (task: Member, above: readonly Member[]): void => {
    if (sorted.includes(task) || above.includes(task)) return;
    for (const id of depsOf(task)) {
      const other = tasks.find((one) => idOf(one) === id);
      if (other !== undefined) visit(other, [...above, task]);
    }
    sorted.push(task);
  };
  for (const task of tasks) visit(task, []);
  return sorted;
}

/** A JSON node, with the file in which its line number is looked up. */
interface Member {
  node: Node;
  file: SourceFile;
}

function readJson(file: SourceFile | undefined): Member | null {
  const node = file === undefined ? undefined : parseTree(file.text, [], { disallowComments: true });
  return node === undefined || file === undefined ? null : { node, file };
}

function toFound({ node, file }: Member): Found {
  const line = file.text.slice(0, node.offset).split('\n').length;
  return { value: getNodeValue(node) as unknown, at: { path: file.path, line } };
}

function memberOf({ node, file }: Member, key: string): Member | null {
  const found = findNodeAtLocation(node, [key]);
  return found === undefined ? null : { node: found, file };
}

function listOf(member: Member | null, key: string): Member[] {
  const list = member === null ? null : memberOf(member, key);
  return list?.node.type === 'array' ? (list.node.children ?? []).map((node) => ({ node, file: list.file })) : [];
}

function textOf(member: Member | null, key: string): { text: string; at: SourceLocation } | null {
  const found = member === null ? null : memberOf(member, key);
  if (found === null || typeof found.node.value !== 'string' || found.node.value.trim() === '') return null;
  return { text: found.node.value.replace(/\s+/g, ' ').trim(), at: toFound(found).at };
}

function idOf(task: Member): string {
  return String(memberOf(task, 'id')?.node.value);
}

function depsOf(task: Member): string[] {
  return listOf(task, 'deps').map(({ node }) => String(node.value));
}
