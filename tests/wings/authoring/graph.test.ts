import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import type { CapturedRecipe } from '../../../src/recipe/captured.js';
import { listRecipes, requireRecipe } from '../../../src/recipe/load/load.js';
import { listBlockWays, listEdges } from '../../../src/wings/authoring/edges.js';
import { NO_FIXTURES } from '../../../src/wings/authoring/fixtures.js';
import { renderAscii } from '../../../src/wings/authoring/graph/ascii.js';
import { buildRecipeGraph } from '../../../src/wings/authoring/graph/command.js';
import type { GraphEdge, Mark, RecipeGraph } from '../../../src/wings/authoring/graph/graph.js';
import { assignLanes } from '../../../src/wings/authoring/graph/lanes.js';
import { layOutGraph } from '../../../src/wings/authoring/graph/layout.js';
import { markGraph } from '../../../src/wings/authoring/graph/marks.js';
import { renderMermaid } from '../../../src/wings/authoring/graph/mermaid.js';
import { renderSvg } from '../../../src/wings/authoring/graph/svg.js';
import { cutText, measureLabelText } from '../../../src/wings/authoring/graph/text.js';
import { renderXState } from '../../../src/wings/authoring/graph/xstate.js';
import { playScript } from '../../../src/wings/authoring/play.js';
import type { ScriptStep } from '../../../src/wings/authoring/script-schema.js';
import { libraryWith } from '../../core/recipe/library-fixture.js';

const SHIPPED: [string, CapturedRecipe][] = listRecipes(libraryWith()).map(({ name }) => [
  name,
  requireRecipe(libraryWith(), name),
]);
const demo = (text: string) => requireRecipe(libraryWith({ '.dev/recipes/demo.yaml': text }), 'demo');

/** Text that every format has to escape. */
const HOSTILE = '</text><script>alert(1)</script> "]; %% --> click n1 href &amp; \'`|{{}} end';
const hostile = demo(`name: demo
type: sequential
description: ${JSON.stringify(HOSTILE)}
blocks:
  - { id: end, type: wait-for-user, human: required, message: ${JSON.stringify(HOSTILE)}, choices: [go, { id: class, goto: halt }] }
  - { id: subgraph, type: llm, instruction: x, when: ${JSON.stringify(`goal == ${JSON.stringify(HOSTILE)}`)} }
`);
const many = (count: number) =>
  demo(
    [
      'name: demo\ntype: sequential\nblocks:',
      ...Array.from(
        { length: count },
        (_, n) =>
          `  - { id: b${n}, type: llm, instruction: x, choices: [on, { id: back, goto: b${Math.max(0, n - 3)} }${n < 1 ? ', no' : ''}] }`,
      ),
    ]
      .join('\n')
      .replace('{ id: back, goto: b0 }, no', 'no'),
  );

