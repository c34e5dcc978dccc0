import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, imageOf } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';

// harness.md, Models and effort: the preferences for agents, as written into each harness's files.

useProject();

const call = (...words: string[]) =>
  devCli(project, [...words, '--json'], { env: { HOME: project.home, XDG_STATE_HOME: '', PATH: '/usr/bin:/bin' } });
const install = (...words: string[]) => call('install', '--harness', 'claude,codex,gemini', '--yes', ...words);
const prefer = (text: string) => {
  mkdirSync(join(project.root, '.dev'), { recursive: true });
  writeFileSync(join(project.root, '.dev/preferences.yaml'), text);
};
/** Returns the lines of an agent's file that set its model and effort. */
const linesOf = (path: string, base = project.root) =>
  readFileSync(join(base, path), 'utf8')
    .split('\n')
    .filter((line) => /^(model|effort)/.test(line));
const agents = (role: string) =>
  [`.claude/agents/dev-cli-${role}.md`, `.codex/agents/dev-cli-${role}.toml`, `.gemini/agents/dev-cli-${role}.md`].map(
    (path) => linesOf(path),
  );
const changed = ({ json }: ReturnType<typeof call>) =>
  (json['harnesses'] as { files: { path: string; does: string }[] }[]).flatMap(({ files }) =>
    files.filter(({ does }) => does !== 'unchanged').map(({ path, does }) => `${does} ${path}`),
  );

const CHOSEN = `agents:
  default: { effort: medium, claude: { model: sonnet } }
  worker:
    effort: high
    claude: { model: "opus[1m]", effort: low }
    codex: { model: gpt-5-codex }
    gemini: { model: gemini-2.5-pro }
`;

describe('models and efforts of agents', () => {
  it('stand in the files of each harness, the role before `default`; what a harness cannot be told is said', () => {
    prefer(CHOSEN);
    const { json } = install();
    expect(agents('worker')).toEqual([
      ['model: opus[1m]', 'effort: low'],
      ['model = "gpt-5-codex"', 'model_reasoning_effort = "high"'],
      ['model: gemini-2.5-pro'],
    ]);
    expect(agents('verifier')).toEqual([
      ['model: sonnet', 'effort: medium'],
      ['model_reasoning_effort = "medium"'],
      [],
    ]);
    expect(json['notes']).toEqual([expect.stringMatching(/^Gemini CLI has no effort setting.*\(default, worker\)/)]);
  });

  it('change nothing where nothing is said, and are gone with their lines', () => {
    const plain = install();
    expect(plain.json).not.toHaveProperty('notes');
    const before = imageOf(project, '.');
    prefer(CHOSEN);
    install();
    expect(imageOf(project, '.')).not.toEqual(before);
    rmSync(join(project.root, '.dev/preferences.yaml'));
    install();
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('are found out of date by doctor, and brought up to date by install, which writes nothing else', () => {
    prefer(CHOSEN);
    install();
    prefer(CHOSEN.replace('gpt-5-codex', 'gpt-6'));
    const findings = call('doctor').json['findings'] as { severity: string; message: string; harness?: string }[];
    expect(findings).toContainEqual(
      expect.objectContaining({
        severity: 'problem',
        message: 'Outdated: .codex/agents/dev-cli-worker.toml.',
      }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({ severity: 'note', harness: 'gemini', message: expect.stringContaining('no effort') }),
    );
    expect(changed(install())).toEqual(['updated .codex/agents/dev-cli-worker.toml', 'updated .dev/install.json']);
    expect(agents('worker')[1]).toContain('model = "gpt-6"');
  });

  it('go with uninstall, also where the preferences have changed or no longer parse', () => {
    const before = imageOf(project, '.');
    prefer(CHOSEN);
    install();
    prefer('agents: [');
    call('uninstall', '--yes');
    rmSync(join(project.root, '.dev'), { recursive: true });
    expect(imageOf(project, '.')).toEqual(before);
  });

  it('are the project’s: for the user agents have none, which is said', () => {
    prefer(CHOSEN);
    const { json } = install('--user');
    expect(linesOf('.claude/agents/dev-cli-worker.md', project.home)).toEqual([]);
    expect(json['notes']).toEqual([expect.stringContaining('apply to this project only')]);
    prefer('agents: [');
    expect(install('--user').code).toBe(0);
  });

  it.each([
    ['agents:\n  wroker: { effort: low }\n', ':2:3', /^No agent is installed for `wroker`. Did you mean `worker`\?$/],
    [
      'agents:\n  painter: { effort: low }\n',
      ':2:3',
      /^No agent is installed for `painter`. It can be one of default, code-explorer,/,
    ],
    ['agents:\n  worker: { claude: { model: "opus\\nname: x" } }\n', ':2:30', /is not a valid model name/],
    ['agents:\n  worker: { claude: { model: opus --yolo } }\n', ':2:30', /is not a valid model name/],
    [
      'agents:\n  worker: { model: opus }\n',
      ':2:13',
      /^Each harness has its own names for models. Put the model below the harness.*`claude: \{ model: "opus" \}`/,
    ],
    ['agents:\n  worker: { claude: { model: 5 } }\n', ':2:30', /must be text, not a number/],
  ])('are refused before anything is written: %j', (text, at, problem) => {
    prefer(text);
    const { code, json } = install();
    expect(code).toBe(3);
    expect(json['error']).toMatchObject({
      code: 'PREFERENCES_INVALID',
      details: [{ at: `.dev/preferences.yaml${at}`, problem: expect.stringMatching(problem) }],
    });
    const findings = call('doctor').json['findings'];
    expect(findings).toContainEqual(expect.objectContaining({ message: expect.stringContaining(`${at}: `) }));
    expect(() => linesOf('.claude/agents/dev-cli-worker.md')).toThrow(/ENOENT/);
  });

  it('are no preferences of runs: init is silent about them, and a plan’s prompts do not know them', () => {
    prefer(CHOSEN);
    const answer = call('init', 'add-x', '--goal', 'add x');
    expect(answer.code, answer.stdout).toBe(0);
    expect(JSON.stringify(answer.json)).not.toMatch(/preference|sonnet/);
    const state = readFileSync(join(project.root, '.dev/specs/add-x/state.json'), 'utf8');
    expect(state).not.toMatch(/sonnet|"agents":\{"default/);
  });
});
