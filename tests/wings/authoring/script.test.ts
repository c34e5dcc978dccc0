import { describe, expect, it } from 'vitest';
import { findingsOf, NOTES, runCases, runText, TRIED } from './theatre.js';

const GOOD = `  - name: all goes well
    end: { outcome: completed }
  - name: every kind of step
    steps:
      - expect: { block: part, action: llm, choices: [major, minor, none] }
        choose: major
      - expect: { block: notes, action: llm }
        refuse: DATA_MISSING
      - data: { title: Notes, level: a, tag: v1 }
      - expect: { block: build, action: running }
        command: { exit: 1, prints: 1 test failed }
      - expect: { block: notes, action: llm }
      - expect: { block: look, action: dispatch-subagents, agents: [code-reviewer], round: 1 }
        outputs: { code-reviewer: { verdict: REJECT, summary: It lacks a title. } }
      - expect: { block: look, round: 2 }
        without: { code-reviewer: it crashed }
      - expect: { block: tag }
        fail: no rights
      - invalidate: tag
      - expect: { block: tag }
      - expect: { block: gate, action: wait-for-user }
        person: back
        note: the title
      - until: gate
        choose: go
        refuse: HUMAN_REQUIRED
      - expect: { block: gate }
        choose: go
        person: true
      - expect: { action: done }
    end: { outcome: completed, files: [reviews/1.md], missing: [PLAN.md], says: steps done }
`;

