import type { JsonObject } from '../../../base/json.js';
import { BLOCK_KINDS } from '../../../machine/block-kinds.js';
import { needsPerson } from '../../../recipe/declared.js';
import type { ResolvedBlock } from '../../../recipe/resolved.js';
import type { PendingAction } from '../../../run/action.js';
import type { VerifyFinding } from './finding.js';
import { type ExploredTransition, findWay, type StateGraph } from './graph.js';
import { isPending, type MachinePlace } from './place.js';
import type { ExplorationSubject } from './subject.js';
import type { Chosen } from './world.js';

/** A step of a script, as accepted by `recipe simulate` (authoring.md, Scripts). */
export interface FindingScriptStep {
  expect?: { block: string; action: string };
  until?: string;
  choose?: string;
  note?: string;
  person?: boolean;
  data?: JsonObject;
  outputs?: Record<string, JsonObject>;
  without?: Record<string, string>;
  fail?: string;
  result?: string;
  command?: { exit: number };
  invalidate?: string;
}

/** The inputs with which a run begins. */
interface ScriptGiven {
  goal?: string;
  set?: Record<string, string>;
  size?: string;
  depth?: string;
  interaction?: string;
  lacks?: string[];
  plan?: { size: string; risk?: string };
  refuse?: string;
}

/** A script that reproduces a finding. */
export interface FindingScript {
  recipe: string;
  given?: ScriptGiven;
  steps: FindingScriptStep[];
  end?: { outcome: string };
}

/** Returns the kind of action that a block issues. */
const actionOf = ({ kind }: ResolvedBlock): PendingAction['action'] => BLOCK_KINDS[kind].action;

/** Writes the shortest path to a finding as a script. @param recipe the name under which the run begins */
export function writeScript(
  subject: ExplorationSubject,
  graph: StateGraph,
  finding: VerifyFinding,
  recipe: string,
): FindingScript {
  const { node, edge } = finding;
  const last = edge === undefined || edge < 0 ? undefined : graph.edges[edge];
  const way = last === undefined ? findWay(graph, node) : [...findWay(graph, last.from), last];
  const first = graph.nodes[way[0]?.from ?? node];
  const given: ScriptGiven = {};
  const made = way.map((one): { edge: ExploredTransition; steps: FindingScriptStep[] } => ({
    edge: one,
    steps: repeat(listSteps(subject, graph, one), one.times),
  }));
  const tell = (chosen: readonly Chosen[], upTo: number) => {
    for (const [value, index] of chosen) {
      const { path = [], values = [] } = subject.values[value] ?? {};
      const by = made.slice(0, upTo + 1).findLast(({ edge: one, steps }) => {
        const block = graph.nodes[one.from]?.standing.place.block ?? -1;
        const isMaker =
          subject.producers[value]?.has(block) === true || (path[0] === 'size' && block === subject.classifier);
        return steps.length > 0 && isMaker;
      });
      if (path[0] === 'draft' && values[index] === false) {
        // The section has to be empty here. Since no move empties a section, no earlier step may fill it either.
        for (const { steps } of made.slice(0, upTo + 1)) leaveUnfilled(subject, steps, path[1] ?? '');
      }
      if (by !== undefined) setInStep(by.steps, path, values[index]);
      else if ((subject.producers[value]?.size ?? 0) === 0) setGiven(given, path, values[index]);
    }
  };
  tell(first?.begun ?? [], -1);
  for (const [at, { edge: one }] of made.entries()) tell(one.chosen, at);
  const steps = made.flatMap((one) => one.steps);
  const place = graph.nodes[last?.to ?? node]?.standing.place;
  const rests = subject.recipe.blocks[place?.block ?? -1];
  const isAsked = rests !== undefined && isPending(rests) && place?.state !== 'halted';
  const outcome = place?.state === 'halted' || place?.state === 'completed' ? place.state : null;
  return {
    recipe,
    ...(Object.keys(given).length === 0 ? {} : { given }),
    steps: isAsked ? [...steps, ...rest(rests, finding)] : steps,
    ...(outcome === null ? {} : { end: { outcome } }),
  };
}

