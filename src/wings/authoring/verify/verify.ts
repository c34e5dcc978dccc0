import type { Answer } from '../../../base/answer.js';
import { omitUndefined } from '../../../base/defined.js';
import { isRecord, type JsonObject } from '../../../base/json.js';
import { needsPerson } from '../../../recipe/declared.js';
import type { CompiledRecipe } from '../../../recipe/load/compiled.js';
import type { Library } from '../../../recipe/load/library.js';
import { type CheckedRecipe, checkRecipe } from '../../../recipe/load/load.js';
import type { ResolvedRecipe } from '../../../recipe/resolved.js';
import type { ProblemLog } from '../../../recipe/source/report.js';
import type { ReadContext } from '../../../run/context.js';
import { buildValue } from '../canned/data.js';
import { exploreEngine } from './engine.js';
import { MOST_STATES } from './explore.js';
import type { VerifyFinding } from './finding.js';
import { runInterruptible } from './interruptible.js';
import { judgeEngine, judgeWorkflow, type PhaseProof } from './judge-whole.js';
import { type ReportedFinding, renderVerifyReport, type VerifyReport } from './report.js';
import { adaptToPhase, type FindingScript, type FindingScriptStep, writeScript } from './script.js';
import { verifySequence } from './sequence.js';
import { type ExploredWorkflow, exploreWorkflow, type PhaseOutcomes } from './workflow.js';

type Draft = NonNullable<CompiledRecipe['draft']>;
type Explored = NonNullable<VerifyReport['explored']>;

/** Limits of an exploration. */
export interface ExplorationLimits {
  /** Maximum number of states. */
  most: number;
  /** Aborts the exploration. */
  signal: AbortSignal;
}

/** Maximum states of each symbolic plan of an engine recipe. */
const MOST_OF_ENGINE = 6_000;

/**
 * `recipe verify`: explores recipes exhaustively (authoring.md, Verify). Exits with 3 if there is a finding, or the
 * exploration is incomplete.
 * @throws DevCliError `UNKNOWN_RECIPE`, `INTERRUPTED`
 */
export async function verifyRecipesCommand(context: ReadContext, names: readonly string[]): Promise<Answer> {
  const verified: Awaited<ReturnType<typeof verifyRecipe>>[] = [];
  for (const name of new Set(names)) {
    verified.push(await verifyRecipe(context.library, name, { signal: context.signal }));
  }
  const ok = verified.every(({ report }) => report.ok);
  return {
    exit: ok ? 0 : 3,
    json: {
      ok,
      recipes: verified.map(({ report: { problems, findings, ...report } }) => ({
        ...report,
        problems: problems.map((problem) => ({ ...problem, at: `${problem.file}:${problem.line}:${problem.column}` })),
        findings: findings.map((finding) => ({ ...finding, at: `${finding.file}:${finding.line}:${finding.column}` })),
      })),
    },
    text: () => verified.map(({ report, checked }) => renderVerifyReport(report, checked.texts)).join('\n'),
  };
}

/**
 * Explores a recipe under every outcome that an agent or a person can produce, and reports faults, or that there are
 * none (authoring.md, Verify). If lint finds an error, reports only that: such a recipe cannot run.
 * @throws DevCliError `UNKNOWN_RECIPE`, `IO`, `INTERRUPTED`
 */
export async function verifyRecipe(
  library: Library,
  name: string,
  { most = MOST_STATES, signal = new AbortController().signal }: Partial<ExplorationLimits> = {},
): Promise<{ report: VerifyReport; checked: CheckedRecipe }> {
  const checked = checkRecipe(library, name);
  const { captured, compiled, problems, file } = checked;
  const { draft, report } = compiled;
  if (captured === null || draft === null)
    return { report: { recipe: name, file, problems, ok: false, findings: [] }, checked };
  const { findings, explored } =
    draft.type === 'meta'
      ? await proveWorkflow(draft, report, name, { most, signal })
      : await proveRecipe(draft, draft.recipe, report, name, { most, signal });
  return {
    report: { recipe: name, file, problems, ok: findings.length === 0 && explored.whole, findings, explored },
    checked,
  };
}

/** The result of verifying a recipe, alone or as a phase. */
interface Proof extends PhaseProof {
  findings: ReportedFinding[];
  explored: Explored;
}

