import { resolve } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { canonicalJson, isRecord } from '../../base/json.js';
import { renderCount } from '../../base/words.js';
import type { Context } from '../../run/context.js';
import type { Case, CaseStep, ExpectedValue } from './fixture.js';
import { parsePath } from './paths.js';
import { openShipped } from './run.js';
import { type Requirement, readStateSchemas, readSuite, readSuiteRequirements } from './suite.js';

/** A gap in a suite: something that a case claims to cover but does not assert, or that no case covers. */
interface Finding {
  suite: string;
  /** Only an error makes the call fail. */
  severity: 'error' | 'note';
  case?: string;
  problem: string;
}

/**
 * `conformance validate` (neutral.md, Conformance). Two kinds of gaps are only notes: those of the published suite, and
 * fields that a suite other than dev-cli's own does not claim.
 * @param given a directory; undefined for both shipped suites
 * @throws DevCliError `SCHEMA_INVALID` with everything that is wrong with the fixtures; `USAGE` for a suite without
 * cases; `IO`
 */
export async function validateConformance(context: Context, given: string | undefined, cwd: string): Promise<Answer> {
  const shipped = openShipped(context);
  const requirements = readSuiteRequirements(shipped);
  const schemas = [...readStateSchemas(shipped)].map(
    ([name, text]) => [`${name}.schema.json`, listFields(JSON.parse(text))] as const,
  );
  const suites = given === undefined ? ['published', 'own'] : [resolve(cwd, given)];
  const findings = suites.flatMap((suite) => {
    const cases = readSuite(suite, shipped, 'dev-cli-agent');
    const find = (severity: Finding['severity'], problems: readonly string[], id?: string): Finding[] =>
      problems.map((problem) => ({ suite, severity, ...(id !== undefined && { case: id }), problem }));
    const unclaimed = schemas.flatMap(([schema, fields]) => listUnclaimed(schema, fields, cases));
    return [
      ...cases.flatMap((one) =>
        find(suite === 'published' ? 'note' : 'error', [...listEmptyClaims(one), ...listUnproven(one)], one.id),
      ),
      ...find(suite === 'own' ? 'error' : 'note', unclaimed),
      ...find('error', listUnknown(cases, requirements)),
      ...(suite === 'own' ? find('error', [...listUntested(cases, requirements), ...listUnasked(cases)]) : []),
    ];
  });
  const ok = findings.every(({ severity }) => severity === 'note');
  return {
    json: { ok, findings },
    exit: ok ? 0 : 3,
    recorded: true,
    text: () =>
      [
        ...findings.map(({ suite, severity, case: id, problem }) => `${severity}: ${id ?? suite}: ${problem}`),
        renderCount(findings.length, 'finding'),
      ].join('\n'),
  };
}

/** Lists the field paths of a schema in the notation of `covers`, but without brackets: `issues.status`. */
function listFields(schema: unknown, root: unknown = schema, prefix = ''): string[] {
  if (!isRecord(schema)) return [];
  if (typeof schema['$ref'] === 'string') {
    const name = schema['$ref'].slice('#/$defs/'.length);
    return listFields((isRecord(root) && isRecord(root['$defs']) ? root['$defs'] : {})[name], root, prefix);
  }
  const variants = Array.isArray(schema['oneOf']) ? schema['oneOf'] : [];
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  const below = properties.flatMap(([name, member]) => {
    const path = join(prefix, name);
    return [path, ...listFields(member, root, path)];
  });
  return [...new Set([...below, ...[schema['items'], ...variants].flatMap((one) => listFields(one, root, prefix))])];
}

/** A field that a case asserts: `about` is a tool, or the schema of a file. */
interface Asserted {
  about: string;
  field: string;
}

function listAsserted({ steps }: Case): Asserted[] {
  const of = (about: string, values: Readonly<Record<string, ExpectedValue>>): Asserted[] =>
    Object.entries(values).flatMap(([path, expected]) => {
      const at = parsePath(path).filter((step) => typeof step === 'string' && step !== 'length');
      const below = isRecord(expected) && 'equals' in expected ? listMembers(expected['equals']) : [];
      return ['', ...below].map((name) => ({ about, field: [...at, name].filter(Boolean).join('.') }));
    });
  return steps.flatMap(({ name, expects }) => [
    ...of(name, expects.returns),
    ...(expects.error ? [{ about: name, field: 'error' }] : []),
    ...Object.entries(expects.files).flatMap(([file, expected]) => {
      const about = `${file.slice(file.lastIndexOf('/') + 1).replace(/\.json$/, '')}.schema.json`;
      // An assertion that a file exists, or does not, says nothing about its fields.
      const hasFields = expected !== null && typeof expected === 'object' && typeof expected['text'] !== 'string';
      return hasFields ? of(about, expected as Record<string, ExpectedValue>) : [];
    }),
  ]);
}

