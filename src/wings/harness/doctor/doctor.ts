import { join } from 'node:path';
import type { Answer } from '../../../base/answer.js';
import { DevCliError, type Fix } from '../../../base/errors.js';
import { type CommandFormatter, renderInstruction } from '../../../base/invocation.js';
import { renderCount } from '../../../base/words.js';
import { markByComment } from '../../../documents/mark.js';
import { HARNESS_IDS } from '../../../generated/harnesses.js';
import { findMainWorkTree } from '../../../project/work-trees.js';
import type { Diagnosis, WithPorts } from '../../../protocol/ports.js';
import { type Context, getDeadline } from '../../../run/context.js';
import { HARNESSES } from '../harness.js';
import { readFileText, readOr } from '../install/disk.js';
import { loadExtras } from '../install/extras.js';
import { locateHookFile } from '../install/hook-line.js';
import { checkIds, findPlaces } from '../install/install.js';
import { readMaterial } from '../install/material.js';
import { tryExtras } from './extras.js';
import { buildProblem, buildReinstallFix, type CheckId, type DoctorFinding, LOOK_AT_FILE } from './finding.js';
import { judgeForeign, judgeTrial } from './guard.js';
import { judgeAbsence, lookAtInstallations, lookForPlugin, reportPermission } from './installations.js';
import { type Installation, judgeForm } from './installed.js';
import { createProbes } from './machine.js';
import { withPlayground } from './playground.js';
import type { DoctorContext, EnvironmentVariables, Probes } from './probes.js';
import { type CallingSessionFacts, findCallingHarness, judgeCallingSession } from './session.js';
import { lookAtShells } from './shells.js';
import { lookForSilence } from './silence.js';
import { judgeListening, lookAtGit } from './surroundings.js';
import { isBelow, leavesTrace } from './unheard.js';
import { judgeGit, judgeNode, lookAtPrograms } from './versions.js';

/** `doctor`: proves that the installation works, and says how to fix problems (harness.md, Doctor). */

/** Milliseconds reserved for the rest of the call, in case a program has to be ended at its time limit. */
const MARGIN = 700;
/** Maximum milliseconds for one program; a harness does not wait longer either. */
const LONGEST = 15_000;
/** Minimum milliseconds for one program, even if the call has to answer at once. */
const SHORTEST = 2_000;

/**
 * Runs all checks; writes nothing into the project.
 * @throws DevCliError `USAGE` for an unknown harness; `INTERRUPTED`
 */
export async function runDoctor(
  context: Context & WithPorts<'looks' | 'extras'>,
  { harness }: { harness?: readonly string[] },
  { cwd, env }: { cwd: string; env: EnvironmentVariables },
): Promise<Answer> {
  const chosen = harness === undefined ? HARNESS_IDS : checkIds(harness);
  const { root, workTree, home, cliVersion: version, signal } = context;
  const situation: DoctorContext = { root, workTree, home, env, version };
  const timeLeft = () => Math.min(LONGEST, Math.max(SHORTEST, getDeadline(context) - MARGIN - context.clock.now()));
  const probes = createProbes({ cwd, env: { ...env }, signal, timeLeft });
  const caller = findCallingHarness(env);
  const extras = await loadExtras(context);
  const { installations, findings: installed, asked } = lookAtInstallations(context, chosen, extras);
  const present = installations.filter(({ isThere }) => isThere);
  const plugin = chosen.flatMap((id) => lookForPlugin(context, HARNESSES[id], installations));
  // `below` matters only if the calling harness has no hooks but the project's, which it may not find from a
  // subdirectory.
  const scopes = [...present, ...plugin].filter(({ harness: id }) => id === caller).map(({ scope }) => scope);
  const below = scopes.join() === 'project' && isBelow(cwd, root) ? { root, cwd } : null;
  const programs = lookAtPrograms(probes, situation, chosen);
  const [guard = [], session = [], silence = [], ...others] = await awaitAll([
    reported('guard', () => tryGuards(context, probes, env, present)),
    reported('session', () => lookAtSession(context, { harness: caller, below })),
    reported('silence', async () => lookForSilences(situation, cwd, present)),
    reported('versions', async () => [
      judgeNode(process.versions.node),
      judgeGit(await probes.run('git', ['--version'])),
    ]),
    reported('versions', async () => (await programs).map(({ finding }) => finding)),
    reported('settings', async () => {
      const versions = new Map((await programs).map(({ harness: id, version }) => [id, version]));
      return installations.flatMap((one) => judgeForm(one, versions.get(one.harness)));
    }),
    reported('path', () =>
      lookAtShells(probes, situation, {
        isLoginUsed: [caller, ...present.map(({ harness: id }) => id)].some(
          (id) => id !== null && HARNESSES[id].usesLoginShell,
        ),
      }),
    ),
    reported('git', () => lookAtGit(probes, situation, caller)),
    reported('sandbox', async () => [judgeListening(await probes.refusesListening())]),
  ]);
  const ofWings = await awaitAll([
    ...context.ports.looks.map((load) => reported('wing', async () => (await load())(context, { cwd }))),
    reported('wing', () => tryExtras(context, extras, { cwd, env, probes, isInstalled: (one) => asked.includes(one) })),
  ]);
  const isHeard = session.some(({ severity }) => severity === 'ok');
  const absent = judgeAbsence(context, { installations, plugin, caller, isNamed: harness !== undefined, isHeard });
  return buildAnswer(
    withoutRepeats([
      ...guard,
      ...session,
      ...silence,
      ...plugin,
      ...absent,
      ...installed,
      ...reportPermission(context, installations),
      ...others.flat(),
      ...ofWings.flat(),
    ]),
  );
}