async function proveRecipe(
  draft: Exclude<Draft, { type: 'meta' }>,
  recipe: ResolvedRecipe,
  log: ProblemLog,
  name: string,
  { most, signal }: ExplorationLimits,
): Promise<Proof> {
  if (draft.type === 'engine' && recipe.engine !== undefined) {
    const explored = await runInterruptible(
      exploreEngine(recipe.engine.program, Math.min(most, MOST_OF_ENGINE)),
      signal,
    );
    const { states, transitions, actions, whole, completed, halted } = explored;
    return {
      recipe,
      bypass: null,
      outcomes: { completed, halted, stopped: halted, actions, states, transitions },
      findings: judgeEngine(recipe, explored, name).map(({ script, ...finding }) => locate(log, finding, script)),
      explored: { states, transitions, actions, whole },
    };
  }
  if (draft.type !== 'sequential') throw new Error('An engine recipe has an engine.');
  const { subject, graph, actions, findings } = await runInterruptible(
    verifySequence(recipe, draft.source, most),
    signal,
  );
  const { nodes, edges } = graph;
  const isHalted = (at: number) => nodes[at]?.standing.place.state === 'halted';
  const halting = edges.filter(({ to, move }) => move.kind !== 'own' && isHalted(to));
  const outcomes: PhaseOutcomes = {
    completed: nodes.some(({ standing }) => standing.place.state === 'completed'),
    halted: halting.some(({ move }) => move.event.type !== 'CHOOSE'),
    stopped: halting.some(({ move }) => move.event.type === 'CHOOSE'),
    actions,
    states: nodes.length,
    transitions: graph.transitions,
  };
  const gate = recipe.blocks.findIndex(needsPerson);
  const before = halting.find(({ from, move }) => {
    const at = nodes[from]?.standing.place.block ?? 0;
    return at < gate && move.kind === 'work' && move.event.type === 'FAIL';
  });
  const bypass =
    before === undefined
      ? null
      : writeScript(
          subject,
          graph,
          { kind: 'gate-bypassed', message: '', place: [], node: before.to, edge: edges.indexOf(before) },
          name,
        );
  const reported: ReportedFinding[] = [];
  for (const finding of findings)
    reported.push(locate(log, finding, await completeData(recipe, writeScript(subject, graph, finding, name))));
  return {
    recipe,
    bypass,
    outcomes,
    findings: reported,
    explored: { states: nodes.length, transitions: graph.transitions, actions, whole: graph.whole },
  };
}

/**
 * Proves a workflow's phases, and their combination.
 * @returns with `known`, the workflow's positions by the names that `keyPosition` gives
 * @throws DevCliError `INTERRUPTED`
 */
export async function proveWorkflow(
  { workflow, phases }: Extract<Draft, { type: 'meta' }>,
  log: ProblemLog,
  name: string,
  limits: ExplorationLimits,
): Promise<Pick<Proof, 'findings' | 'explored'> & Pick<ExploredWorkflow, 'known'>> {
  const proofs: Proof[] = [];
  for (const phase of workflow.phases) {
    const compiled = phases.find(({ stated }) => stated?.name === phase.name)?.compiled ?? null;
    const draft = compiled?.draft ?? null;
    if (compiled === null || draft === null || draft.type === 'meta')
      throw new Error(`The phase ${phase.name} was not compiled.`);
    // The workflow decides what the recipe of a phase leaves open (recipes.md §1).
    const recipe = { ...phase.recipe, mode: { ...workflow.mode, ...phase.recipe.mode } };
    proofs.push(await proveRecipe(draft, recipe, compiled.report, name, limits));
  }
  const explored = exploreWorkflow(
    workflow,
    proofs.map(({ outcomes }) => outcomes),
  );
  const ofPhases = proofs.flatMap(({ findings }, at) =>
    findings
      // If the workflow skips failed phases, a phase that fails without a remote does not stop it.
      .filter(({ kind }) => kind !== 'needs-remote' || workflow.errorPolicy.kind !== 'skip')
      .map((finding) => ({ ...finding, script: adaptToPhase(finding.script, workflow.phases[at]?.name ?? '') })),
  );
  const own = judgeWorkflow(workflow, explored, proofs, name).map(({ script, ...finding }) =>
    locate(log, finding, script),
  );
  const seen = new Set<string>();
  return {
    findings: [...ofPhases, ...own].filter(({ file, line, column, message }) => {
      const key = JSON.stringify([file, line, column, message]);
      return !seen.has(key) && seen.add(key);
    }),
    explored: {
      states: explored.states,
      transitions: explored.transitions,
      actions: explored.actions,
      whole: explored.whole && proofs.every((proof) => proof.explored.whole),
    },
    known: explored.known,
  };
}

/** Finds the place of a finding in the recipe's file. */
function locate(
  log: ProblemLog,
  { kind, place, message, fix, within }: Omit<VerifyFinding, 'node' | 'edge'>,
  script: FindingScript,
): ReportedFinding {
  log.error(place, message, omitUndefined({ within, fix }));
  const problem = log.problems.pop();
  if (problem === undefined) throw new Error('A problem was reported and is not there.');
  return { ...problem, kind, script };
}

/**
 * Completes each step's data according to its block's schema: a script contains only the values that lead to the fault,
 * but an agent must hand in complete data.
 */
async function completeData(recipe: ResolvedRecipe, script: FindingScript): Promise<FindingScript> {
  const steps: FindingScriptStep[] = [];
  for (const step of script.steps) {
    const block = recipe.blocks.find(({ id }) => id === step.expect?.block);
    const schema = block !== undefined && 'schemaText' in block ? block.schemaText : undefined;
    if (step.data === undefined || schema === undefined) {
      steps.push(step);
      continue;
    }
    const canned = await buildValue(schema, 1);
    steps.push({ ...step, data: isRecord(canned) ? merge(canned as JsonObject, step.data) : step.data });
  }
  return { ...script, steps };
}

function merge(canned: JsonObject, said: JsonObject): JsonObject {
  const merged = Object.entries(said).map(([key, value]) => {
    const below = canned[key];
    return [key, isRecord(value) && isRecord(below) ? merge(below as JsonObject, value as JsonObject) : value];
  });
  return { ...canned, ...Object.fromEntries(merged) };
}
