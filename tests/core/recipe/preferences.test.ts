import { describe, expect, it } from 'vitest';
import type { PreferenceSpec } from '../../../src/recipe/resolved.js';
import { resolveSettings } from '../../../src/recipe/settings/preferences.js';

const preferences: Record<string, PreferenceSpec> = {
  research: { type: 'bool', default: false, description: '' },
  reviewers: { type: 'int', default: 1, description: '' },
  tone: { type: 'string', description: '' },
};
const recipe = { vars: { branch: 'main', depth: 2, tags: ['a'], strict: false }, preferences };

describe('settings of a run', () => {
  it('takes defaults; what has none is unset', () => {
    expect(resolveSettings(recipe, null, {})).toEqual({
      vars: recipe.vars,
      preferences: { research: false, reviewers: 1 },
    });
  });

  it('overlays the file, and --set over both: first a var, then a preference, then a built-in one', () => {
    const text = '# mine\nresearch: true\nreviewers: 3\nother_recipes_own: x\n';
    const set = {
      branch: 'next',
      depth: '5',
      tags: '["b"]',
      strict: 'true',
      reviewers: '4',
      tone: 'dry',
      pull_request: 'false',
    };
    expect(resolveSettings(recipe, text, set)).toEqual({
      vars: { branch: 'next', depth: 5, tags: ['b'], strict: true },
      preferences: { research: true, reviewers: 4, tone: 'dry', pull_request: false },
    });
  });

  it('leaves the recipe as it was', () => {
    resolveSettings(recipe, null, { branch: 'next' });
    expect(recipe.vars.branch).toBe('main');
  });

  it('reads an empty file or one of comments as nothing set', () => {
    expect(resolveSettings(recipe, '\n# nothing yet\n', {}).preferences).toEqual({ research: false, reviewers: 1 });
  });

  it.each([
    ['research: "yes"\n', '.dev/preferences.yaml:1:11'],
    ['tone: dry\nreviewers: 1.5\n', '.dev/preferences.yaml:2:12'],
    ['- research\n', '.dev/preferences.yaml:1:1'],
    ['research: [\n', '.dev/preferences.yaml:2:1'],
    ['pull_request: maybe\n', '.dev/preferences.yaml:1:15'],
    ['research: true\nresearch: false\n', '.dev/preferences.yaml:2:1'],
  ])('refuses %j at its place', (text, at) => {
    let thrown: unknown;
    try {
      resolveSettings(recipe, text, {});
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'PREFERENCES_INVALID', details: [expect.objectContaining({ at })] });
  });

  it.each([
    [{ reserch: 'true' }, 'Did you mean research?'],
    [{ research: 'yes' }, 'true or false'],
    [{ reviewers: '1.5' }, 'a whole number'],
    [{ depth: 'deep' }, 'of the same type as its default'],
    [{ tags: '{"a":1}' }, 'of the same type as its default'],
    [{ __proto__x: '1' }, 'declares no such'],
    [{ constructor: '1' }, 'declares no such'],
  ])('refuses --set %j', (set, part) => {
    expect(() => resolveSettings(recipe, null, set as unknown as Record<string, string>)).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_PREFERENCE', message: expect.stringContaining(part) }),
    );
  });
});
