import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

// .dependency-cruiser.cjs says what each room of src/ may import (docs/architecture.md). Checks its rules on a small
// source tree, first with allowed imports only, then with forbidden ones.
const checkout = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const bin = join(checkout, 'node_modules', '.bin', 'depcruise');
let house: string;

beforeEach(() => {
  house = mkdtempSync(join(tmpdir(), 'dev-cli-rooms-'));
  symlinkSync(join(checkout, 'node_modules'), join(house, 'node_modules'));
  symlinkSync(join(checkout, '.dependency-cruiser.cjs'), join(house, '.dependency-cruiser.cjs'));
  room('tsconfig.json', '{"compilerOptions":{"module":"NodeNext","moduleResolution":"NodeNext"},"include":["src"]}');
  room('package.json', '{"type":"module"}');
  room('src/base/word.ts', 'export const x = 1;\n');
  room('src/store/shelf.ts', importing('../base/word.js'));
  room('src/machine/wheel.ts', importing('../base/word.js'));
  room('src/project/run.ts', "import { readFileSync } from 'node:fs';\nexport const x = readFileSync;\n");
  room('src/views/page.ts', "import type { x as y } from '../store/shelf.js';\nexport const x = 1 as typeof y;\n");
  room('src/store/durable.ts', importing('../base/word.js'));
  room('src/wings/x/lamp.ts', importing('../../store/durable.js'));
  room('src/wings/page/wire.ts', 'export const x = 1;\n');
  room('src/wings/page/server.ts', 'export const x = 1;\n');
  room('src/app/ports.ts', importing('../wings/x/lamp.js'));
  room('src/app/root.ts', importing('./ports.js'));
});
afterEach(() => rmSync(house, { recursive: true, force: true }));

function room(path: string, text: string): void {
  mkdirSync(dirname(join(house, path)), { recursive: true });
  writeFileSync(join(house, path), text);
}

function importing(from: string): string {
  return `import { x as y } from '${from}';\nexport const x = y;\n`;
}

/** Lists the violations found, as `rule: importer`, sorted and without duplicates. */
function found(): string[] {
  const { stdout } = spawnSync(bin, ['--config', '.dependency-cruiser.cjs', 'src'], { cwd: house, encoding: 'utf8' });
  const lines = [...stdout.matchAll(/^ *error ([a-z-]+): (\S+)/gm)].map(([, rule, path]) => `${rule}: ${path}`);
  return [...new Set(lines)].sort();
}

describe('imports between rooms', () => {
  it('a house in order passes', () => {
    expect(found()).toEqual([]);
  });

  it('each rule bites', () => {
    const planted: [rule: string, path: string, text: string][] = [
      ['files', 'src/app/main.ts', "import { readFile } from 'node:fs/promises';\nexport const x = readFile;\n"],
      ['files', 'src/protocol/control/use.ts', "import { existsSync } from 'node:fs';\nexport const x = existsSync;\n"],
      ['packages-documents', 'src/documents/paper.ts', "import os from 'node:os';\nexport const x = os;\n"],
      ['packages-machine', 'src/machine/gear.ts', "import yaml from 'yaml';\nexport const x = yaml;\n"],
      ['packages-machine', 'src/machine/pump.ts', "import os from 'node:os';\nexport const x = os;\n"],
      ['packages-plan', 'src/plan/model/leaf.ts', "import os from 'node:os';\nexport const x = os;\n"],
      ['page-client', 'src/wings/page/client/frame.tsx', importing('../wire.js')],
      ['page-client', 'src/wings/page/client/sash.tsx', importing('../server.js')],
      [
        'room-base',
        'src/base/name.ts',
        "import type { x as y } from '../store/shelf.js';\nexport const x = 1 as typeof y;\n",
      ],
      ['room-cli', 'src/cli/door.ts', importing('../store/shelf.js')],
      ['room-machine', 'src/machine/lever.ts', importing('../store/shelf.js')],
      ['room-plan', 'src/plan/page/margin.ts', importing('../../store/shelf.js')],
      ['room-store', 'src/store/box.ts', importing('../project/run.js')],
      ['room-wings', 'src/wings/x/cable.ts', importing('../../app/root.js')],
      ['room-wings', 'src/wings/x/wire.ts', importing('../../store/shelf.js')],
      ['views-write-nothing', 'src/views/sheet.ts', importing('../store/shelf.js')],
      ['wings-apart', 'src/app/shaft.ts', importing('../wings/x/lamp.js')],
      ['wings-apart', 'src/cli/lift.ts', importing('../wings/x/lamp.js')],
      ['wings-apart', 'src/protocol/light.ts', importing('../wings/x/lamp.js')],
      ['wings-apart', 'src/wings/y/bulb.ts', importing('../x/lamp.js')],
    ];
    for (const [, path, text] of planted) room(path, text);
    expect(found()).toEqual(planted.map(([rule, path]) => `${rule}: ${path}`));
  });

  it('a cycle is refused', () => {
    room('src/store/shelf.ts', importing('./box.js'));
    room('src/store/box.ts', "import { x as y } from './shelf.js';\nexport const x: number = y;\n");
    expect(found().map((line) => line.split(':')[0])).toContain('no-cycles');
  });

  it('and this house is in order', () => {
    execFileSync(bin, ['--config', '.dependency-cruiser.cjs', 'src'], { cwd: checkout });
  });
});
