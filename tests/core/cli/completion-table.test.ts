import { describe, expect, it } from 'vitest';
import { findWanted } from '../../../src/cli/completion-table.js';
import { REGISTRY } from '../../../src/registry/find.js';

/** Returns what may be completed at the end of a command line whose words are separated by single spaces. */
const at = (line: string) => findWanted(line.split(' '));
const wordsAt = (line: string): string[] => at(line).candidates.map(({ word }) => word);

describe('what may stand at the end of a command line', () => {
  it('is each command, word by word, with its summary', () => {
    const first = wordsAt('');
    for (const { name, summary } of REGISTRY.commands) {
      const [word = '', ...more] = name.split(' ');
      expect(first).toContain(word);
      if (more.length === 0) expect(at('').candidates).toContainEqual({ word, text: summary });
      else expect(at(`${word} `).candidates).toContainEqual({ word: more.join(' '), text: summary });
    }
    expect(at('').candidates).toContainEqual({ word: 'step', text: REGISTRY.words['step'] });
  });

  it('is each option behind a dash, with what it says, but none for scripts only', () => {
    expect(wordsAt('init x --')).toEqual(expect.arrayContaining(['--recipe', '--autopilot', '--root', '--json']));
    expect(at('next --').candidates).toContainEqual({ word: '--text', text: 'Print text for a person.' });
    expect(wordsAt('--')).toEqual(['--root', '--json', '--text', '--help']);
  });

  it.each([
    ['next ', 'name'],
    ['next add-', 'name'],
    ['--json next ', 'name'],
    ['--root /x next ', 'name'],
    ['init x --recipe ', 'recipe'],
    ['init x --workflow ', 'workflow'],
    ['step undo x --todo ', 'todo'],
    ['plan add x --after ', 'todo'],
    ['history x --step ', 'block'],
    ['step invalidate x --step ', 'work'],
    ['draft show x --section ', 'section'],
    ['approve x --choice ', 'choice'],
    ['step complete x --action ', 'action'],
    ['fork x --at ', 'entry'],
    ['journal x --since ', 'entry'],
    ['--root ', 'file'],
    ['check ', 'file'],
    ['step complete x --data @', 'file'],
    ['init x --goal @', 'file'],
  ])('is at `%s` a value of the form that the registry says: %s', (line, offer) => {
    expect(at(line).offer).toBe(offer);
  });

  it.each(['init x --goal ', 'step complete x --data {', 'next x ', 'fork x --as ', 'nothing x ', 'next x --wait '])(
    'is at `%s` what only the user knows',
    (line) => {
      expect(at(line)).toMatchObject({ candidates: [] });
      expect(at(line)).not.toHaveProperty('offer');
    },
  );

  it('is a word of a closed list', () => {
    expect(wordsAt('init x --size ')).toEqual(['small', 'middle', 'large']);
    expect(wordsAt('completion install ')).toEqual(['bash', 'zsh', 'fish', 'powershell']);
  });

  it('is a command or a guide behind help', () => {
    expect(wordsAt('help ')).toEqual(expect.arrayContaining(['init', 'step', 'authoring']));
    expect(wordsAt('help step ')).toEqual(['complete', 'fail', 'invalidate', 'undo']);
    expect(wordsAt('help authoring ')).toEqual([]);
  });

  it('keeps what stands before the value in the same word', () => {
    expect(at('init x --recipe=exe')).toMatchObject({ before: '--recipe=', typed: 'exe', offer: 'recipe' });
    expect(at('step undo x --todo todo-1,to')).toMatchObject({ before: 'todo-1,', typed: 'to', offer: 'todo' });
    expect(at('plan apply x --reopen=a,b')).toMatchObject({ before: '--reopen=a,', typed: 'b', offer: 'todo' });
    expect(at('next --bogus=x')).toEqual({ before: '--bogus=', typed: 'x', candidates: [], name: undefined });
  });

  it('is asked of the run and the root that the line names', () => {
    expect(at('--root /p history x --step ')).toMatchObject({ name: 'x', root: '/p' });
    expect(at('history --root=/p --step ')).toMatchObject({ name: undefined, root: '/p' });
    expect(at('history --step plan ')).toMatchObject({ name: undefined, offer: 'name' });
  });
});