/** Lists errors in XML: end tags must match, attributes must be quoted, and everything else must be escaped text. */
function judgeXml(text: string): string[] {
  const open: string[] = [];
  const wrong: string[] = [];
  const rest = text.replace(
    /<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<]*")*)(\/?)>/g,
    (_tag, ends, name, _attributes, empty) => {
      if (ends === '/') wrong.push(...(open.pop() === name ? [] : [`</${name}>`]));
      else if (empty === '') open.push(name);
      return '';
    },
  );
  return [...wrong, ...open, ...(/[<>]|&(?!#\d+;|quot;)/.exec(rest) ?? [])];
}

const ID = 'n\\d+';
const WORDS = '"(?:[^"#<>|{}\\[\\]`%&;\\\\]|#\\d+;|<br/>)*"';
/** Matches the lines of our flowcharts (https://mermaid.js.org/syntax/flowchart.html). */
const MERMAID = new RegExp(
  `^(?:flowchart TD|  (?:  )?${ID}(?:\\(\\[${WORDS}\\]\\)|\\(\\(\\(${WORDS}\\)\\)\\)|\\{\\{${WORDS}\\}\\}|\\[\\[${WORDS}\\]\\]|\\[${WORDS}\\])|  subgraph g\\d+\\[${WORDS}\\]|  end|  ${ID} (?:-->|-\\.->)(?:\\|${WORDS}\\|)? ${ID}|  classDef [a-z]+ [a-z#0-9:, -]+|  class ${ID}(?:,${ID})* [a-z]+)$`,
);

function judge(graph: RecipeGraph): void {
  expect(judgeXml(renderSvg(graph))).toEqual([]);
  const lines = renderMermaid(graph).trimEnd().split('\n');
  expect(lines.filter((line) => !MERMAID.test(line))).toEqual([]);
  const wide = renderAscii(graph)
    .split('\n')
    .filter((line) => measureLabelText(line) > 80);
  expect(wide).toEqual([]);
}

describe('graph (graph.md, The graph)', () => {
  it.each(SHIPPED)('%s: every transition that is counted is on an edge, and no other', (_name, captured) => {
    const graph = buildRecipeGraph(captured);
    const drawn = new Set(graph.edges.flatMap(({ ways }) => ways));
    expect([...drawn].sort()).toEqual(
      listEdges(captured)
        .filter((edge) => !edge.endsWith(': begun'))
        .sort(),
    );
    const ids = graph.nodes.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const loose = graph.edges.filter(({ from, to, implied }) => !implied && !(ids.includes(from) && ids.includes(to)));
    expect(loose).toEqual([]);
  });

  it.each(SHIPPED)(
    '%s: is well-formed in each format, within 80 columns and with plain signs in ASCII',
    (_name, captured) => {
      const graph = buildRecipeGraph(captured);
      judge(graph);
      expect(renderAscii(graph)).toMatch(/^[\n -~]*$/);
      for (const { name, kind } of graph.nodes) {
        expect(renderMermaid(graph)).toContain(`"${name.replaceAll('_', '#95;')}`);
        if (kind !== 'halted') expect(renderAscii(graph)).toContain(name);
      }
    },
  );

  it('takes nothing in a recipe for its own form', () => {
    const graph = buildRecipeGraph(hostile);
    judge(graph);
    expect(renderSvg(graph)).toContain('&#60;script&#62;');
    expect(judgeXml(`<text>${HOSTILE}</text>`)).not.toEqual([]);
    expect(MERMAID.test(`  n1["${HOSTILE}"]`)).toBe(false);
  });

  it('says what a condition, a bound, a choice and a failure do', () => {
    const { nodes, edges } = buildRecipeGraph(
      demo(`name: demo
type: sequential
blocks:
  - { id: write, type: llm, instruction: x, onError: { retry: { max: 2 } } }
  - id: judge
    type: subagent-loop
    when: goal == "x"
    agents: [{ type: plan-reviewer }]
    exitWhen: agents["plan-reviewer"].verdict == "OKAY"
    revise: write
    maxRounds: 3
    onError: continue
  - { id: ask, type: wait-for-user, human: required, message: Go?, choices: [go, { id: anew, goto: write }, { id: no, goto: halt }] }
`),
    );
    const node = (name: string) => nodes.find((one) => one.name === name);
    const edge = (from: string, to: string) => edges.find((one) => one.from === `block:${from}` && one.to.endsWith(to));
    expect(node('write')).toMatchObject({ optional: false, facts: ['x', 'if it fails: tried again, 2× at most'] });
    expect(node('judge')).toMatchObject({ optional: true, repeats: false });
    expect(node('judge')?.facts).toContain('if none passes: goes on');
    expect(node('ask')).toMatchObject({ kind: 'person', note: 'a person decides', facts: ['“Go?”'] });
    expect(edge('judge', 'write')).toMatchObject({ kind: 'back', label: 'not passed (≤ 2×)' });
    expect(edge('ask', 'write')).toMatchObject({ kind: 'back', label: 'anew (≤ 5×)' });
    expect(edge('judge', 'ask')?.ways).toEqual([
      'judge: skipped',
      'judge: done → ask',
      'judge: not passed → ask',
      'judge: failed → ask',
    ]);
    expect(edge('ask', 'write')).toMatchObject({ kind: 'back', label: 'anew (≤ 5×)' });
    expect(edge('ask', 'halt:ask')).toMatchObject({ kind: 'halt', label: 'no', implied: false });
    expect(edge('write', 'halt:write')).toMatchObject({ kind: 'halt', implied: true });
  });

  it('draws where a stage leads that nothing mends: no retries, no rounds of fixes', () => {
    const { edges } = buildRecipeGraph(
      demo(`name: demo
type: engine
config: { policies: { max_retries: 0, max_fix_rounds: 0 } }
handlers:
  scan: { actor: cli, command: npm run scan }
  look: { actor: human, message: Good? }
`),
    );
    const drawn = edges.flatMap(({ from, to, label, implied }) =>
      implied || label === '' ? [] : [`${from} ${to} ${label}`],
    );
    expect(drawn).toEqual(
      expect.arrayContaining([
        'stage:worker halt:todo fails',
        'stage:scan halt:todo fails',
        'stage:look halt:todo reject',
        'stage:codeReview halt:run needs fixes',
        'stage:finalVerify halt:run needs fixes',
      ]),
    );
    expect(edges.filter(({ to, kind }) => to === 'stage:worker' && kind !== 'next')).toEqual([]);
  });

  it('names in a tip the choices that a label counts, and cuts between words', () => {
    const picture = renderSvg(
      buildRecipeGraph(
        demo(`name: demo
type: sequential
blocks:
  - { id: kind, type: llm, instruction: x, choices: [feature, bug, move, other] }
  - { id: run, type: cli, command: [make, ${'word, '.repeat(8)}${'unbroken'.repeat(9)}] }
`),
      ),
    );
    expect(picture).toContain('<title>feature, bug, move, other</title>4 choices<');
    expect(picture).toMatch(/>make( word)+…</);
    expect(cutText('one two three', 9)).toBe('one two…');
    expect(cutText('one two three', 8)).toBe('one two…');
    expect(cutText(`a ${'b'.repeat(30)}`, 10)).toBe('a bbbbbbb…');
  });

  it('says where a person decides in a phase, and lists its stages as the picture of the engine does', () => {
    const phases = (name: string) => {
      const captured = SHIPPED.find(([one]) => one === name)?.[1];
      return captured === undefined ? [] : buildRecipeGraph(captured).nodes.map(({ facts }) => facts.join(' '));
    };
    const said = phases('ultrawork').join('\n');
    expect(said).toContain('a person decides: approve-plan');
    expect(said).toMatch(/approvePlan › approveCommands › stateBegin [^\n]*worker/);
    expect(phases('ultrawork-autopilot').join()).not.toContain('a person decides');
  });

  it('leaves no room in a box but for its lines', () => {
    const judged = demo(`name: demo
type: sequential
blocks:
  - { id: a, type: llm, instruction: x }
  - { id: b, type: llm, instruction: x, choices: [on, { id: back, goto: a }] }
`);
    const heights = [
      ...renderSvg(buildRecipeGraph(judged)).matchAll(/<rect class="[^"]*box[^>]* width="300" height="(\d+)"/g),
    ];
    expect(heights.map(([, height]) => height)).toEqual(['52', '52']);
  });

  it('marks by word and sign, not by colour alone', () => {
    const graph = buildRecipeGraph(hostile);
    const words: Record<Mark, string[]> = {
      done: ['✓ done', '[done]'],
      current: ['▶ now', '[NOW]'],
      failed: ['✕ failed', '[FAILED]'],
      stale: ['↻ stale', '[stale]'],
      skipped: ['– skipped', '[skipped]'],
    };
    for (const [mark, [sign = '', plain = '']] of Object.entries(words)) {
      const marked = {
        ...graph,
        nodes: graph.nodes.map((node) => (node.name === 'end' ? { ...node, mark: mark as Mark } : node)),
      };
      judge(marked);
      expect(renderSvg(marked)).toContain(sign);
      expect(renderMermaid(marked)).toContain(sign);
      expect(renderAscii(marked)).toContain(plain);
    }
  });

  it('has colours of its own for dark surroundings, and the light ones as attributes', () => {
    for (const [, captured] of SHIPPED) {
      const svg = renderSvg(buildRecipeGraph(captured));
      const [, dark = ''] = /<style>@media \(prefers-color-scheme:dark\)\{(.*)\}<\/style>/.exec(svg) ?? [];
      const classes = new Set([...svg.matchAll(/class="([^"]+)"/g)].flatMap(([, names = '']) => names.split(' ')));
      expect([...classes].filter((name) => !dark.includes(`.${name}{`))).toEqual([]);
      for (const [shape] of svg.matchAll(/<(?:rect|circle|path|text) [^>]*>/g))
        expect(shape).toMatch(/ (?:fill|stroke)="#/);
      expect(svg).not.toMatch(/href|url\((?!#)/);
    }
  });

  it('lays no line over a box, and no two ways back over each other', () => {
    const crowded = buildRecipeGraph(many(200));
    for (const graph of [...SHIPPED.map(([, captured]) => buildRecipeGraph(captured)), crowded]) {
      const { nodes, lanes, right, width } = layOutGraph(graph, { box: 300, heightOf: () => 60, widthOf: () => 90 });
      nodes.slice(1).forEach(({ box }, index) => {
        const above = nodes[index]?.box;
        expect(box.y).toBeGreaterThan((above?.y ?? 0) + (above?.height ?? 0));
      });
      for (const { x } of lanes) expect(x > right + 90 && x < width).toBe(true);
      const spans = lanes.map(({ x, leaves, enters }) => ({
        x,
        top: Math.min(leaves, enters),
        bottom: Math.max(leaves, enters),
      }));
      spans.forEach((one, index) => {
        const over = spans
          .slice(index + 1)
          .filter(({ x, top, bottom }) => x === one.x && top <= one.bottom && one.top <= bottom);
        expect(over).toEqual([]);
      });
    }
  });

  it('has ways back cross none that leaves the same box, and no words on the line of one that enters it', () => {
    const crossed = demo(`name: demo
type: sequential
blocks:
  - { id: a, type: llm, instruction: x }
  - { id: b, type: llm, instruction: x, choices: [on, { id: unclear, goto: a }] }
  - { id: c, type: wait-for-user, message: m, choices: [on, { id: more, goto: a }, { id: other, goto: b }] }
`);
    for (const graph of [...SHIPPED.map(([, captured]) => captured), crossed].map((one) => buildRecipeGraph(one))) {
      const { lanes, nodes } = layOutGraph(graph, { box: 300, heightOf: () => 37, widthOf: () => 90 });
      for (const { edge, x, leaves } of lanes) {
        const below = lanes.filter((other) => other.edge.from === edge.from && other.leaves > leaves);
        expect(below.filter((other) => other.x < x)).toEqual([]);
        const box = nodes.find(({ what }) => what.id === edge.from)?.box;
        for (const { enters } of lanes.filter((other) => other.edge.to === edge.from)) {
          expect(leaves - enters).toBeGreaterThan(18);
        }
        expect(leaves).toBeLessThan((box?.y ?? 0) + (box?.height ?? 0));
      }
    }
  });

  it('shows whole in two lines what has no room in one', () => {
    const judged = demo(`name: demo
type: sequential
blocks:
  - id: a
    type: subagent-loop
    agents: [{ type: code-reviewer, output: a.md }]
    exitWhen: agents["code-reviewer"].verdict == "OKAY"
`);
    const picture = renderSvg(buildRecipeGraph(judged));
    expect(picture).toContain('>until agents[&#34;code-reviewer&#34;].verdict ==</text>');
    expect(picture).toContain('>&#34;OKAY&#34;</text>');
  });

  it('draws 200 blocks', () => {
    const graph = buildRecipeGraph(many(200));
    judge(graph);
    expect(renderAscii(graph).split('\n').length).toBeGreaterThan(1000);
    const lanes = assignLanes(graph, 1);
    const back = graph.edges.filter(({ kind }: GraphEdge) => kind === 'back');
    // An edge back for which no lane is free is not drawn, but its box still says `back to`.
    expect(lanes.length).toBeLessThan(back.length);
    expect(renderAscii(graph).match(/: back to/g)?.length).toBe(back.length);
  });
});

/** Plays these steps in memory, and returns each block's mark. */
async function marksOf(recipe: string, steps: ScriptStep[], given = {}): Promise<Record<string, string | undefined>> {
  const library = libraryWith();
  const { on } = await playScript(
    recipe,
    { given: { goal: 'x', ...given }, steps },
    {
      library,
      signal: new AbortController().signal,
      fixtures: NO_FIXTURES,
    },
  );
  const marked = markGraph(buildRecipeGraph(requireRecipe(library, recipe)), await on.read());
  judge(marked);
  return Object.fromEntries(marked.nodes.map(({ name, mark }) => [name, mark]));
}

describe('graph --run (graph.md, Runs)', () => {
  it('marks the stages of an execution at work, at its end, and where a todo fails', async () => {
    const asked = await marksOf('execute-hardened', [{ until: 'execution-engine' }]);
    expect(asked).toMatchObject({ approveCommands: 'current', worker: undefined });
    const ended = await marksOf('execute-hardened', [{ until: 'end' }]);
    expect(ended).toMatchObject({
      approvePlan: 'skipped',
      approveCommands: 'done',
      worker: 'done',
      report: 'done',
      completed: 'done',
    });
    const blocked = await marksOf('execute-standard', [
      { until: 'execution-engine', person: 'approve' },
      { outputs: { worker: 'BLOCKED' } },
      { until: 'end' },
    ]);
    expect(blocked).toMatchObject({
      worker: 'failed',
      'todo failed': 'failed',
      halted: 'failed',
      completed: undefined,
    });
  });

  it('marks the phases of a workflow', async () => {
    const begun = await marksOf('ultrawork-autopilot', [{ until: 'implement/execution-engine' }], { lacks: ['gh'] });
    expect(begun).toMatchObject({ plan: 'done', pr: 'skipped', implement: 'current', completed: undefined });
    const ended = await marksOf('ultrawork-autopilot', [{ until: 'end' }]);
    expect(ended).toMatchObject({ plan: 'done', pr: 'done', implement: 'done', completed: 'done' });
  });
});

describe('graph in a terminal (graph.md, ASCII)', () => {
  const widest = (text: string) => Math.max(...text.split('\n').map(measureLabelText));

  it.each(SHIPPED)('%s takes the columns that there are', (_name, captured) => {
    const graph = buildRecipeGraph(captured);
    for (const columns of [40, 60, 80, 100, 120]) {
      expect(widest(renderAscii(graph, columns)), String(columns)).toBeLessThanOrEqual(columns);
      expect(widest(renderAscii(graph, columns)), String(columns)).toBeGreaterThan(columns - 12);
    }
    expect(renderAscii(graph, 10)).toBe(renderAscii(graph, 40));
    expect(renderAscii(graph, 400)).toBe(renderAscii(graph, 120));
    expect(renderAscii(graph)).toBe(renderAscii(graph, 80));
  });
});

describe('the title of a block', () => {
  const titled = demo(`name: demo
type: sequential
blocks:
  - { id: mend, type: llm, instruction: Mend the code until all is well. }
  - { id: note, type: llm, title: Write the note, instruction: Write NOTE.md. }
  - { id: test, type: cli, title: Run all tests, command: [sh, -c, 'for f in *; do echo $f; done'], revise: mend, maxRounds: 4, onError: continue }
  - { id: look, type: subagent, title: A fresh reader looks, agents: [{ type: code-reviewer, prompt: Look., output: look.md }] }
  - { id: gate, type: wait-for-user, title: A person reads it, message: Is it well? }
`);

  it.each([
    ['ascii', renderAscii(buildRecipeGraph(titled))],
    ['svg', renderSvg(buildRecipeGraph(titled))],
    ['mermaid', renderMermaid(buildRecipeGraph(titled))],
    ['xstate', renderXState(titled)],
  ])('is what %s shows of it, not its command', (format, picture) => {
    for (const title of ['Write the note', 'Run all tests', 'A fresh reader looks', 'A person reads it'])
      expect(picture).toContain(title);
    expect(picture).not.toContain('for f in');
    if (format !== 'xstate') expect(picture).toContain('Mend the code until all is well.');
  });

  it('stands beside what a failure that leads back comes to in the end', () => {
    expect(renderAscii(buildRecipeGraph(titled))).toContain('if it fails 4x: goes on');
  });
});

interface Shown {
  states: Record<string, Shown>;
  ownEvents: string[];
  on: Record<string, { target?: { id: string }[] }[]>;
  always?: { target?: { id: string }[] }[];
}

const targets = (ways: { target?: { id: string }[] }[] = []) => ways.map(({ target }) => target?.[0]?.id ?? null);

describe('graph --format xstate (graph.md, XState)', () => {
  it.each(SHIPPED)('%s: XState loads it, with the transitions that are counted', (_name, captured) => {
    const machine = createMachine(JSON.parse(renderXState(captured)));
    const { states } = machine as unknown as Shown;
    if (captured.workflow !== undefined) {
      expect(Object.keys(states)).toHaveLength(3 + 3 * captured.workflow.phases.length);
      return;
    }
    if (captured.recipe.engine !== undefined) {
      const { stages, finalize } = captured.recipe.engine.program;
      expect(Object.keys(states)).toEqual([
        'approvePlan',
        'approveCommands',
        'stateBegin',
        'todos',
        ...finalize,
        'ended',
      ]);
      expect(Object.keys(states['todos']?.states ?? {})).toEqual([
        'pending',
        ...stages.map(({ id }) => id),
        'done',
        'failed',
        'stale',
      ]);
      return;
    }
    const ways = listBlockWays(captured.recipe);
    for (const { block, target } of ways) {
      const inside = Object.values(states[`block-${block}`]?.states ?? {});
      const led = inside.flatMap(({ on, always }) => [...Object.values(on).flatMap(targets), ...targets(always)]);
      expect(led, block).toContain(target.slice(1));
    }
    expect(ways.length).toBeGreaterThan(captured.recipe.blocks.length - 2);
  });
});
