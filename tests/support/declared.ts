import { WINGS } from '../../src/app/wings.js';
import { ERROR_CODES } from '../../src/base/error-codes.js';
import { isRecord, parseOrNull } from '../../src/base/json.js';
import { CORE } from '../../src/registry/catalogue.js';
import { listSpecs } from '../../src/registry/describe.js';
import { listErrors } from '../../src/registry/endings.js';
import type { Printed } from './door.js';

const DECLARED = new Map(
  listSpecs(CORE, Object.values(WINGS)).map((spec) => [spec.name, new Set<unknown>(listErrors(spec))]),
);

/**
 * Requires that a command fails only with errors that its specification lists (`CommandSpec.errors`), so that the pages
 * that are generated from it are true.
 * @throws Error if it ended with another one
 */
export function requireDeclared(argv: readonly string[], printed: Printed): void {
  const [first = '', second] = argv;
  const name = [`${first} ${second}`, first].find((words) => DECLARED.has(words));
  const code = printed.exit === 0 || name === undefined ? undefined : findCode(printed);
  if (name !== undefined && code !== undefined && DECLARED.get(name)?.has(code) === false)
    throw new Error(`${name} failed with ${code}, which its specification does not list.`);
}

/** Finds the code of a failure, printed as one JSON document or as text (protocol.md, Errors). */
function findCode({ stdout, stderr }: Printed): string | undefined {
  const last = parseOrNull(stdout.trimEnd().split('\n').at(-1) ?? '');
  if (isRecord(last) && last['ok'] === false && isRecord(last['error'])) return String(last['error']['code']);
  const [, code = ''] = /^([A-Z]+(?:_[A-Z]+)*): /m.exec(stderr) ?? [];
  return Object.hasOwn(ERROR_CODES, code) ? code : undefined;
}
