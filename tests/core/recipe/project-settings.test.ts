import { describe, expect, it } from 'vitest';
import { DevCliError } from '../../../src/base/errors.js';
import { readProjectSettings } from '../../../src/recipe/settings/project-settings.js';

const ALL = ['agents', 'notify'] as const;

/** Lists the problems in a settings text, each as its position and message. */
function listProblems(text: string, read = () => readProjectSettings(text, ALL)): string[] {
  try {
    read();
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    expect(error.code).toBe('PREFERENCES_INVALID');
    return error.details.map(({ at, problem }) => `${String(at).replace('.dev/preferences.yaml:', '')} ${problem}`);
  }
  return [];
}

describe('keys of preferences.yaml that are no preferences of runs', () => {
  it('are read beside those that are', () => {
    const text =
      'pull_request: false\nagents:\n  worker: { effort: high, claude: { model: opus } }\nnotify: [notify-send]\n';
    expect(readProjectSettings(text, ALL)).toEqual({
      agents: { worker: { effort: 'high', claude: { model: 'opus' } } },
      notify: ['notify-send'],
    });
    expect(readProjectSettings(text, ['notify'])).toEqual({ notify: ['notify-send'] });
  });

  it.each([null, '', '# nothing\n', 'pull_request: false\n'])('say nothing in %j', (text) => {
    expect(readProjectSettings(text, ALL)).toEqual({});
  });

  it('do not keep each other from being read', () => {
    expect(readProjectSettings('agents: 3\nnotify: [a]\n', ['notify'])).toEqual({ notify: ['a'] });
  });

  it.each([
    ['agents: worker\n', '1:9 `agents` must be a mapping, not text.'],
    ['agents:\n  worker: { efort: high }\n', '2:13 Unknown key `efort`; did you mean `effort`?'],
    ['agents:\n  worker: { effort: hi }\n', '2:21 `effort` must be one of low, medium, high, not `hi`.'],
    ['agents:\n  worker: { claude: { model: 4 } }\n', '2:30 `model` must be text, not a number.'],
    ['agents:\n  worker: { claude: { model: "" } }\n', '2:30 `model` is empty.'],
    ['agents:\n  worker: { cursor: { model: x } }\n', '2:13 Unknown key `cursor`'],
    ['notify: notify-send\n', '1:9 `notify` must be a list, not text.'],
    ['notify: []\n', '1:9 `notify` is an empty list.'],
    ['notify: [a, 1]\n', '1:13 Item 2 of `notify` must be text, not a number.'],
    ['notify: [a\n', '2:1 This is not valid YAML'],
    ['agents: { a: { effort: x } }\nnotify: 1\n', '1:24', '2:9'],
  ])('are refused at their place: %j', (text, ...said) => {
    const problems = listProblems(text);
    expect(problems).toHaveLength(said.length);
    for (const [index, one] of said.entries()) expect(problems[index]).toContain(one);
  });

  it('are judged further by who reads them', () => {
    const read = () =>
      readProjectSettings('notify: [a]\n', ALL, (_, report) => report.error(['notify', 0], 'Not that one.'));
    expect(listProblems('', read)).toEqual(['1:10 Not that one.']);
  });
});
