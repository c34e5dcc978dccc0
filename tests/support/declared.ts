import { WINGS } from '../../src/app/wings.js';
import { ERROR_CODES } from '../../src/base/error-codes.js';
import { isRecord, parseOrNull } from '../../src/base/json.js';
import { CORE } from '../../src/registry/catalogue.js';
import { listSpecs } from '../../src/registry/describe.js';
import { listErrors, listExits } from '../../src/registry/endings.js';
import type { Printed } from './door.js';

const DECLARED = new Map(
  listSpecs(CORE, Object.values(WINGS)).map((spec) => [
    spec.name,
    { errors: new Set<unknown>(listErrors(spec)), exits: new Set<number>(listExits(spec)) },
  ]),
);

/**
 * Requires that a command ends only with exit codes and errors that its specification lists (`CommandSpec.errors`), so
 * that the pages that are generated from it are true.
 * @throws Error if it ended with another one
 */
export function requireDeclared(argv: readonly string[], printed: Printed): void {
  const [first = '', second] = argv.slice(argv[0] === '--root' ? 2 : 0);
  const name = [`${first} ${second}`, first].find((words) => DECLARED.has(words)) ?? '';
  const declared = DECLARED.get(name);
  if (declared === undefined) return;
  const code = printed.exit === 0 ? undefined : findCode(printed);
  if (code !== undefined && !declared.errors.has(code))
    throw new Error(`${name} failed with ${code}, which its specification does not list.`);
  // A process that was killed has no exit code of its own.
  if (printed.exit >= 0 && !declared.exits.has(printed.exit))
    throw new Error(`${name} exited with ${printed.exit}, which does not follow from its specification.`);
}

/** Finds the code of a failure, printed as one JSON document or as text (protocol.md, Errors). */
function findCode({ stdout, stderr }: Printed): string | undefined {
  const last = parseOrNull(stdout.trimEnd().split('\n').at(-1) ?? '');
  if (isRecord(last) && last['ok'] === false && isRecord(last['error'])) return String(last['error']['code']);
  const [, code = ''] = /^([A-Z]+(?:_[A-Z]+)*): /m.exec(stderr) ?? [];
  return Object.hasOwn(ERROR_CODES, code) ? code : undefined;
}