/**
 * Returns the steps that reach a block and stop there. Because `until` alone does not stop at a running command, the
 * steps for a command expect it and let it fail.
 */
function rest({ id, kind }: ResolvedBlock, { kind: wrong }: VerifyFinding): FindingScriptStep[] {
  if (BLOCK_KINDS[kind].by !== 'cli') return [{ until: id }];
  // A command that needs an unset value is not run, so no step can expect it to be running.
  if (wrong === 'value-unset') return [{ until: 'end' }];
  return [{ expect: { block: id, action: 'running' }, command: { exit: 1 } }, { until: 'end' }];
}

function listSteps(
  { recipe }: ExplorationSubject,
  { nodes }: StateGraph,
  { from, move }: ExploredTransition,
): FindingScriptStep[] {
  const place = nodes[from]?.standing.place;
  const block = recipe.blocks[place?.block ?? -1];
  const { event } = move;
  if (block === undefined || place === undefined || move.passed === true) return [];
  if (event.type === 'INVALIDATE') return [redo(block, place, event.block)];
  if (!isPending(block)) return [];
  const expect = { block: block.id, action: place.state === 'bound' ? 'wait-for-user' : actionOf(block) };
  const ended = { command: { exit: event.type === 'DONE' ? 0 : 1 } };
  const checks = 'exitCommand' in block && block.exitCommand !== undefined && place.state === 'active';
  const isCommand = BLOCK_KINDS[block.kind].by === 'cli';
  const check = checks ? [{ expect: { block: block.id, action: 'running' }, ...ended }] : [];
  switch (event.type) {
    case 'CHOOSE':
      return [{ expect, choose: event.choice, ...describeChoice(block, event.choice) }];
    case 'FAIL':
      return [{ expect, ...(isCommand ? ended : { fail: 'It cannot be done.' }) }];
    case 'ROUND':
      return [{ expect, ...(isCommand ? ended : checks ? {} : describeRound(block)) }, ...check];
    case 'DONE':
      return [{ expect, ...(isCommand ? ended : {}) }, ...check];
    case 'HALT':
    case 'ABORT':
      return [];
  }
}

/** Redoes a block. If a command is running, the step must expect it; otherwise the play would end the command first. */
function redo(resting: ResolvedBlock, { state }: MachinePlace, invalidate: string): FindingScriptStep {
  const isAtWork = BLOCK_KINDS[resting.kind].by === 'cli' && isPending(resting) && state === 'active';
  return isAtWork ? { expect: { block: resting.id, action: actionOf(resting) }, invalidate } : { invalidate };
}

function repeat(steps: FindingScriptStep[], times: number): FindingScriptStep[] {
  return Array.from({ length: times }, () => steps.map((step) => ({ ...step }))).flat();
}

function describeChoice(block: ResolvedBlock, choice: string): Partial<FindingScriptStep> {
  const chosen = 'choices' in block ? block.choices.find(({ id }) => id === choice) : undefined;
  return {
    ...(chosen?.reasonRequired === true ? { note: 'This is to change.' } : {}),
    ...(needsPerson(block) ? { person: true } : {}),
  };
}

/** Describes a round that fills in nothing new: it hands in only the purpose, which `init` has already written. */
function describeRound(block: ResolvedBlock): Partial<FindingScriptStep> {
  return 'sections' in block && block.sections.length > 0 ? { data: { purpose: 'As before.' } } : {};
}

/**
 * Makes steps hand in all sections of their blocks except one. If no other section is left, they hand in the purpose,
 * because an action accepts any section.
 */
