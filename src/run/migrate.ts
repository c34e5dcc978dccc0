import { isRecord, type JsonObject } from '../base/json.js';
import { SCHEMA_VERSION } from './version.js';

/**
 * Brings a stored state.json to the present version (storage.md, state.json): one function for each step, on JSON, before the
 * schema is checked. A value that is no version's state comes back as a value that the check refuses.
 */

const STEPS: Readonly<Record<number, (state: JsonObject) => JsonObject>> = { 1: nestRecipes };

/** Migrates a stored snapshot; one of the present version is returned as it is. */
export function migrate(stored: JsonObject): JsonObject {
  let state = stored;
  for (let version = Number(state['schemaVersion']); version < SCHEMA_VERSION; version++) {
    const step = STEPS[version];
    if (step === undefined) return state;
    state = { ...step(state), schemaVersion: version + 1 };
  }
  return state;
}

/** Members of version 1 that belong to the recipe at work. */
const OF_RECIPE = [
  'skill',
  'mode',
  'vars',
  'machine',
  'steps',
  'agents',
  'gates',
  'inputHashes',
  'result',
  'commands',
  'commandResults',
  'sourcesRefused',
  'lastError',
] as const;

/** 1 to 2: each recipe a value of its own, each todo a row of its own. */
function nestRecipes(state: JsonObject): JsonObject {
  const { recipe: name, acknowledged, reviewRounds, engine, events, workflow, ...rest } = state;
  const current: JsonObject = { name: name ?? null };
  for (const key of OF_RECIPE) {
    current[key] = rest[key] ?? null;
    delete rest[key];
  }
  current['engine'] = isRecord(engine) ? nestTodos(engine as JsonObject) : null;
  current['acknowledged'] = {};
  current['reviewRounds'] = [];
  current['commands'] = nestCommands(toRecord(current['commands']));
  const rows = listRecords(toRecord(workflow)['phases']);
  const ended = rows.flatMap(buildEndedRecipe);
  const recipes = [...ended, { phase: null, state: current }];
  const inPhase = (phase: string | null) => recipes.findLast((one) => one.phase === phase)?.state ?? current;
  for (const [actionId, place] of Object.entries(toRecord(acknowledged))) {
    const [, phase = null, block = '', todo] = /^(?:([^:]*):)?([^/]*)(?:\/(.*))?$/s.exec(String(place)) ?? [];
    const known = inPhase(phase)['acknowledged'] as JsonObject;
    known[actionId] = { block, ...(todo === undefined ? {} : { todo }) };
  }
  for (const round of listRecords(reviewRounds)) {
    const owner = [...recipes]
      .reverse()
      .find((one) => Object.hasOwn(toRecord(one.state['steps']), String(round['block'])));
    ((owner?.state ?? current)['reviewRounds'] as JsonObject[]).push(round);
  }
  return {
    ...rest,
    recipe: isRecord(workflow) ? ((workflow as JsonObject)['name'] ?? null) : (name ?? null),
    recipes: recipes.map((one) => one.state),
    workflow: isRecord(workflow)
      ? { ...(workflow as JsonObject), phases: rows.map(({ steps: _steps, agents: _agents, ...row }) => row) }
      : null,
    lastEntry: findLastEntry(listRecords(events), rest['seq'] ?? 0),
  };
}

/** What version 1 kept of a phase that has ended, or of its attempts before the present one. */
function buildEndedRecipe({ name, recipe, status, steps, agents }: JsonObject): { phase: string; state: JsonObject }[] {
  if (!isRecord(steps) && !isRecord(agents)) return [];
  const state: JsonObject = {
    name: recipe ?? null,
    skill: '',
    mode: {},
    vars: {},
    machine: { value: status === 'done' ? 'completed' : 'halted', counters: {} },
    steps: toRecord(steps),
    agents: toRecord(agents),
    gates: {},
    acknowledged: {},
    inputHashes: {},
    reviewRounds: [],
    result: null,
    commands: {},
    commandResults: {},
    sourcesRefused: null,
    engine: null,
    lastError: null,
  };
  return [{ phase: String(name), state }];
}

/** Version 1 wrote `<action>/<acceptance>` for the action of a command that `dev-cli check` runs. */
function nestCommands(commands: JsonObject): JsonObject {
  const rows = listRecords(Object.values(commands)).map(({ actionId, ...row }): JsonObject => {
    const [action = '', check] = String(actionId).split(/\/(.*)/s);
    return { ...row, actionId: action, ...(check === undefined ? {} : { check }) };
  });
  return Object.fromEntries(rows.map((row) => [String(row['key']), row]));
}

function findLastEntry(events: readonly JsonObject[], before: JsonObject[string]): JsonObject {
  const { seq = before, type, summary } = events.findLast((event) => event['type'] !== 'recovered') ?? {};
  const [, command] = type === 'document' ? (/^([^:]*):/.exec(String(summary)) ?? []) : [];
  return { seq, ...(command === undefined ? {} : { command }) };
}

/** Maps of version 1 by todo, and the member of a todo's row that takes their values. */
const OF_TODO: Readonly<Record<string, string>> = {
  outputs: 'outputs',
  bodies: 'body',
  evidence: 'evidence',
  baselines: 'baseline',
  charged: 'charged',
  listed: 'listed',
  notMine: 'notMine',
  committed: 'committed',
  verdicts: 'verdicts',
  summaries: 'summary',
  reports: 'report',
  failures: 'failures',
  answers: 'answers',
  rulings: 'rulings',
};

function nestTodos(engine: JsonObject): JsonObject {
  const rest = { ...engine };
  const todos: JsonObject = {};
  for (const [id, row] of Object.entries(toRecord(engine['todos']))) todos[id] = { ...toRecord(row) };
  for (const [map, member] of Object.entries(OF_TODO)) {
    delete rest[map];
    for (const [id, value] of Object.entries(toRecord(engine[map]))) {
      const row = todos[id];
      if (isRecord(row)) (row as JsonObject)[member] = value;
    }
  }
  const rulings = toRecord(engine['rulings'])[''];
  const residual = toRecord(engine['committed'])['residual'];
  return {
    ...rest,
    todos,
    evidence: toRecord(engine['evidence'])[''] ?? [],
    ...(rulings === undefined ? {} : { rulings }),
    ...(residual === undefined ? {} : { residual }),
  };
}

function toRecord(value: unknown): JsonObject {
  return isRecord(value) ? (value as JsonObject) : {};
}

function listRecords(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter((one): one is JsonObject => isRecord(one)) : [];
}
