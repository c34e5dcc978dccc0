import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transitionWorkflow } from '../../../src/machine/workflow.js';
import { compileWorkflow } from '../../../src/machine/workflow-config.js';
import type {
  ErrorPolicy,
  PhaseConditions,
  WorkflowEffect,
  WorkflowEvent,
  WorkflowPosition,
  WorkflowProgram,
} from '../../../src/machine/workflow-program.js';
import type { PhaseRow, WorkflowDraft } from '../../../src/run/state.js';
import { getWorkflowPosition, setPhaseRow } from '../../../src/run/workflow.js';

const NAMES = ['x', 'y'];
const policies = fc.oneof<fc.Arbitrary<ErrorPolicy>[]>(
  fc.constant({ kind: 'halt' }),
  fc.constant({ kind: 'skip' }),
  fc.integer({ min: 1, max: 3 }).map((max) => ({ kind: 'retry', max })),
);
const programs: fc.Arbitrary<WorkflowProgram> = fc.record({
  phases: fc.array(
    fc.option(fc.constantFrom(...NAMES), { nil: null }).map((when) => (when === null ? {} : { when })),
    { minLength: 1, maxLength: 6 },
  ),
  errorPolicy: policies,
});
const situations = fc.record({
  program: programs,
  holding: fc.subarray(NAMES),
  lacking: fc.uniqueArray(fc.nat({ max: 5 })),
  picks: fc.array(fc.nat(), { maxLength: 40 }),
});

const COMPLETED: WorkflowEvent = { type: 'PHASE_COMPLETED' };
const HALTED: WorkflowEvent = { type: 'PHASE_HALTED', binding: false };
const STOPPED: WorkflowEvent = { type: 'PHASE_HALTED', binding: true };
const REOPEN: WorkflowEvent = { type: 'REOPEN' };
const ABORT: WorkflowEvent = { type: 'ABORT' };
const EVENTS: WorkflowEvent[] = [{ type: 'START' }, COMPLETED, HALTED, STOPPED, REOPEN, ABORT];

function allowed({ status }: WorkflowPosition): WorkflowEvent[] {
  switch (status) {
    case 'ready':
      return [{ type: 'START' }, ABORT];
    case 'running':
      return [COMPLETED, HALTED, STOPPED, ABORT];
    case 'halted':
      return [REOPEN, ABORT];
    default:
      return [];
  }
}

function readyFor({ phases }: WorkflowProgram): WorkflowPosition {
  return { status: 'ready', phase: 0, retries: phases.map(() => 0) };
}

/**
 * A reference model: the walk over the phases as it was implemented before there was a machine. Changes the given
 * position.
 */
function modelled(
  { phases, errorPolicy }: WorkflowProgram,
  position: { -readonly [K in keyof WorkflowPosition]: WorkflowPosition[K] },
  event: WorkflowEvent,
  { holds, lacks }: PhaseConditions,
): WorkflowEffect[] {
  const effects: WorkflowEffect[] = [];
  const at = position.phase;
  const end = (status: 'completed' | 'halted' | 'aborted') => {
    position.status = status;
    effects.push({ type: 'end', outcome: status });
  };
  const open = (phase: number) => {
    Object.assign(position, { status: 'running', phase });
    effects.push({ type: 'open', phase });
  };
  const beginFrom = (first: number) => {
    for (const [phase, { when }] of phases.entries()) {
      if (phase < first) continue;
      if (!lacks(phase) && (when === undefined || holds(when, String(phase)))) return open(phase);
      effects.push({ type: 'skip', phase });
    }
    end('completed');
  };
  switch (event.type) {
    case 'START':
      beginFrom(0);
      break;
    case 'PHASE_COMPLETED':
      effects.push({ type: 'close', phase: at, status: 'done' });
      beginFrom(at + 1);
      break;
    case 'PHASE_HALTED': {
      const policy = event.binding ? { kind: 'halt' as const } : errorPolicy;
      const retry = (position.retries[at] ?? 0) + 1;
      if (policy.kind === 'skip') {
        effects.push({ type: 'close', phase: at, status: 'failed' });
        beginFrom(at + 1);
      } else if (policy.kind === 'retry' && retry <= policy.max) {
        effects.push({ type: 'repeat', phase: at, max: policy.max });
        position.retries = position.retries.with(at, retry);
        open(at);
      } else end('halted');
      break;
    }
    case 'REOPEN':
      position.status = 'running';
      effects.push({ type: 'reopen', phase: at });
      break;
    case 'ABORT':
      end('aborted');
  }
  return effects;
}