function leaveUnfilled({ recipe }: ExplorationSubject, steps: FindingScriptStep[], section: string): void {
  for (const step of steps) {
    const block = recipe.blocks.find(({ id }) => id === step.expect?.block);
    if (block === undefined || !('sections' in block) || block.sections.length === 0) continue;
    if (step.fail !== undefined || step.choose !== undefined || step.invalidate !== undefined) continue;
    const { [section]: _, ...others } = step.data ?? Object.fromEntries(block.sections.map((id) => [id, 'Something.']));
    step.data = Object.keys(others).length > 0 ? others : { purpose: 'As before.' };
  }
}

function setInStep(steps: FindingScriptStep[], path: readonly string[], value: unknown): void {
  const [step] = steps;
  if (step === undefined) return;
  const [root, id = '', member = '', ...keys] = path;
  switch (root) {
    case 'size':
      step.data = {
        size: String(value),
        because: { files: [], interfaces: false, data: false, unknowns: [] },
        ...step.data,
      };
      return;
    case 'agents':
      if (member === 'status') setStatus(step, id, value);
      else if (value !== null) step.outputs = setOutput(step.outputs, id, member, value);
      return;
    case 'blocks':
      setValue(steps, member, keys, value);
      return;
    case 'draft':
      if (value === true) step.data = { [id]: 'Something.', ...step.data };
      if (typeof value === 'string' && value !== '') step.data = { ...step.data, [id]: value };
      return;
    case 'result':
      if (typeof value === 'string' && value !== '') step.result = value;
  }
}

function setStatus(step: FindingScriptStep, agent: string, status: unknown): void {
  if (status === 'failed') step.without = { ...step.without, [agent]: 'It cannot be done.' };
}

function setOutput(outputs: FindingScriptStep['outputs'] = {}, agent: string, member: string, value: unknown) {
  const said = member === 'verdict' && !isVerdict(value) ? 'REJECT' : toJson(value);
  return { ...outputs, [agent]: { ...outputs[agent], [member]: said } };
}

function setValue(steps: readonly FindingScriptStep[], member: string, keys: readonly string[], value: unknown): void {
  const [step] = steps;
  const running = steps.at(-1);
  if (member === 'exit' && running?.command !== undefined) running.command = { exit: Number(value ?? 1) };
  if (member === 'data' && value !== null && step !== undefined) step.data = mergeInto(step.data ?? {}, keys, value);
}

function isVerdict(value: unknown): boolean {
  return value === 'OKAY' || value === 'REJECT';
}

function mergeInto(data: JsonObject, keys: readonly string[], value: unknown): JsonObject {
  const [key, ...rest] = keys;
  if (key === undefined) return data;
  const inner = data[key];
  const below = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : {};
  return { ...data, [key]: rest.length === 0 ? toJson(value) : mergeInto(below as JsonObject, rest, value) };
}

function toJson(value: unknown): JsonObject[string] {
  return value as JsonObject[string];
}

function setGiven(given: ScriptGiven, [root, name = '']: readonly string[], value: unknown): void {
  if (root === 'goal' && value !== '') given.goal = String(value);
  if (root === 'size') given.size = String(value);
  if (root === 'mode' && name === 'depth') given.depth = String(value);
  if (root === 'mode' && name === 'interaction') given.interaction = String(value);
  if ((root === 'vars' || root === 'preferences') && value !== null && value !== undefined)
    given.set = { ...given.set, [name]: String(value) };
}

/** Adapts a recipe's script to a run in which the recipe is a phase; earlier phases succeed. */
export function adaptToPhase(script: FindingScript, phase: string): FindingScript {
  const steps = script.steps.map((step) =>
    step.until === undefined || step.until === 'end' ? step : { ...step, until: `${phase}/${step.until}` },
  );
  const [first, ...rest] = steps;
  if (first?.expect === undefined || first.until !== undefined) return { ...script, steps };
  return { ...script, steps: [{ until: `${phase}/${first.expect.block}`, ...first }, ...rest] };
}
