import type { ErrorDetail } from '../../base/errors.js';
import { renderValue } from '../../documents/schema-findings.js';
import { findReferences } from '../model/graph.js';
import type { PlanAcceptance, PlanTodo } from '../model/schema.js';
import { createOccurrenceTest, isSameText } from './coverage.js';
import { createFinding, listRepeated, type PlanDemands, type ValidParts, type WithPointer } from './parts.js';
import { getScript, skipRunners } from './suite-commands.js';

/** Checks that each requirement is traced from the words it comes from to a proof (documents.md, Requirements). */

/** Finds faults in the requirements of a plan, and in references to them. */
export function checkRequirements(parts: ValidParts, demands: PlanDemands): ErrorDetail[] {
  return [
    ...checkPresence(parts, demands),
    ...checkIds(parts),
    ...checkQuotes(parts, demands),
    ...checkNames(parts),
    ...checkProofs(parts),
    ...checkTraces(parts),
  ];
}

function checkPresence({ requirementIds, originalRequest }: ValidParts, demands: PlanDemands): ErrorDetail[] {
  if (demands.complete !== true) return [];
  const none =
    requirementIds.size > 0
      ? []
      : [
          createFinding(
            '/requirements',
            'there are no requirements: state each thing that was asked for, with the words that it comes from',
          ),
        ];
  const { request } = demands;
  const other = typeof request === 'string' && originalRequest !== null && !isSameText(originalRequest, request);
  const copied = 'differs from the request; leave it out, and the goal of the run is used';
  return other ? [...none, createFinding('/context/originalRequest', copied)] : none;
}

function checkIds({ requirements }: ValidParts): ErrorDetail[] {
  const placed = requirements ?? [];
  const repeated = listRepeated(placed.map(({ value }) => value.id)).map(({ index, first, value }) =>
    createFinding(
      `${placed[index]?.pointer}/id`,
      `id ${renderValue(value)} is already taken by ${placed[first]?.pointer}`,
    ),
  );
  // Some code stores requirements as properties of an object, named by their ids. Every object already has a property
  // `constructor`, for example, which would be mistaken for the requirement.
  const reserved = placed.filter(({ value }) => value.id in {});
  return [
    ...repeated,
    ...reserved.map(({ value, pointer }) =>
      createFinding(`${pointer}/id`, `${renderValue(value.id)} is a reserved word`),
    ),
  ];
}

function checkQuotes({ requirements, originalRequest }: ValidParts, demands: PlanDemands): ErrorDetail[] {
  const request = demands.request === null ? originalRequest : demands.request;
  const quoting = (requirements ?? []).filter(({ value }) => value.from === 'request');
  if (request == null || quoting.length === 0) return [];
  const occurs = createOccurrenceTest(request);
  return quoting
    .filter(({ value }) => !occurs(value.quote))
    .map(({ value, pointer }) =>
      createFinding(
        `${pointer}/quote`,
        `${renderValue(value.quote)} does not occur in the request; quote it word for word, or name its source: "from": "user"`,
      ),
    );
}

/** Checks that `serves` and `proves` name existing requirements. */
function checkNames({ todos, decisions, requirementIds }: ValidParts): ErrorDetail[] {
  const unknown = (ids: readonly string[] | undefined, pointer: string) =>
    (ids ?? []).flatMap((id, index) =>
      requirementIds.has(id)
        ? []
        : [createFinding(`${pointer}/${index}`, `there is no requirement ${renderValue(id)}`)],
    );
  return [
    ...decisions.flatMap(({ value, pointer }) => unknown(value.serves, `${pointer}/serves`)),
    ...todos.flatMap(({ value, pointer }) => [
      ...unknown(value.serves, `${pointer}/serves`),
      ...value.acceptance.flatMap((item, index) =>
        unknown(item.proves, `${pointer}/acceptance/${index}/proves`).map((found) => ({ ...found, target: value.id })),
      ),
    ]),
  ];
}

function checkProofs({ todos, requirementIds }: ValidParts): ErrorDetail[] {
  return todos.flatMap(({ value: todo, pointer }) => {
    const served = new Set(todo.serves ?? []);
    return todo.acceptance.flatMap((item, index) => {
      const at = `${pointer}/acceptance/${index}`;
      const known = (item.proves ?? []).filter((id) => requirementIds.has(id));
      const beyond = known.flatMap((id, place) =>
        served.has(id)
          ? []
          : [createFinding(`${at}/proves/${place}`, `${renderValue(id)} is not among what ${todo.id} serves`, todo.id)],
      );
      return known.length > 0 && item.kind === 'command' ? [...beyond, ...checkCircle(item, at, todo)] : beyond;
    });
  });
}

