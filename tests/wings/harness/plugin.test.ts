import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claude } from '../../../src/wings/harness/adapters/claude.js';
import { HOOK_FILE } from '../../../src/wings/harness/install/hook-line.js';
import { listPieces } from '../../../src/wings/harness/install/pieces.js';
import { buildPlugins } from '../../../src/wings/harness/install/plugin.js';

const CHECKOUT = join(import.meta.dirname, '../../..');
const read = (path: string) => JSON.parse(readFileSync(join(CHECKOUT, path), 'utf8'));

describe('the plugin of Claude Code (harness.md, Packaging)', () => {
  const about = read('package.json');

  it('is in its files as it is built, and the files are in the package', () => {
    for (const [path, content] of Object.entries(buildPlugins(about))) {
      expect(read(path), path).toEqual(content);
      expect(about.files).toContain(`${path.split('/')[0]}/`);
    }
  });

  const NONE = { recipe: '', 'recipe-test': '', 'recipe-script': '' };
  it('has the hooks that an installation has, in the same form', () => {
    const settings = listPieces('claude', 'project', { skills: {}, agents: {}, hook: '', schemas: NONE }).find(
      ({ kind }) => kind === 'settings',
    );
    const installed = settings?.kind === 'settings' ? (settings.additions ?? []) : [];
    const hooks = installed.filter(({ path }) => path[0] === 'hooks').map(({ path, value }) => [path[1], [value]]);
    // The plugin's hooks differ from the installed ones only in the path of the script that they run.
    const withoutPlace = (value: unknown) => JSON.stringify(value).replaceAll(/f=[^;]*;/g, 'f=…;');
    const inPlugin = buildPlugins(about)['hooks/hooks.json'];
    expect(withoutPlace(inPlugin)).toBe(withoutPlace({ hooks: Object.fromEntries(hooks) }));
    const files = JSON.stringify(inPlugin).match(/f=[^;]*;/g);
    expect(new Set(files)).toEqual(new Set(['f=\\"$' + '{CLAUDE_PLUGIN_ROOT}\\"/hooks/dev-cli.sh;']));
    expect(existsSync(join(CHECKOUT, HOOK_FILE))).toBe(true);
  });

  it('says of itself all that the validator of Claude Code asks for', () => {
    const { '.claude-plugin/plugin.json': plugin, '.claude-plugin/marketplace.json': marketplace } =
      buildPlugins(about);
    expect(plugin).toMatchObject({
      name: expect.stringMatching(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      description: expect.stringMatching(/./),
      author: { name: expect.stringMatching(/./) },
      license: 'MIT',
    });
    expect(marketplace).toMatchObject({
      name: expect.stringMatching(/./),
      description: expect.stringMatching(/./),
      owner: { name: expect.stringMatching(/./) },
      plugins: [{ name: 'dev-cli', source: './', description: expect.stringMatching(/./) }],
    });
  });

  it('is on where settings say so, whatever they are', () => {
    expect(claude.plugin?.isOn({ enabledPlugins: { 'dev-cli@any': true } })).toBe(true);
    for (const enabledPlugins of [
      undefined,
      null,
      [],
      'dev-cli@any',
      { 'dev-cli@any': false },
      { 'my-dev-cli@any': true },
    ])
      expect(claude.plugin?.isOn({ enabledPlugins }), JSON.stringify(enabledPlugins)).toBe(false);
  });
});
