import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKOUT } from './project.mjs';

// Adds an example wing to a copy of the source tree (docs/architecture.md, How to add): as a directory of wings/, which
// src/app/ports.ts and src/app/wings.ts import. No other file is changed.

/** The edits that register the wing in existing files: each text to replace, with its replacement. */
export const ROWS: Readonly<Record<string, readonly [stands: string, becomes: string][]>> = {
  'src/app/ports.ts': [
    [
      "from '../protocol/ports.js';",
      "from '../protocol/ports.js';\nimport { CHECKS, SECTIONS as NOTES } from '../wings/x/notes.js';",
    ],
    ["SECTIONS: Ports['sections'] = []", "SECTIONS: Ports['sections'] = NOTES"],
    [
      "ALSO_HEARD: readonly HookEvent['on'][] = [",
      "ALSO_HEARD: readonly HookEvent['on'][] = ['session-start', 'pre-tool-use'",
    ],
    [
      "memory/hooks.js')).HANDLERS,",
      "memory/hooks.js')).HANDLERS, async () => (await import('../wings/x/notes.js')).HANDLERS,",
    ],
    ['checks: [', 'checks: [...CHECKS, '],
  ],
  'src/app/wings.ts': [
    ["from '../registry/spec.js';", "from '../registry/spec.js';\nimport { MEMO } from '../wings/x/commands.js';"],
    ['Described>> = {', 'Described>> = { x: MEMO,'],
    ['LoadHandlers>> = {', "LoadHandlers>> = { x: async () => (await import('../wings/x/commands.js')).HANDLERS,"],
  ],
};

/** Builds a copy of the source tree with the wing. @returns its directory, which the caller removes */
export function buildHouse(): string {
  const house = mkdtempSync(join(tmpdir(), 'dev-cli-wing-'));
  copyHouse(house, ['.dependency-cruiser.cjs']);
  mkdirSync(join(house, 'src/wings/x'), { recursive: true });
  for (const [from, to] of Object.entries({ wing: 'notes', 'wing-commands': 'commands' })) {
    const wing = readFileSync(join(CHECKOUT, `tests/support/${from}.ts`), 'utf8');
    writeFileSync(join(house, `src/wings/x/${to}.ts`), wing.replaceAll('../../src/', '../../'));
  }
  for (const [file, rows] of Object.entries(ROWS)) {
    const text = readFileSync(join(house, file), 'utf8');
    writeFileSync(join(house, file), rows.reduce(replaceOnce, text));
  }
  execFileSync(process.execPath, [join(house, 'scripts/generate.mjs')], { cwd: house });
  execFileSync(process.execPath, [join(house, 'scripts/build.mjs')], { cwd: house });
  return house;
}

/** Copies everything that the build needs from the source tree. @param more other files and directories to copy */
export function copyHouse(to: string, more: readonly string[]): void {
  const parts = ['src', 'scripts', 'bin', 'recipes', 'workflows', 'agents', 'package.json', 'tsconfig.json'];
  for (const part of [...parts, ...more]) cpSync(join(CHECKOUT, part), join(to, part), { recursive: true });
  symlinkSync(join(CHECKOUT, 'node_modules'), join(to, 'node_modules'));
}

function replaceOnce(text: string, [stands, becomes]: readonly [string, string]): string {
  if (text.split(stands).length !== 2) throw new Error(`${stands} does not stand there once.`);
  return text.replace(stands, becomes);
}