/**
 * Finds a circular proof: a command that looks only at the plan's own text or at a worker's report, so that it passes
 * regardless of the work.
 */
function checkCircle(item: Extract<PlanAcceptance, { kind: 'command' }>, at: string, todo: PlanTodo): ErrorDetail[] {
  if (!looksAtNothing(item)) return [];
  const told = item.run.flatMap(findReferences)[0];
  const by = told === undefined ? 'the text of the plan itself' : `what the worker of ${told.todo} reported`;
  return [
    createFinding(
      `${at}/run`,
      `proves nothing, because it looks only at ${by}; run a command that checks the changed files`,
      todo.id,
    ),
  ];
}

const SAYS = /^(?:true|:|echo|printf|yes|exit)$/;
const COMPARES = /^(?:test|\[)$/;
/** Options with which the shell command `test` examines a file. */
const LOOKS = /^-(?:[a-hkprstuwxGLNOS]|nt|ot|ef)$/;
/** Characters by which a script uses more than its own words: in substitutions, variables, redirections and pipes. */
const TAKES = /\$|`|[<>]|\|(?!\|)/;
/**
 * Match programs that accept a script as an argument, the options with which they accept it, and lines of such a script
 * that only exit or print a word.
 */
const INTERPRETER = /^(?:node|deno|bun|python3?|ruby|perl|php)$/;
const SCRIPT = /^(?:-[a-z]*[ecr]|--eval)$/;
const ENDS =
  /^(?:(?:console\.log|print|puts|process\.exit|sys\.exit|exit)[\s(]*(?:\d*|'[^']*'|"[^"]*")[\s)]*|pass|true|\d*)$/;
/** Tools whose version says nothing about the project. */
const TOOL = /^(?:git|npm|pnpm|yarn|go|cargo|java|make)$/;

/** Returns whether a command only prints or compares its own words, or passes regardless of the files in the tree. */
function looksAtNothing({ run: given, expect }: Extract<PlanAcceptance, { kind: 'command' }>): boolean {
  const run = skipRunners(given);
  const script = getScript(run);
  if (script === null) return saysOnly(run) || (expect === undefined && passesAlways(run));
  const plain = script.replace(/\$\{[\w-]+\.outputs\.[\w-]+\}/g, 'value');
  return !TAKES.test(plain) && plain.split(/&&|\|\||[;\n]/).every((command) => saysOnly(command.trim().split(/\s+/)));
}

function saysOnly([program = '', ...words]: readonly string[]): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (INTERPRETER.test(name)) {
    const [option = '', script] = words;
    return SCRIPT.test(option) && (script ?? '').split(/[;\n]/).every((line) => ENDS.test(line.trim()));
  }
  return name === '' || SAYS.test(name) || (COMPARES.test(name) && !words.some((word) => LOOKS.test(word)));
}

/** Matches commands such as `git status` or `node --version`, which pass before the work as well as after it. */
function passesAlways([program = '', first = '', ...rest]: readonly string[]): boolean {
  if (program === 'git' && /^(?:status|log|branch)$/.test(first)) return rest.every((word) => word.startsWith('-'));
  return (INTERPRETER.test(program) || TOOL.test(program)) && /^(?:-v|--version|--help)$/.test(first);
}

/**
 * Checks that each requirement is served and proved. Skipped if any todo does not fit the schema, since that todo might
 * serve or prove the requirement.
 */
function checkTraces({ requirements, todos, byId }: ValidParts): ErrorDetail[] {
  if (requirements === null || todos.length === 0 || [...byId.values()].includes(null)) return [];
  const served = new Set(todos.flatMap(({ value }) => value.serves ?? []));
  const proved = new Set(todos.flatMap(({ value }) => value.acceptance.flatMap((item) => item.proves ?? [])));
  return requirements.flatMap(({ value: { id }, pointer }: WithPointer<{ id: string }>) => {
    if (!served.has(id)) return [createFinding(pointer, `no todo serves ${id}`)];
    return proved.has(id) ? [] : [createFinding(pointer, `nothing proves ${id}: name it in "proves" of an acceptance`)];
  });
}
