import { isAbsolute, resolve } from 'node:path';
import { formatInstant } from '../../base/clock.js';
import { DevCliError } from '../../base/errors.js';
import { sha256 } from '../../base/sha256.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { requireInside } from '../../project/own-places.js';
import { requireTrust } from '../../protocol/trust/trust.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { requireRecipe } from '../../recipe/load/load.js';
import type { Context } from '../../run/context.js';
import { claimPath } from '../../store/claim.js';
import { ensureDirectory } from '../../store/durable.js';
import { readStats } from '../../store/inside.js';
import { claimedError, inspectClaim } from '../../store/standing.js';
import { findIdentityProblem, readPresent } from '../../work/git.js';
import { findRepository, type GitOptions, nullIfRefused, executeGit as runGit } from '../../work/git-command.js';
import { findProgram } from '../../work/processes.js';
import { openLoopBackend } from './backend.js';
import type { LoopFiles } from './files.js';
import type { DeskPort } from './fleet-port.js';
import type { LoopGoal } from './goals.js';
import { openLeases } from './leases.js';
import { EVENT_LOG_PATH } from './log.js';
import { type AttemptSite, buildSessionEnvironment, type LoopCall, type LoopPorts } from './site.js';
import { LOCK } from './state.js';
import { HANDOFFS } from './steps/handoffs.js';
import { requirePlans } from './steps/plan-of-goal.js';
import { previewPrompt } from './steps/session.js';
import { LOOP } from './streams.js';
import { parseTemplate } from './template.js';
import { computeConfigDigest, isConfigTrusted, listConfigCommands } from './trust.js';

/** The conditions for starting a batch (loop-core.md, auto, Start). A refused start has changed nothing. */

/** The options of a start. */
export interface Start {
  files: LoopFiles;
  /** The goals, in order. */
  goals: readonly LoopGoal[];
  tool?: string | undefined;
  onto?: string | undefined;
  dirty?: boolean | undefined;
  trust?: string | undefined;
}

/**
 * Checks whether a batch may begin, and opens what its steps need. Writes nothing.
 * @throws DevCliError `NEEDS_MISSING`, `IDENTITY_MISSING`, `TREE_DIRTY`, `TOOL_MISSING`, `CONFIG_UNTRUSTED`,
 * `CONTEXT_TOO_LARGE`, `PLAN_MISSING`, `USAGE` for a prompt that is too long for the tool; any code with which a recipe
 * is refused
 */
