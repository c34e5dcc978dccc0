import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FINAL_STAGES } from '../../../src/machine/engine-program.js';
import type { CapturedRecipe } from '../../../src/recipe/captured.js';
import { listExternalCommands } from '../../../src/recipe/external-commands.js';
import { listRecipes, requireRecipe } from '../../../src/recipe/load/load.js';
import type { ResolvedEngine } from '../../../src/recipe/resolved.js';
import { showRecipe } from '../../../src/recipe/show.js';
import { findKeyFault, HANDLERS, toStageId } from '../../../src/registry/handlers.js';
import { ENGINE, YES } from './engine-fixture.js';
import { libraryWith, loadDemo, told } from './library-fixture.js';

function captured(text: string, files?: Record<string, string>): CapturedRecipe {
  const loaded = loadDemo(text, files);
  if (loaded.captured === null) throw new Error(told(loaded).join('\n'));
  return loaded.captured;
}
function engineOf(text: string, files?: Record<string, string>): ResolvedEngine {
  const { engine } = captured(text, files).recipe;
  if (engine === undefined) throw new Error('no engine');
  return engine;
}
const stages = (engine: ResolvedEngine) => engine.program.stages.map(({ id }) => id);

describe('an engine recipe', () => {
  it('of two lines has every default', () => {
    const { recipe, agents } = captured(ENGINE);
    expect(recipe).toMatchObject({
      type: 'engine',
      skill: 'demo',
      mode: {},
      blocks: [{ id: 'execution-engine', kind: 'engine', onError: { kind: 'halt' } }],
      program: { blocks: [{ id: 'execution-engine', kind: 'engine', choices: [], asksUser: false }] },
      usesGoal: false,
      usesDraft: false,
    });
    expect(recipe.engine?.program).toEqual({
      stages: [
        { id: 'worker', actor: 'subagent' },
        { id: 'verify', actor: 'subagent' },
        { id: 'wrapUp', actor: 'cli' },
        { id: 'commit', actor: 'cli' },
      ],
      finalize: [...FINAL_STAGES],
      policies: {
        maxRetries: 3,
        adaptDepthLimit: 1,
        maxDynamicTodos: 3,
        parallelLimit: 4,
        triagePrecedence: ['halt', 'adapt', 'retry'],
        mustNot: 'retry',
        maxFixRounds: 2,
      },
    });
    expect(Object.keys(agents)).toEqual(['worker', 'verifier', 'code-reviewer']);
    expect(Object.keys(recipe.engine?.handlers ?? {})).toEqual(HANDLERS.map(({ stage }) => stage));
  });

  it('reads the preferences that the engine asks for', () => {
    expect(captured(ENGINE).recipe.preferences).toMatchObject({
      approve_commands: { default: 'ask' },
      pull_request: { default: 'auto' },
    });
  });

  it('captures the rules and the role of every agent, its own and the shipped ones', () => {
    const { sources, agents, recipe } = captured(
      `${ENGINE}handlers: { look: { actor: subagent, agent: looker, promptFile: look.md } }\n`,
      { '.dev/recipes/look.md': 'Look at {name}.\n', '.dev/agents/looker.md': 'You look.\n' },
    );
    expect(sources.map(({ path, shipped }) => `${path}${shipped ? '' : ' (project)'}`)).toEqual([
      '.dev/recipes/demo.yaml (project)',
      'dev-cli:agents/worker.md',
      'dev-cli:agents/verifier.md',
      '.dev/agents/looker.md (project)',
      'dev-cli:agents/code-reviewer.md',
      '.dev/recipes/look.md (project)',
      'dev-cli:recipes/prompts/worker.md',
      'dev-cli:recipes/prompts/verify.md',
      'dev-cli:recipes/prompts/code-review.md',
    ]);
    expect(agents['looker']?.role).toBe('You look.');
    expect(recipe.engine?.handlers['look']).toEqual({
      key: 'look',
      shipped: null,
      actor: 'subagent',
      agent: 'looker',
      prompt: 'Look at {name}.\n',
      promptFile: 'look.md',
    });
    expect(recipe.engine?.handlers['worker']?.prompt).toContain('BLOCKED');
  });

  it('leaves out what a policy switches off, with the agents that nobody needs then', () => {
    const off = (policy: string) => captured(`${ENGINE}config: { policies: { ${policy}: false } }\n`);
    const unverified = off('verify_enabled');
    expect(unverified.recipe.engine?.program.stages.map(({ id }) => id)).toEqual(['worker', 'wrapUp', 'commit']);
    expect(Object.keys(unverified.agents)).toEqual(['worker', 'code-reviewer']);
    const unreviewed = off('code_review_enabled');
    expect(unreviewed.recipe.engine?.program.finalize).not.toContain('codeReview');
    expect(Object.keys(unreviewed.agents)).toEqual(['worker', 'verifier']);
    expect(off('final_verify_enabled').recipe.engine?.program.finalize).not.toContain('finalVerify');
  });

  it('takes its depth from config, from mode, or from the words of its name', () => {
    const modeOf = (text: string) => captured(text).recipe.mode;
    expect(modeOf(`${ENGINE}config: { depth: quick }\n`)).toEqual({ depth: 'quick' });
    expect(modeOf(`${ENGINE}mode: { depth: quick, interaction: autopilot }\n`)).toEqual({
      depth: 'quick',
      interaction: 'autopilot',
    });
    const library = libraryWith({ '.dev/recipes/ship-quick.yaml': 'name: ship-quick\ntype: engine\n' });
    expect(requireRecipe(library, 'ship-quick').recipe).toMatchObject({ skill: 'ship', mode: { depth: 'quick' } });
  });

  it('keeps every policy that is stated', () => {
    const { program } = engineOf(
      `${ENGINE}config:\n  policies: { max_retries: 0, adapt_depth_limit: 2, max_dynamic_todos: 9, parallel_limit: 1, triage_precedence: [retry, halt, adapt], must_not: halt, max_fix_rounds: 0 }\n`,
    );
    expect(program.policies).toEqual({
      maxRetries: 0,
      adaptDepthLimit: 2,
      maxDynamicTodos: 9,
      parallelLimit: 1,
      triagePrecedence: ['retry', 'halt', 'adapt'],
      mustNot: 'halt',
      maxFixRounds: 0,
    });
  });
});

