import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listPieces } from '../../../src/harness/install/pieces.js';
import { buildPlugin, hasPlugin } from '../../../src/harness/install/plugin.js';

const read = (path: string) => JSON.parse(readFileSync(join(import.meta.dirname, '../../..', path), 'utf8'));

describe('the plugin of Claude Code (harness.md, Packaging)', () => {
  const about = read('package.json');

  it('is in its files as it is built, and the files are in the package', () => {
    for (const [path, content] of Object.entries(buildPlugin(about))) {
      expect(read(path), path).toEqual(content);
      expect(about.files).toContain(`${path.split('/')[0]}/`);
    }
  });

  const NONE = { recipe: '', 'recipe-test': '', 'recipe-script': '' };
  it('has the hooks that an installation has, in the same form', () => {
    const settings = listPieces('claude', 'project', { skills: {}, agents: {}, schemas: NONE }).find(
      ({ kind }) => kind === 'settings',
    );
    const installed = settings?.kind === 'settings' ? (settings.additions ?? []) : [];
    const hooks = installed.filter(({ path }) => path[0] === 'hooks').map(({ path, value }) => [path[1], [value]]);
    expect(buildPlugin(about)['hooks/hooks.json']).toEqual({ hooks: Object.fromEntries(hooks) });
  });

  it('is on where settings say so, whatever they are', () => {
    expect(hasPlugin({ enabledPlugins: { 'dev-cli@any': true } })).toBe(true);
    for (const enabledPlugins of [
      undefined,
      null,
      [],
      'dev-cli@any',
      { 'dev-cli@any': false },
      { 'my-dev-cli@any': true },
    ])
      expect(hasPlugin({ enabledPlugins }), JSON.stringify(enabledPlugins)).toBe(false);
  });
});