export async function openSite(ports: LoopPorts, context: Context, start: Start, call: LoopCall): Promise<OpenSite> {
  const { files, goals } = start;
  const { branch: current, head, dirty, ...place } = await openPlace(ports, context, start, call);
  const { top, git, prefix, streams } = place;
  const { role } = place;
  const branch = start.onto?.replace(/^refs\/heads\//, '') ?? files.config.fleet?.onto ?? current;
  if (branch === null) throw gitNeededError('no branch is checked out', 'Check one out, or name one with --onto.');
  if (start.onto !== undefined) await requireBranchName(top, branch, git);
  const site = { ...place, onto: branch, head };
  if (role.kind === 'desk') {
    await requireOnBranch(role.desk, goals, branch);
    if ((await role.desk.listWorkers()).length === 0)
      call.tell('no worker is running: start one with dev-cli fleet worker');
    return site;
  }
  await requireIdentity(top, git);
  // Attempts already begun continue, whatever the state of the user's tree.
  const isUnderWay = Object.keys((await streams.read(LOOP)).attempts).length > 0;
  if (start.dirty !== true && !isUnderWay) refuseDirty(dirty, prefix);
  for (const goal of goals) requireTool(context, findTool(files, start.tool, goal));
  for (const captured of requireRecipes(context, goals)) requireTrust(context, captured);
  if (!isUnderWay) await requirePlans(context, goals);
  requireConfigTrust(context, files, start.trust);
  // Only the first goal's prompt is tried: what makes a prompt too long, rules and handoffs, is the same for all goals.
  for (const goal of goals.slice(0, 1)) await previewPrompt(site, goal, site.findTool(goal));
  return site;
}

/** Checks the goals on the branch, the only place where workers read them. @throws DevCliError `GOAL_REFUSED` */
async function requireOnBranch(desk: DeskPort, goals: readonly LoopGoal[], branch: string): Promise<void> {
  const found = await Promise.all(goals.map(async ({ id }) => ({ id, problem: await desk.findFault(id, branch) })));
  const details = found.flatMap(({ id, problem }) => (problem === null ? [] : [{ target: id, problem }]));
  if (details.length === 0) return;
  throw new DevCliError('GOAL_REFUSED', `Workers read goals from ${branch}, but some differ there from those here.`, {
    details,
    fix: `Commit .ai/config.yaml and .ai/goals.yaml and push them to ${branch}, then repeat the call.`,
  });
}

/** A site, with what is checked out in the user's tree. */
interface Place extends AttemptSite {
  branch: string | null;
  head: string;
  /** Paths with uncommitted changes, relative to the top of the repository. */
  dirty: string[];
}

/**
 * Opens a repository in which no batch is at work. Writes nothing.
 * @throws DevCliError `LOCKED`, `NEEDS_MISSING`, `IO`
 */
export async function openPlace(
  ports: LoopPorts,
  context: Context,
  { files, tool }: Pick<Start, 'files' | 'tool'>,
  call: LoopCall,
): Promise<Place> {
  const { root, signal } = context;
  refuseLive(root);
  for (const path of WRITTEN) requireInside(root, path);
  refuseLinks(root);
  // The backend is opened first, because that removes variables that child processes must not inherit.
  const { streams, desk, ...backend } = await openLoopBackend(ports, context, call);
  const git: GitOptions = { env: call.env, apart: true, timeoutSeconds: GIT_TIMEOUT };
  const found = await findRepository(root, git);
  if (found.kind !== 'repository')
    throw gitNeededError('there is no git repository here', 'Run git init and commit, then repeat the call.');
  const top = resolve(root, found.top || '.');
  const present = await readPresent(top, git);
  if (present === null || present.head === null)
    throw gitNeededError('there is no commit yet', 'Commit, then repeat the call.');
  if (root.includes('\n'))
    throw gitNeededError(
      'git cannot name files in a path with a line break',
      'Move the project to a path without one.',
    );
  return {
    ...{ context, streams, leases: openLeases(streams, context.ids), config: files.config },
    ...{ env: buildSessionEnvironment(call.env), top, refs: backend.openRefs(top, git) },
    role: desk === null ? { kind: 'alone' } : { kind: 'desk', desk, named: tool },
    ...{ prefix: found.prefix.toString('utf8'), git, signal },
    ...{ branch: present.branch, head: present.head, dirty: Object.keys(present.dirty) },
    trees: findTrees(context, call.env),
    findTool: (goal: LoopGoal) => findTool(files, tool, goal),
    tellContext: (goal: string) => ports.tellContext(context, call, goal),
  };
}

/** Loads the recipes of goals. @throws DevCliError `UNKNOWN_RECIPE`, `RECIPE_INVALID` */
export function requireRecipes({ library }: Pick<Context, 'library'>, goals: readonly LoopGoal[]): CapturedRecipe[] {
  const names = new Set(goals.flatMap(({ recipe }) => recipe ?? []));
  return [...names].map((name) => requireRecipe(library, name));
}

/** Refuses links: a file that an attempt writes through a link would land elsewhere, and be committed there. */
function refuseLinks(root: string): void {
  for (const path of ['.ai', HANDOFFS].map((one) => `${root}/${one}`)) {
    if (readStats(path)?.isSymbolicLink())
      throw new DevCliError('IO', `${path} is a link, through which an attempt would commit its handoffs.`, {
        details: [{ target: path, problem: 'is a link' }],
        fix: 'Replace it with a directory, then repeat the call.',
      });
  }
}

/** Seconds after which git is stopped while it handles an attempt's files or runs the user's git hooks. */
const GIT_TIMEOUT = 1_800;

/** The paths that a batch writes, relative to the root. */
const WRITTEN = ['.ai/auto.lock', HANDOFFS, EVENT_LOG_PATH, '.dev/loop'];

/** Returns the command template of a goal's sessions: from `--tool`, the goal's own tool, or `ai_tool`. */
export function findTool({ config }: LoopFiles, named: string | undefined, goal: LoopGoal): string {
  const name = named ?? goal.tool;
  if (name === null) return config.ai_tool;
  const known = config.ai_tools[name];
  if (known !== undefined) return known;
  throw new DevCliError('TOOL_MISSING', `There is no tool "${toBoundedLine(name, 60)}" in ai_tools.`, {
    details: Object.keys(config.ai_tools).map((one) => ({ target: one, problem: 'is defined' })),
    fix: 'Name a tool of .ai/config.yaml, or add this one there.',
  });
}

/** A site with the branch of its batch. */
export interface OpenSite extends AttemptSite {
  onto: string;
  /** The commit checked out. */
  head: string;
}

/** The held lock of a batch, with its branch and base. */
export interface BatchLock {
  branch: string;
  base: string;
  release(): Promise<void>;
}

/**
 * Takes the lock of a batch, and creates its branch if there is none.
 * @throws DevCliError `LOCKED` if another batch is at work here, `GIT_FAILED`, `IO`
 */
export async function holdBatch(site: OpenSite): Promise<BatchLock> {
  const { context, refs, onto, head, role } = site;
  const tip = await refs.findTip(onto);
  const base = tip ?? head;
  ensureDirectory(site.trees);
  const held = holdRoot(context, base);
  const leave = role.kind === 'desk' ? await role.desk.hold().catch((error) => giveUp(held, error)) : async () => {};
  const release = async () => {
    held.release();
    await leave();
  };
  if (tip === null) {
    const refused = await refs.move(`refs/heads/${onto}`, { from: null, to: base });
    if (refused !== null) {
      await release();
      throw new DevCliError('GIT_FAILED', `The branch ${onto} cannot be created.`, {
        details: [{ target: onto, problem: refused }],
      });
    }
  }
  return { branch: onto, base, release };
}

function giveUp(held: { release(): void }, error: unknown): never {
  held.release();
  throw error;
}

/** Takes the lock of a batch. @throws DevCliError `LOCKED` if another batch is at work here, `IO` */
export function holdRoot({ root, clock, ids }: Context, base: string): { release(): void } {
  const more = { started_at: formatInstant(clock.now()), base_commit: base };
  const held = claimPath(`${root}/${LOCK}`, { clock, ids, purpose: 'auto', plain: true, more });
  if (held !== null) return held;
  throw (
    refuseLive(root) ??
    new DevCliError('LOCKED', 'Another batch has just ended here.', { fix: 'Repeat the same call.' })
  );
}

/**
 * Refuses to go on while another batch works here. @throws DevCliError `LOCKED`, also if the lock file is unreadable
 */
function refuseLive(root: string): null {
  const path = `${root}/${LOCK}`;
  const standing = inspectClaim(path);
  if (standing.state === 'unreadable') throw claimedError(path, standing);
  if (standing.state !== 'alive') return null;
  const { message, details } = claimedError(path, standing);
  throw new DevCliError('LOCKED', `Another batch is at work here. ${message}`, {
    details,
    fix: ['To see what it does, use ', { command: 'observe', input: {} }, '.'],
  });
}

/** Returns the directory of the work trees: outside the project, so that its test runners do not scan them. */
export function findTrees({ home, root }: Pick<Context, 'home' | 'root'>, env: NodeJS.ProcessEnv): string {
  const given = env['XDG_STATE_HOME'] ?? '';
  return `${isAbsolute(given) ? given : `${home}/.local/state`}/dev-cli/trees/${sha256(root).slice(0, 16)}`;
}

/** Returns the refusal for a repository that is not fit for goals. */
export function gitNeededError(problem: string, fix: string): DevCliError {
  return new DevCliError('NEEDS_MISSING', `Goals need git, but ${problem}.`, {
    details: [{ target: 'git', problem }],
    fix,
  });
}

async function requireBranchName(top: string, name: string, git: GitOptions): Promise<void> {
  const isFit = !name.startsWith('-') && name !== 'HEAD';
  if (isFit && (await nullIfRefused(runGit(top, ['check-ref-format', `refs/heads/${name}`], git))) !== null) return;
  throw new DevCliError('USAGE', `${JSON.stringify(toBoundedLine(name, 80))} cannot name a branch.`, {
    fix: 'Name another, such as night.',
  });
}

async function requireIdentity(top: string, git: GitOptions): Promise<void> {
  const problem = await findIdentityProblem(top, git);
  if (problem === null) return;
  throw new DevCliError('IDENTITY_MISSING', 'git has no user name and e-mail for the commits of goals.', {
    details: [{ target: 'git', problem: toBoundedLine(problem, 500) }],
    fix: 'Set them: git config user.name "…" and git config user.email "…".',
  });
}

/** Refuses uncommitted changes, except in `.ai/` and `.dev/`. */
function refuseDirty(dirty: readonly string[], prefix: string): void {
  const left = dirty.filter((path) => ![`${prefix}.ai/`, `${prefix}.dev/`].some((own) => path.startsWith(own)));
  if (left.length === 0) return;
  throw new DevCliError('TREE_DIRTY', 'There are uncommitted changes, and attempts see only what is committed.', {
    details: left.slice(0, 20).map((path) => ({ target: toBoundedLine(path, 200), problem: 'is not committed' })),
    fix: 'Commit or stash them, or begin anyway with --dirty.',
  });
}

export function requireTool({ searchPath, root }: Context, line: string): void {
  const template = parseTemplate(line);
  const [program = ''] = 'problem' in template ? [] : template.words;
  if (findProgram(program, { searchPath, cwd: root })) return;
  throw new DevCliError('TOOL_MISSING', `The tool ${toBoundedLine(program, 100)} was not found.`, {
    details: [{ target: toBoundedLine(line, 200), problem: 'no such program on the PATH' }],
    fix: 'Install it, or name another in .ai/config.yaml.',
  });
}

export function requireConfigTrust(context: Context, files: LoopFiles, given: string | undefined): void {
  const digest = computeConfigDigest(context, files);
  const isGiven = given === digest && context.mark === null;
  if (isGiven || (given === undefined && isConfigTrusted(context, files))) return;
  throw new DevCliError(
    'CONFIG_UNTRUSTED',
    given === undefined || context.mark !== null
      ? 'Nobody has trusted the commands of .ai/config.yaml and .ai/goals.yaml here.'
      : 'The given digest does not match the commands of .ai/config.yaml and .ai/goals.yaml.',
    {
      details: listConfigCommands(files).map((line) => ({
        target: toBoundedLine(line, 300),
        problem: 'runs on this machine, not trusted yet',
      })),
      fix: [
        'Look at them, then trust them in a terminal: ',
        { command: 'trust', input: { recipe: 'config' } },
        `; without a terminal, add --trust ${digest}.`,
      ],
      answer: { command: 'trust', input: { recipe: 'config' } },
    },
  );
}