interface Moment {
  before: WorkflowPosition;
  event: WorkflowEvent;
  after: WorkflowPosition;
  effects: WorkflowEffect[];
}

/** Walks through a workflow with the machine; `picks` chooses among the events that each position allows. */
function walked({ program, holding, lacking, picks }: typeof situations extends fc.Arbitrary<infer S> ? S : never) {
  const conditions = {
    holds: (when: string) => holding.includes(when),
    lacks: (phase: number) => lacking.includes(phase),
  };
  const moments: Moment[] = [];
  let before = readyFor(program);
  for (const pick of [0, ...picks]) {
    const events = allowed(before);
    const event = events[pick % Math.max(1, events.length)];
    if (event === undefined) break;
    Object.freeze(before.retries);
    const { position, effects } = transitionWorkflow(program, Object.freeze(before), event, conditions);
    moments.push({ before, event, after: position, effects });
    before = position;
  }
  return { moments, conditions };
}

describe('a workflow', () => {
  it('is walked as it was by hand', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { moments, conditions } = walked(situation);
        for (const { before, event, after, effects } of moments) {
          const position = { ...before };
          expect(effects).toEqual(modelled(situation.program, position, event, conditions));
          expect(after).toEqual(position);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('never opens a phase whose condition is false or that lacks what it needs, and passes over no other', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { program, holding, lacking } = situation;
        const begins = (phase: number) => {
          const when = program.phases[phase]?.when;
          return !lacking.includes(phase) && (when === undefined || holding.includes(when));
        };
        for (const effect of walked(situation).moments.flatMap(({ effects }) => effects)) {
          if (effect.type === 'open') expect(begins(effect.phase)).toBe(true);
          if (effect.type === 'skip') expect(begins(effect.phase)).toBe(false);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('comes to each phase in order, once, and to one anew only as often as its policy says', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { errorPolicy, phases } = situation.program;
        const max = errorPolicy.kind === 'retry' ? errorPolicy.max : 0;
        const effects = walked(situation).moments.flatMap((moment) => moment.effects);
        const come = effects.flatMap((effect) =>
          effect.type === 'open' || effect.type === 'skip' ? effect.phase : [],
        );
        expect(come).toEqual([...come].sort((a, b) => a - b));
        for (const phase of phases.keys()) {
          const times = effects.filter((effect) => effect.type === 'open' && effect.phase === phase).length;
          const again = effects.filter((effect) => effect.type === 'repeat' && effect.phase === phase).length;
          expect(times).toBeLessThanOrEqual(max + 1);
          expect(again).toBe(Math.max(0, times - 1));
        }
        const failed = effects.some((effect) => effect.type === 'close' && effect.status === 'failed');
        expect(failed && errorPolicy.kind !== 'skip').toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('halts wherever a halt is binding', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        for (const { before, event, after, effects } of walked(situation).moments) {
          if (event !== STOPPED) continue;
          expect(after).toEqual({ ...before, status: 'halted' });
          expect(effects).toEqual([{ type: 'end', outcome: 'halted' }]);
        }
      }),
    );
  });

  it('ends in as many steps as it has phases and retries, unless somebody reopens it', () => {
    fc.assert(
      fc.property(situations, fc.infiniteStream(fc.boolean()), ({ program, holding, lacking }, fails) => {
        const conditions = {
          holds: (when: string) => holding.includes(when),
          lacks: (n: number) => lacking.includes(n),
        };
        const { errorPolicy, phases } = program;
        let left = 1 + phases.length * (errorPolicy.kind === 'retry' ? errorPolicy.max + 1 : 1);
        let { position } = transitionWorkflow(program, readyFor(program), { type: 'START' }, conditions);
        while (position.status === 'running') {
          expect(left--).toBeGreaterThan(0);
          const event = fails.next().value ? HALTED : COMPLETED;
          position = transitionWorkflow(program, position, event, conditions).position;
        }
        expect(['completed', 'halted']).toContain(position.status);
      }),
    );
  });

  it('refuses an event that its position does not allow', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const { moments, conditions } = walked(situation);
        for (const { after } of moments) {
          for (const event of EVENTS) {
            if (allowed(after).some(({ type }) => type === event.type)) continue;
            expect(() => transitionWorkflow(situation.program, after, event, conditions)).toThrow(/cannot take/);
          }
        }
      }),
    );
  });

  it('gives what a condition throws as it is, and asks none of a phase that lacks something', () => {
    const program: WorkflowProgram = { phases: [{ when: 'x' }], errorPolicy: { kind: 'halt' } };
    const thrown = new Error('not there yet');
    const holds = () => {
      throw thrown;
    };
    const start = (lacks: boolean) =>
      transitionWorkflow(program, readyFor(program), { type: 'START' }, { holds, lacks: () => lacks });
    expect(() => start(false)).toThrow(thrown);
    expect(start(true).effects).toEqual([
      { type: 'skip', phase: 0 },
      { type: 'end', outcome: 'completed' },
    ]);
  });

  it('is compiled to plain JSON, also from a workflow with its recipes', () => {
    fc.assert(
      fc.property(programs, (program) => {
        const config = compileWorkflow(program);
        expect(JSON.parse(JSON.stringify(config))).toEqual(config);
      }),
    );
  });
});