describe('own handlers', () => {
  it('stand where `after` says, several after one in the order of the file', () => {
    const handlers = [
      `last: { actor: human, message: m, after: third_one }`,
      `first_one: ${YES}`,
      `before: { actor: human, message: m, after: worker }`,
      `third_one: ${YES}`,
      `second: { actor: human, message: m, after: first_one }`,
    ];
    expect(stages(engineOf(`${ENGINE}handlers:\n  ${handlers.join('\n  ')}\n`))).toEqual([
      'worker',
      'before',
      'verify',
      'firstOne',
      'second',
      'thirdOne',
      'last',
      'wrapUp',
      'commit',
    ]);
  });

  it('follow the worker where nothing is verified, with a warning when that was stated', () => {
    const text = (after: string) =>
      `${ENGINE}config: { policies: { verify_enabled: false } }\nhandlers: { a: { actor: human, message: m${after} } }\n`;
    expect(stages(engineOf(text('')))).toEqual(['worker', 'a', 'wrapUp', 'commit']);
    expect(told(loadDemo(text('')))).toEqual([]);
    expect(stages(engineOf(text(', after: verify')))).toEqual(['worker', 'a', 'wrapUp', 'commit']);
    expect(told(loadDemo(text(', after: verify')))).toEqual([
      '4:51 warning Verification is disabled, so this handler runs right after the worker.',
    ]);
  });

  it('come once each, behind their anchor, whatever the order of the file', () => {
    const keys = ['a', 'b', 'c', 'd', 'e'];
    // Each handler follows a shipped stage or an earlier handler, so there is no cycle; the file's order is random.
    const anchors = fc.tuple(...keys.map((_, at) => fc.constantFrom('worker', 'verify', ...keys.slice(0, at))));
    fc.assert(
      fc.property(anchors, fc.shuffledSubarray(keys, { minLength: 5 }), (after, order) => {
        const line = (key: string) => `${key}: { actor: human, message: m, after: ${after[keys.indexOf(key)]} }`;
        const found = stages(engineOf(`${ENGINE}handlers:\n  ${order.map(line).join('\n  ')}\n`));
        expect([...found].sort()).toEqual([...keys, 'commit', 'verify', 'worker', 'wrapUp'].sort());
        for (const [at, key] of keys.entries()) {
          expect(found.indexOf(key)).toBeGreaterThan(found.indexOf(after[at] ?? ''));
          if (after[at] === 'worker') expect(found.indexOf(key)).toBeLessThan(found.indexOf('verify'));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('run a command as an argument vector, in the time and place they say', () => {
    const engine = engineOf(
      `${ENGINE}handlers: { audit: { actor: cli, command: 'npm run audit -- "{name} x"', timeout: 20, cwd: api, when: todo.type == "work" } }\n`,
    );
    expect(engine.handlers['audit']).toEqual({
      key: 'audit',
      shipped: null,
      actor: 'cli',
      command: {
        argv: ['npm', 'run', 'audit', '--', '{name} x'],
        shell: false,
        timeout: 20,
        cwd: 'api',
        source: 'npm run audit -- "{name} x"',
      },
      when: 'todo.type == "work"',
    });
  });

  it('are what a person must trust, when they run something', () => {
    const { recipe } = captured(
      `${ENGINE}handlers: { audit: { actor: cli, command: [make, "audit it"] }, ok: ${YES} }\n`,
    );
    expect(listExternalCommands(recipe)).toEqual([['make', 'audit it']]);
    expect(listExternalCommands(captured(`${ENGINE}handlers: { ok: ${YES} }\n`).recipe)).toEqual([]);
  });

  it('use the goal, a preference or a var like every other text', () => {
    const { recipe } = captured(
      `${ENGINE}handlers:\n  a: { actor: human, message: "Is {goal} met?" }\n  b: { actor: cli, command: "x {mode.depth}", when: preferences.external_research }\n`,
    );
    expect(recipe.usesGoal).toBe(true);
    expect(Object.keys(recipe.preferences)).toContain('external_research');
  });
});

describe('the registry of handlers', () => {
  it('gives each a key, a stage and an id that belong together', () => {
    for (const { id, key, stage } of HANDLERS) {
      expect(toStageId(key)).toBe(stage);
      expect(id).toBe(key.replaceAll('_', '-'));
    }
    expect(HANDLERS.filter(({ place }) => place === 'finalize').map(({ stage }) => stage)).toEqual([...FINAL_STAGES]);
  });

  it('turns keys into stage ids, no two into the same', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,3}$/);
    const key = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join('_'));
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(toStageId(a) === toStageId(b)).toBe(a === b);
        expect(toStageId(a)).toMatch(/^[a-z][A-Za-z0-9]*$/);
      }),
    );
  });

  it('keeps its own words', () => {
    for (const key of ['worker', 'wrap_up', 'final_verify', 'approve_commands', 'triage', 'done', 'failed', 'stale']) {
      expect(findKeyFault(key)).not.toBeNull();
    }
    expect(findKeyFault('constructor')).toBe('is a property of every object');
    expect(findKeyFault('security_scan')).toBeNull();
  });
});