/** Lists the paths of all members of a value; items of a list share one path. */
function listMembers(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listMembers(item, prefix));
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const path = join(prefix, name);
    return [path, ...listMembers(member, path)];
  });
}

/** Reports the fields of a schema that no case claims or asserts, as one finding. */
function listUnclaimed(schema: string, fields: readonly string[], cases: readonly Case[]): string[] {
  const claimed = new Set([
    ...cases.flatMap(({ covers }) => covers.state_schemas?.[schema] ?? []).map(plain),
    ...cases.flatMap(listAsserted).flatMap(({ about, field }) => (about === schema ? field : [])),
  ]);
  const open = fields.filter((field) => !claimed.has(field));
  return open.length === 0 ? [] : [`no case claims ${open.join(', ')} of ${schema}`];
}

/** Lists claims for which the case asserts nothing at the claimed path or below it. */
function listEmptyClaims(one: Case): string[] {
  const asserted = listAsserted(one);
  const isProved = (owner: string, claim: string): boolean =>
    asserted.some(
      ({ about, field }) => about === owner && (field === plain(claim) || field.startsWith(`${plain(claim)}.`)),
    );
  return Object.entries({ ...one.covers.return_value, ...one.covers.state_schemas }).flatMap(([owner, paths]) =>
    paths
      .filter((claim) => !isProved(owner, claim))
      .map((claim) => `it claims ${claim} of ${owner}, and asserts nothing there`),
  );
}

/**
 * Lists the parameters of accepted calls of which the case asserts neither the name nor the value, and which it does
 * not exempt in `uncovered_params`.
 */
function listUnproven(one: Case): string[] {
  const claims = Object.values({ ...one.covers.state_schemas, ...one.covers.return_value })
    .flat()
    .map(plain);
  const names = new Set([...claims, ...listAsserted(one).map(({ field }) => field)].flatMap((path) => path.split('.')));
  const values = new Set(
    one.steps.flatMap(({ expects }) =>
      [expects.returns, ...Object.values(expects.files)].flatMap((part) => listValues(part)),
    ),
  );
  const given = one.steps.flatMap(({ params, expects }) => (expects.error ? [] : Object.entries(params)));
  const open = given.filter(([name, value]) => !names.has(name) && !values.has(canonicalJson(value)));
  return [...new Set(open.map(([name]) => name))]
    .filter((name) => !one.uncovered.includes(name))
    .map((name) => `it gives ${name}, and neither asserts it nor excepts it in uncovered_params`);
}

function listValues(value: unknown): string[] {
  const members = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return [canonicalJson(value), ...members.flatMap(listValues)];
}

function listUnknown(cases: readonly Case[], requirements: readonly Requirement[]): string[] {
  const named = new Set(cases.flatMap(({ requires }) => requires));
  return [...named].filter((id) => requirements.every((one) => one.id !== id)).map((id) => `no requirement is ${id}`);
}

/** Lists requirements that no case proves, and messages quoted in requirements that no case expects. */
function listUntested(cases: readonly Case[], requirements: readonly Requirement[]): string[] {
  return requirements.flatMap(({ id, text }) => {
    const expected = cases
      .filter(({ requires }) => requires.includes(id))
      .flatMap(({ steps }) => steps.map(({ expects }) => expects.errorContains ?? String(expects.returns['$.error'])));
    if (expected.length === 0) return [`no case proves ${id}`];
    const messages = [...text.matchAll(/"([^"]+)"/g)].map(([, message = '']) => message);
    return messages
      .filter((message) => !expected.some((one) => new RegExp(message.replaceAll(/<\w+>/g, '.*')).test(one)))
      .map((message) => `no case of ${id} expects "${message}"`);
  });
}

/** Lists tools for which no case lists the fields of the reply, and listed fields that no case asserts. */
function listUnasked(cases: readonly Case[]): string[] {
  const steps = cases.flatMap((one) => one.steps).filter(({ kind }) => kind === 'tool');
  const fields = ({ expects: { returns } }: CaseStep): string[] => {
    const whole = returns['$'];
    return isRecord(whole) && 'keys' in whole ? whole['keys'] : [];
  };
  return [...new Set(steps.map(({ name }) => name))].flatMap((tool) => {
    const calls = steps.filter(({ name }) => name === tool);
    const paths = calls.flatMap(({ expects }) => Object.keys(expects.returns));
    const listed = [...new Set(calls.flatMap(fields))];
    if (listed.length === 0) return [`no case lists the fields of ${tool}`];
    return listed
      .filter((field) => !paths.some((path) => parsePath(path)[0] === field))
      .map((field) => `no case asks for ${field} of ${tool}`);
  });
}

function join(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}

/** Returns the path of a claim without its brackets. */
function plain(path: string): string {
  return path.replaceAll('[]', '').replace(/^\./, '');
}
