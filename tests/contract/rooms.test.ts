import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

// The rule that keeps the rooms of src/ apart (docs/architecture.md), tried on a small house with one planted violation each.
const checkout = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
let house: string;

beforeEach(() => {
  house = mkdtempSync(join(tmpdir(), 'dev-cli-rooms-'));
  symlinkSync(join(checkout, 'node_modules'), join(house, 'node_modules'));
  symlinkSync(join(checkout, '.dependency-cruiser.cjs'), join(house, '.dependency-cruiser.cjs'));
  room('tsconfig.json', '{"compilerOptions":{"module":"NodeNext","moduleResolution":"NodeNext"},"include":["src"]}');
  room('package.json', '{"type":"module"}');
  room('src/base/word.ts', 'export const word = 1;\n');
  room('src/store/shelf.ts', "import { word } from '../base/word.js';\nexport const shelf = word;\n");
  room('src/project/run.ts', "import { readFileSync } from 'node:fs';\nexport const run = readFileSync;\n");
  room('src/machine/wheel.ts', "import { word } from '../base/word.js';\nexport const wheel = word;\n");
});
afterEach(() => rmSync(house, { recursive: true, force: true }));

function room(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

function cruise(): { status: number | null; output: string } {
  const bin = join(checkout, 'node_modules', '.bin', 'depcruise');
  const { status, stdout } = spawnSync(bin, ['--config', '.dependency-cruiser.cjs', 'src'], {
    cwd: house,
    encoding: 'utf8',
  });
  return { status, output: stdout };
}

describe('imports between rooms', () => {
  it('a house in order passes', () => {
    expect(cruise().status).toBe(0);
  });

  it.each([
    [
      'room-machine',
      'src/machine/wheel.ts',
      "import { shelf } from '../store/shelf.js';\nexport const wheel = shelf;\n",
    ],
    [
      'room-base',
      'src/base/word.ts',
      "import type { shelf } from '../store/shelf.js';\nexport const word = 1 as typeof shelf;\n",
    ],
    ['room-cli', 'src/cli/door.ts', "import { shelf } from '../store/shelf.js';\nexport const door = shelf;\n"],
    ['packages-machine', 'src/machine/wheel.ts', "import yaml from 'yaml';\nexport const wheel = yaml;\n"],
    ['packages-machine', 'src/machine/wheel.ts', "import fs from 'node:fs';\nexport const wheel = fs;\n"],
    ['files', 'src/protocol/use.ts', "import { existsSync } from 'node:fs';\nexport const use = existsSync;\n"],
    ['files', 'src/app/main.ts', "import { readFile } from 'node:fs/promises';\nexport const main = readFile;\n"],
    ['room-store', 'src/store/shelf.ts', "import { run } from '../project/run.js';\nexport const shelf = run;\n"],
    ['packages-documents', 'src/documents/paper.ts', "import fs from 'node:fs';\nexport const paper = fs;\n"],
  ])('%s bites on %s', (rule, path, text) => {
    room(path, text);
    const { status, output } = cruise();
    expect([status === 0, output.includes(rule)]).toEqual([false, true]);
  });

  it('a cycle is refused', () => {
    room('src/store/shelf.ts', "import { box } from './box.js';\nexport const shelf = box;\n");
    room('src/store/box.ts', "import { shelf } from './shelf.js';\nexport const box: number = shelf;\n");
    expect(cruise().output).toContain('no-cycles');
  });

  it('and this house is in order', () => {
    const bin = join(checkout, 'node_modules', '.bin', 'depcruise');
    execFileSync(bin, ['--config', '.dependency-cruiser.cjs', 'src'], { cwd: checkout });
  });
});