describe('the shipped engine recipes', () => {
  const library = libraryWith();
  const names = listRecipes(library).flatMap(({ name, type }) => (type === 'engine' ? [name] : []));

  it('are these, without external commands, open to a user and to autopilot', () => {
    expect(names).toEqual(['execute-hardened', 'execute-quick', 'execute-standard']);
    for (const name of names) {
      const { recipe } = requireRecipe(library, name);
      expect(recipe.skill).toBe('execute');
      expect(recipe.mode['interaction']).toBeUndefined();
      expect(listExternalCommands(recipe)).toEqual([]);
    }
  });

  it('quick looks back at nothing', () => {
    const { engine, mode } = requireRecipe(library, 'execute-quick').recipe;
    expect(mode).toEqual({ depth: 'quick' });
    expect(engine?.program).toMatchObject({
      stages: [{ id: 'worker' }, { id: 'wrapUp' }, { id: 'commit' }],
      finalize: ['residualCommit', 'stateComplete', 'report'],
      policies: { maxRetries: 0, adaptDepthLimit: 0 },
    });
  });

  it('hardened scans after the verification and asks before a risky commit', () => {
    const { engine } = requireRecipe(library, 'execute-hardened').recipe;
    expect(engine?.program.stages).toEqual([
      { id: 'worker', actor: 'subagent' },
      { id: 'verify', actor: 'subagent' },
      { id: 'securityScan', actor: 'subagent' },
      { id: 'approveRisky', actor: 'human', when: 'todo.risk == "high"' },
      { id: 'wrapUp', actor: 'cli' },
      { id: 'commit', actor: 'cli' },
    ]);
    expect(engine?.handlers['securityScan']).toMatchObject({ agent: 'security-reviewer', shipped: null });
  });

  it('are shown in words of the language: what is shown loads again as the same', () => {
    for (const name of names) {
      const { recipe } = requireRecipe(library, name);
      const again = captured(showRecipe(recipe).replace(/^name: .*/, 'name: demo'), {
        '.dev/recipes/prompts/security-scan.md': recipe.engine?.handlers['securityScan']?.prompt ?? '',
      }).recipe;
      expect(again).toEqual({ ...recipe, name: 'demo' });
    }
  });
});
