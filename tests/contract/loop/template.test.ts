import { describe, expect, it } from 'vitest';
import { fillCommandTemplate, parseTemplate } from '../../../src/wings/loop/template.js';

// loop-core.md, Files: the command line of a tool.

const FILLING = { prompt: 'do {goal} $(x)', promptFile: '/p/prompt.md', goal: 'g', run: 'g-1', root: '/r' };

function fill(line: string, filling = FILLING) {
  const template = parseTemplate(line);
  if ('problem' in template) throw new Error(template.problem);
  return fillCommandTemplate(template, filling);
}

describe('the template of a tool', () => {
  it('is split, then filled, each place once', () => {
    expect(fill('claude -p {prompt} --add-dir "{root}/.dev"')).toEqual({
      argv: ['claude', '-p', 'do {goal} $(x)', '--add-dir', '/r/.dev'],
      stdin: null,
    });
    expect(fill("{root}/tool.sh --file={prompt_file} '{run} {goal}'").argv).toEqual([
      '/r/tool.sh',
      '--file=/p/prompt.md',
      'g-1 g',
    ]);
    expect(fill('codex exec - {stdin}')).toEqual({ argv: ['codex', 'exec', '-'], stdin: '/p/prompt.md' });
  });

  it.each([
    ['', 'no command'],
    ['claude -p', 'it does not pass the prompt'],
    ['claude {promt}', 'it does not pass the prompt'],
    ['{prompt}', 'its first word is the program'],
    ['{stdin}', 'its first word is the program'],
    ['claude {prompt} {stdin}', 'more than once'],
    ['claude --in={stdin}', 'must be a separate word'],
    ['cd x && claude {prompt}', '&&|& is an "and"'],
    ['claude {prompt} > out', 'redirects'],
  ])('%j is none', (line, problem) => {
    expect(parseTemplate(line)).toEqual({ problem: expect.stringMatching(problem) });
  });

  it('takes no argument that the system would refuse', () => {
    const prompt = 'x'.repeat(128 * 1024);
    expect(() => fill('claude {prompt}', { ...FILLING, prompt })).toThrow(
      expect.objectContaining({ code: 'USAGE', fix: expect.stringMatching(/\{prompt_file\}.*\{stdin\}/) }),
    );
    expect(fill('claude {stdin}', { ...FILLING, prompt }).stdin).toBe('/p/prompt.md');
    expect(fill('claude {prompt}', { ...FILLING, prompt: prompt.slice(1) }).argv).toHaveLength(2);
  });
});