describe('a script (authoring.md, Scripts)', () => {
  it('plays every kind of step', async () => {
    const { problems, cases } = await runCases(GOOD);
    expect(findingsOf({ problems })).toEqual([]);
    expect(cases.map(({ actions }) => actions > 4)).toEqual([true, true]);
  });

  it('takes fixtures beside it, and texts of several lines', async () => {
    const test = `recipe: tried
cases:
  - name: from files
    given: { files: { notes/earlier.md: earlier.md } }
    steps:
      - { until: notes, data: notes-1.json }
      - until: look
        outputs:
          code-reviewer: review.md
          notes/said.md: |
            Said
            twice
    end: { files: [notes/earlier.md, notes/said.md] }
  - name: the rest
    steps: [{ until: end }]
`;
    const review =
      '---\nagent: code-reviewer\ntimestamp: 2026-01-01T00:00:00Z\nsummary: Fine.\nverdict: OKAY\n---\n\nFine.\n';
    const files = {
      '.dev/recipes/notes.json': NOTES,
      '.dev/recipes/notes-1.json': '{"title":"Notes","level":"b","tag":"v2"}',
      '.dev/recipes/earlier.md': 'Earlier.',
      '.dev/recipes/review.md': review,
    };
    const [first, ...others] = findingsOf(await runText(TRIED, test, { files }));
    expect(first).toMatch(/^7: from files: The steps end here, but the run continues: got (tag|gate) /);
    expect(others).toEqual([]);
  });

  it('has a run that must not begin', async () => {
    const tried = (given: string, more = '') =>
      runText(
        TRIED.replace('type: sequential', 'type: sequential\nneeds: [remote]'),
        `recipe: tried\ncases:\n  - name: a\n    given: { ${given} }\n${more}`,
        { files: { '.dev/recipes/notes.json': NOTES } },
      );
    const found = async (given: string, more?: string) => findingsOf(await tried(given, more));
    const refused = 'lacks: [remote], refuse: NEEDS_MISSING';
    expect(await found(refused)).toEqual([]);
    expect(await found(refused, '    steps: []\n')).toEqual([]);
    expect(await found('lacks: [remote]')).toEqual([expect.stringMatching(/^4: a: .* \[NEEDS_MISSING\]$/)]);
    expect(await found('lacks: [remote], refuse: INPUT_CHANGED')).toEqual([
      expect.stringMatching(/^4: a: Expected INPUT_CHANGED, but it was refused with NEEDS_MISSING: /),
    ]);
    expect(await found('refuse: true')).toEqual(['4: a: Expected a refusal, but it was accepted.']);
    expect(await found(refused, '    steps: [{ until: end }]\n    end: { outcome: halted }\n')).toEqual([
      '5: a: The run did not begin, so this step is never reached.',
      '6: a: The run did not begin, so it has no end.',
    ]);
  });

  it('has a person, and nobody else, answer where only a person may', async () => {
    expect(findingsOf(await runCases('  - name: a\n    steps:\n      - { until: gate, choose: go }\n'))).toEqual([
      expect.stringMatching(/^5: a: "gate" is for the user to decide.* \[HUMAN_REQUIRED\]$/),
    ]);
  });

  it('have a choice refused that wants a reason, or that is not offered', async () => {
    const steps = (...lines: string[]) =>
      `  - name: a\n    steps:\n${lines.map((line) => `      - ${line}\n`).join('')}      - until: end\n`;
    const tried = async (...lines: string[]) => findingsOf(await runCases(steps(...lines)));
    expect(await tried('{ until: gate, person: back, refuse: true }')).toEqual([]);
    expect(await tried('{ until: gate, person: back, refuse: DATA_MISSING }')).toEqual([]);
    expect(await tried('{ until: gate, choose: back, refuse: HUMAN_REQUIRED }')).toEqual([]);
    expect(await tried('{ until: gate, person: back, note: No., refuse: true }')).toEqual([
      '5: a: Expected a refusal, but it was accepted.',
    ]);
    const used = '{ until: gate, person: back, times: 2 }';
    expect(await tried(used, '{ until: gate, person: back, refuse: UNKNOWN_CHOICE }')).toEqual([]);
    expect(await tried(used, '{ until: gate, person: bakc, refuse: true }')).toEqual([
      '6: a: gate does not offer "bakc"; it offers go.',
    ]);
    expect(await tried(used, '{ until: gate, person: back }')).toEqual([
      '6: a: gate does not offer "back"; it offers go.',
    ]);
  });

  it('find the documents that blocks before name as written', async () => {
    const noting = `
name: noting
type: sequential
mode: { depth: quick, interaction: interactive }
artifacts: [NOTE.md]
blocks:
  - { id: uses, type: cli, command: [sh, list.sh, '.dev/specs/{name}/uses.txt'] }
  - { id: note, type: llm, instruction: 'Write .dev/specs/{name}/NOTE.md. uses.txt has every use.', read: [uses.txt] }
  - { id: count, type: cli, command: make count }
  - { id: gate, type: wait-for-user, message: Go on?, artifact: NOTE.md }
  - { id: use, type: llm, instruction: 'Use NOTE.md.', read: [NOTE.md, uses.txt, counted.txt, docs/NOTE.md] }
`;
    const tried = async (steps: string) =>
      findingsOf(await runText(noting, `recipe: noting\ncases:\n  - name: a\n    steps:\n${steps}`));
    const whole = `
      - { expect: { block: note, reads: [uses.txt] } }
      - { until: use, expect: { reads: [NOTE.md, uses.txt, counted.txt] } }
    end: { outcome: completed, files: [NOTE.md], missing: [actions/a1/NOTE.md] }
`;
    expect(await tried(whole)).toEqual([]);
    expect(await tried('      - { expect: { block: note, reads: [NOTE.md] } }\n      - until: end\n')).toEqual([
      '5: a: `reads`: expected NOTE.md, got .dev/specs/rehearsal/uses.txt.',
    ]);
    const said = '      - { until: note, outputs: { NOTE.md: "# Why\\n\\nIt is.\\n" } }\n      - until: end\n';
    expect(await tried(said)).toEqual([]);
  });

  it('go on to the command of a loop, each time it is asked', async () => {
    const loop =
      'name: tried\ntype: sequential\nmode: { depth: quick, interaction: interactive }\nblocks:\n  - { id: mend, type: llm-loop, instruction: Mend., exitCheck: npm test, maxRounds: 3 }\n';
    const test =
      'recipe: tried\ncases:\n  - name: a\n    steps: [{ until: mend, command: { exit: 1 }, times: 3 }]\n    end: { outcome: halted }\n';
    expect(findingsOf(await runText(loop, test))).toEqual([]);
  });

  it('are told by line, whatever found them', async () => {
    const cases = '  - { name: a, steps: [{ expect: { block: gate } }] }\n  - { name: a, end: { outcome: halted } }\n';
    const found = findingsOf(await runCases(cases, 'coverage: 90\n'));
    expect(found.map((one) => one.slice(0, one.indexOf(':')))).toEqual(['2', '4', '5', '5']);
  });

  it.each([
    ['another block comes', '- expect: { block: build }', '5: a: `block`: expected build, got part.'],
    [
      'the command of a block has passed in between',
      '- { expect: { block: part }, choose: minor }\n      - expect: { block: notes }\n      - expect: { block: build }',
      '7: a: `block`: expected build, got look. The command of build has already passed.',
    ],
    ['another kind comes', '- expect: { action: running }', '5: a: `action`: expected running, got llm.'],
    [
      'other choices are offered',
      '- expect: { choices: [minor] }',
      '5: a: `choices`: expected minor, got major, minor, none.',
    ],
    ['a file is not read', '- expect: { reads: [PLAN.md] }', '5: a: `reads`: expected PLAN.md, got none.'],
    ['a phase is meant', '- expect: { phase: plan }', '5: a: `phase`: expected plan, got none.'],
    ['a choice is not offered', '- choose: patch', '5: a: part does not offer "patch"; it offers major, minor, none.'],
    [
      'there is nothing to choose',
      '- { until: notes, choose: go }',
      '5: a: notes does not offer "go"; it offers no choice.',
    ],
    ['no command is at work', '- command: { exit: 1 }', '5: a: No command is running: the action of part is llm.'],
    [
      'an agent is unknown',
      '- { until: look, without: { somebody: why } }',
      '5: a: This action has no agent "somebody"',
    ],
    [
      'it leads out of the run',
      '- { outputs: { ../../x.md: "a\\nb" } }',
      '5: a: "../../x.md" is neither a promised output of this action',
    ],
    [
      'it leads to the root',
      '- { outputs: { /etc/passwd: "a\\nb" } }',
      '5: a: "/etc/passwd" is neither a promised output',
    ],
    [
      'a fixture is missing',
      '- { until: notes, data: nowhere.json }',
      '5: a: There is no file "nowhere.json" beside the script.',
    ],
    [
      'a fixture lies outside',
      '- { until: notes, data: ../../../../etc/passwd }',
      '5: a: There is no file "../../../../etc/passwd"',
    ],
    [
      'data do not fit',
      '- { until: notes, data: { title: x } }',
      '5: a: .dev/specs/rehearsal/actions/a2/data.json is not valid',
    ],
    [
      'it ends too early',
      '- expect: { block: part }',
      '5: a: The steps end here, but the run continues: got notes (llm).',
    ],
    [
      'it comes too late',
      '- { until: end }\n      - { choose: minor }',
      '6: a: The run ended before this step (completed: ',
    ],
    ['a block never comes', '- until: nowhere', '5: a: The run ended without reaching nowhere'],
    [
      'a block is misspelt',
      '- until: noets',
      '5: a: The run ended without reaching noets (completed: 6 of 6 steps done). Did you mean `notes`?',
    ],
    [
      'what must be refused is not',
      '- { choose: minor, refuse: true }',
      '5: a: Expected a refusal, but it was accepted.',
    ],
    [
      'it is refused otherwise',
      '- { refuse: INPUT_CHANGED }',
      '5: a: Expected INPUT_CHANGED, but it was refused with UNKNOWN_CHOICE',
    ],
    ['a block is unknown', '- invalidate: nowhere', '5: a: The recipe tried has no block "nowhere". [UNKNOWN_BLOCK]'],
    [
      'it never ends',
      Array(6).fill('- { invalidate: part, times: 200 }').join('\n      '),
      '10: a: The run has not ended after 1000 actions.',
    ],
  ])('is told when %s', async (_what, step, finding) => {
    const [first, ...others] = findingsOf(await runCases(`  - name: a\n    steps:\n      ${step}\n`));
    expect(first?.startsWith(finding), first).toBe(true);
    expect(others).toEqual([]);
  });

  it.each([
    ['outcome: halted', 'expected halted, got completed'],
    ['files: [nothing.md]', 'expected nothing.md to exist'],
    ['missing: [reviews/1.md]', 'expected reviews/1.md not to exist'],
    ['says: nothing', 'expected "nothing"'],
  ])('is told when the end is another: %s', async (end, finding) => {
    const [first, ...others] = findingsOf(await runCases(`  - name: a\n    end: { ${end} }\n`));
    expect(first).toContain(finding);
    expect(others).toEqual([]);
  });

  it.each([
    ['goal', 'given: { set: { nothing: x } }', '[UNKNOWN_PREFERENCE]'],
    ['mode', 'given: { depth: standard }', '[MODE_CONTRADICTION]'],
    ['plan', 'given: { plan: { size: huge } }', '`size` must be one of small, middle, large.'],
    ['file', 'given: { files: { a.md: nowhere.md } }', 'There is no file "nowhere.md"'],
    ['place', 'given: { files: { ../a.md: "x\\ny" } }', 'leads out of the run'],
  ])('is told when a run cannot begin with what is given: %s', async (_what, given, finding) => {
    const [first, ...others] = findingsOf(await runCases(`  - name: a\n    ${given}\n`));
    expect(first).toContain(finding);
    expect(first).toMatch(/^4: /);
    expect(others).toEqual([]);
  });

  it('is the same run each time', async () => {
    const [one, other] = await Promise.all([runCases(GOOD), runCases(GOOD)]);
    expect(one).toEqual(other);
  });
});

