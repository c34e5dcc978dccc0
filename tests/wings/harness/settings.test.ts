import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HARNESS_IDS } from '../../../src/generated/harnesses.js';
import { decideInstall, decideRemoval } from '../../../src/wings/harness/install/decide.js';
import type { InstallPiece } from '../../../src/wings/harness/install/piece.js';
import { listPieces } from '../../../src/wings/harness/install/pieces.js';
import { parseSettings } from '../../../src/wings/harness/install/settings.js';

const SHIPPED = {
  ...{ skills: {}, agents: {}, hook: '', schemas: { recipe: '', 'recipe-test': '', 'recipe-script': '' } },
  extras: [{ name: 'memory', instructions: '' }],
};
const PIECES = HARNESS_IDS.flatMap((harness): InstallPiece[] => listPieces(harness, 'project', SHIPPED)).filter(
  ({ kind }) => kind === 'settings',
);

/** Settings as people and programs write them: any indentation, with or without the keys that dev-cli uses. */
const group = fc.record({
  hooks: fc.array(fc.record({ type: fc.constant('command'), command: fc.string() }), { maxLength: 2 }),
});
const settings = fc.record(
  {
    // No `__proto__`: the parser sets the prototype instead of a key, so the parsed values could not be compared.
    env: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.string(),
    ),
    permissions: fc.record(
      { allow: fc.array(fc.string(), { maxLength: 3 }), deny: fc.array(fc.string()) },
      { requiredKeys: [] },
    ),
    tools: fc.record({ allowed: fc.array(fc.string(), { maxLength: 2 }) }, { requiredKeys: [] }),
    hooks: fc.dictionary(
      fc.constantFrom('Stop', 'PreToolUse', 'BeforeTool', 'Other'),
      fc.array(group, { maxLength: 2 }),
    ),
    mcpServers: fc.dictionary(fc.constantFrom('db', 'dev', 'z'), fc.record({ command: fc.string() })),
    more: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const form = fc.constantFrom(undefined, 1, 2, 4, '\t');

describe('settings that others share (harness.md, Install)', () => {
  it.each(PIECES.map((piece): [string, InstallPiece] => [piece.path, piece]))(
    '%s: added once, nothing of others lost, taken back to the byte',
    (_path, piece) => {
      fc.assert(
        fc.property(settings, form, fc.boolean(), (value, indent, crlf) => {
          const before = JSON.stringify(value, null, indent).replaceAll('\n', crlf ? '\r\n' : '\n');
          const added = decideInstall(piece, before, undefined);
          const after = added.text ?? '';
          const again = decideInstall(piece, after, added.record);
          expect(again.does).toBe('unchanged');
          expect(decideInstall(piece, after, undefined).does).toBe('unchanged');
          const back = decideRemoval(piece.path, piece, after, added.record);
          expect(back.text).toBe(before);
          // Without the record of what was added, a removal restores the values, but not the exact bytes or empty
          // lists.
          const { hooks = {}, ...others } = parseSettings(
            decideRemoval(piece.path, piece, after, undefined).text ?? after,
            'x',
          );
          const { hooks: own = {}, ...rest } = value as { hooks?: Record<string, unknown[]> };
          const filled = (lists: object) =>
            Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
          expect(filled(hooks as object)).toEqual(filled(own));
          const { env, mcpServers } = JSON.parse(JSON.stringify(rest));
          expect(others['env']).toEqual(env);
          expect(others['mcpServers'] ?? {}).toMatchObject(mcpServers ?? {});
        }),
      );
    },
  );
});