/**
 * Waits for all checks, because each removes its temporary files only at its end.
 * @throws the error of the first check that failed
 */
async function awaitAll<F extends Diagnosis>(looks: readonly Promise<F[]>[]): Promise<F[][]> {
  await Promise.allSettled(looks);
  return Promise.all(looks);
}

/**
 * Turns an error of a check into a finding, so that the other checks are still reported.
 * @throws DevCliError `INTERRUPTED`
 */
async function reported<F extends Diagnosis>(check: CheckId, look: () => Promise<F[]>): Promise<(F | DoctorFinding)[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof DevCliError) || error.code === 'INTERRUPTED') throw error;
    const said = error.details.map(({ problem: one }) => ` ${one}`).join('');
    return [buildProblem({ check }, `${error.message}${said}`, error.fix ?? 'Read its output.')];
  }
}

/**
 * Tries each pre-tool hook whose line and script are as this version writes them. Other lines are not run: they may
 * have come with a clone, from somebody else.
 */
async function tryGuards(
  context: Context,
  probes: Probes,
  env: EnvironmentVariables,
  present: readonly Installation[],
): Promise<DoctorFinding[]> {
  const { hook } = readMaterial(context, 'user');
  const lines = present.flatMap(({ harness, scope, guards }) =>
    [...new Map(guards.map((hook) => [hook.line, hook])).values()].map(({ line, isOurs }) => ({
      subject: { check: 'guard', harness, scope } as const,
      line,
      isOurs,
    })),
  );
  const [ours, others] = [lines.filter(({ isOurs }) => isOurs), lines.filter(({ isOurs }) => !isOurs)];
  const untried = others.map(({ subject }) => judgeForeign(subject));
  if (ours.length === 0) return untried;
  const tried = await withPlayground({ probes, env, program: context.program, hook }, (tryLine) =>
    Promise.all(
      ours.map(async ({ subject, line }) => {
        const file = locateHookFile(HARNESSES[subject.harness]);
        const { base } = findPlaces(context, { user: subject.scope === 'user' });
        const text = readFileText(join(base, file));
        if (text === null)
          return buildProblem(
            subject,
            `${file}, which the installed line runs, is missing.`,
            buildReinstallFix(subject),
          );
        if (text !== markByComment(hook))
          return buildProblem(
            subject,
            `The guard was not tried: ${file}, which the installed line runs, is not what this version writes.`,
            'Run `dev-cli install`; if it keeps the file because it was edited, remove the file first.',
          );
        return judgeTrial(subject, await tryLine(line, subject.harness));
      }),
    ),
  );
  return [...tried, ...untried];
}

async function lookAtSession(
  { store, session, root }: Context,
  facts: Pick<CallingSessionFacts, 'harness' | 'below'>,
): Promise<DoctorFinding[]> {
  const mark = session === null ? null : await store.sessionMark(session);
  return [judgeCallingSession({ ...facts, session, mark, leavesTrace: leavesTrace(root) })];
}

function lookForSilences(
  { root, home, env }: DoctorContext,
  cwd: string,
  present: readonly Installation[],
): DoctorFinding[] {
  const main = findMainWorkTree(root);
  const directories = main === null ? [root] : [root, main];
  return HARNESS_IDS.flatMap((harness) => {
    const scopes = present.filter((one) => one.harness === harness).map(({ scope }) => scope);
    if (scopes.length === 0) return [];
    return readOr(
      () => lookForSilence({ harness, directories, cwd, scopes, home, env, read: readFileText }),
      ({ message, fix = LOOK_AT_FILE }) => [buildProblem({ check: 'silence', harness }, message, fix)],
    );
  });
}

/** A finding about a harness, or from a wing. */
type Told = Diagnosis & Pick<DoctorFinding, 'harness' | 'scope'>;

/** Removes repeated findings: a problem of several files is reported once. */
function withoutRepeats(findings: readonly Told[]): Told[] {
  return [...new Map(findings.map((one) => [JSON.stringify(one), one])).values()];
}

/** Builds the answer: a report (protocol.md, Output). Problems give exit code 3, but the answer is not an error. */
function buildAnswer(findings: readonly Told[]): Answer {
  const count = (severity: DoctorFinding['severity']) => findings.filter((one) => one.severity === severity).length;
  const problems = count('problem');
  return {
    exit: problems === 0 ? 0 : 3,
    json: { ok: problems === 0, problems, notes: count('note'), findings },
    text: (written) => [...findings.flatMap((finding) => render(finding, written)), '', summarize(problems)].join('\n'),
  };
}

function summarize(problems: number): string {
  return problems === 0 ? 'All is well.' : `${renderCount(problems, 'problem')}.`;
}

const WIDTH = 'problem'.length;

function render({ severity, harness, scope, message, fix }: Told, written: CommandFormatter): string[] {
  const where = [
    ...(harness === undefined || message.includes(HARNESSES[harness].title) ? [] : [HARNESSES[harness].title]),
    ...(scope === undefined ? [] : [scope === 'user' ? 'for this user' : 'in this project']),
  ].join(', ');
  const indent = ' '.repeat(WIDTH + 2);
  return [
    `${severity.padEnd(WIDTH)}  ${where === '' ? '' : `${where}: `}${message}`,
    ...(fix === undefined ? [] : [`${indent}${renderFix(fix, written)}`]),
  ];
}

function renderFix(fix: Fix, written: CommandFormatter): string {
  if (typeof fix === 'string') return fix;
  return 'command' in fix ? written(fix) : renderInstruction(fix, written);
}