describe('a test file that does not hold up (authoring.md, recipe test)', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((key, index) => `${key}: &${key} [${Array(10).fill(`*${'abcdefgh'[index]}`).join()}]`),
  ];
  it.each([
    ['nothing', '', /^1: A mapping of fields is expected/],
    ['a list', '- a\n', /^1: A mapping of fields is expected/],
    ['no cases', 'recipe: tried\n', /^1: `cases` is missing/],
    [
      'an unknown key',
      'recipe: tried\ncases:\n  - name: a\n    steps:\n      - expct: { block: part }\n',
      /^5: Unknown key `expct`; did you mean `expect`\?/,
    ],
    [
      'another type',
      'recipe: tried\ncases:\n  - name: a\n    steps: [{ choose: [a] }]\n',
      /^4: `choose` must be text, not a list/,
    ],
    ['a tab', 'recipe: tried\n\tcases: []\n', /^2: YAML cannot be indented with tabs/],
    ['a repeated key', 'recipe: tried\nrecipe: tried\ncases: [{ name: a }]\n', /^2: The key `recipe` occurs twice/],
    [
      'an unknown recipe',
      'recipe: tryed\ncases: [{ name: a }]\n',
      /^1: There is no recipe "tryed"\. Did you mean "tried"\?/,
    ],
    ['a repeated name', 'recipe: tried\ncases: [{ name: a }, { name: a }]\n', /^2: Two cases are called "a"/],
    ['aliases without end', `recipe: tried\n${bomb.join('\n')}\n`, /^1: The YAML cannot be read/],
    ['10 MB', `recipe: tried\n${'# nothing\n'.repeat(1_000_000)}`, /^1: The file is larger than 64 KiB/],
    ['nesting without end', `recipe: ${'['.repeat(20_000)}`, /./],
  ])('is told of: %s', async (_what, text, finding) => {
    const tested = await runText(TRIED, text, { files: { '.dev/recipes/notes.json': NOTES } });
    expect(findingsOf(tested)[0]).toMatch(finding);
    expect(tested.problems.length).toBeLessThanOrEqual(20);
  });

  it('is told of a recipe with errors', async () => {
    const tested = await runText(
      'name: tried\ntype: sequential\nblocks: []\n',
      'recipe: tried\ncases: [{ name: a }]\n',
    );
    expect(tested).toMatchObject({ recipe: null, problems: [{ line: 1, message: expect.stringContaining('error') }] });
  });
});
