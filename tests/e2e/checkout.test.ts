import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHECKOUT } from '../support/project.mjs';

interface Locked {
  packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}

/** Lists the optional dependencies of locked packages for which the lock file has no entry. */
function unlocked({ packages }: Locked): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) =>
        packages[`node_modules/${name}`] === undefined && packages[`${path}/node_modules/${name}`] === undefined,
    ),
  );
}

describe('the lock file', () => {
  const lock = JSON.parse(readFileSync(join(CHECKOUT, 'package-lock.json'), 'utf8')) as Locked;

  it('names every optional package for every platform: npm ci refuses a checkout where one is missing', () => {
    expect(unlocked(lock)).toEqual([]);
  });

  it('(the check finds one that was taken out)', () => {
    const { '@esbuild/linux-x64': _, ...rest } = Object.fromEntries(
      Object.entries(lock.packages).map(([path, entry]) => [path.replace(/^node_modules\//, ''), entry]),
    );
    const packages = Object.fromEntries(Object.entries(rest).map(([path, entry]) => [`node_modules/${path}`, entry]));
    expect(unlocked({ packages })).toEqual(['@esbuild/linux-x64']);
  });
});