describe('the position in a run', () => {
  it('is read from the rows as the effects have left them', () => {
    fc.assert(
      fc.property(situations, (situation) => {
        const rows = situation.program.phases.map((_, index): WorkflowDraft['phases'][number] => ({
          name: `p${index}`,
          recipe: 'r',
          status: 'pending',
          at: null,
        }));
        const workflow: WorkflowDraft = { name: 'w', currentPhase: null, phaseIndex: 0, phases: rows, earlier: [] };
        expect(getWorkflowPosition(workflow)).toEqual(readyFor(situation.program));
        for (const { event, after, effects } of walked(situation).moments) {
          if (event.type === 'ABORT') break;
          for (const effect of effects) written(workflow, effect);
          expect(getWorkflowPosition(workflow)).toEqual(after);
        }
      }),
    );
  });

  /** Changes the rows of the phases as an effect asks; other effects leave them unchanged. */
  function written(workflow: WorkflowDraft, effect: WorkflowEffect): void {
    const row = workflow.phases['phase' in effect ? effect.phase : workflow.phaseIndex] as PhaseRow;
    switch (effect.type) {
      case 'skip':
        setPhaseRow(workflow, { ...row, status: 'skipped' });
        break;
      case 'close':
        setPhaseRow(workflow, { ...row, status: effect.status });
        break;
      case 'repeat':
        setPhaseRow(workflow, { ...row, retries: (row.retries ?? 0) + 1 });
        break;
      case 'open':
      case 'reopen':
        Object.assign(workflow, { currentPhase: row.name, phaseIndex: effect.phase });
        setPhaseRow(workflow, { ...row, status: 'running' });
        break;
      case 'end':
        if (effect.outcome === 'completed') workflow.currentPhase = null;
        else setPhaseRow(workflow, { ...row, status: 'failed' });
    }
  }
});
