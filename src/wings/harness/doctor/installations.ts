import { join } from 'node:path';
import { HARNESS_IDS, type HarnessId } from '../../../generated/harnesses.js';
import type { InstallExtra } from '../../../protocol/ports.js';
import { isAutopilotTrusted } from '../../../protocol/trust/autopilot.js';
import type { Context } from '../../../run/context.js';
import type { Harness } from '../adapter.js';
import { HARNESSES } from '../harness.js';
import { PERMISSION } from '../install/afterwards.js';
import { readFileText, readOr } from '../install/disk.js';
import { chooseExtras } from '../install/extras.js';
import { isFound } from '../install/find-harnesses.js';
import { choosePieces, findPlaces } from '../install/install.js';
import { type Manifest, readManifest } from '../install/manifest.js';
import { readMaterial, readPreferences } from '../install/material.js';
import { describeUnappliedChoices, readAgentChoices } from '../install/models.js';
import type { Scope } from '../install/piece.js';
import type { Material } from '../install/pieces.js';
import { isPluginOn } from '../install/plugin.js';
import { buildNote, buildOk, buildProblem, buildReinstallFix, type DoctorFinding, LOOK_AT_FILE } from './finding.js';
import { type Installation, lookAtInstallation } from './installed.js';
import { judgeManifest } from './versions.js';

/** Finds what is installed for this project and for this user (harness.md, Doctor). */

const SCOPES: readonly Scope[] = ['project', 'user'];

/**
 * Looks at these harnesses in both scopes, and finds which of `extras` were requested. @throws DevCliError `IO` if
 * shipped files cannot be read
 */
export function lookAtInstallations(
  context: Context,
  harnesses: readonly HarnessId[],
  extras: readonly InstallExtra[],
): { installations: Installation[]; findings: DoctorFinding[]; asked: InstallExtra[] } {
  const findings: DoctorFinding[] = [];
  const asked: InstallExtra[] = [];
  const installations = SCOPES.flatMap((scope) => {
    const places = findPlaces(context, { user: scope === 'user' });
    const material = readMaterial(context, scope);
    if (scope === 'project') findings.push(...judgePreferences(context, material));
    const manifest = readOrReport(places.manifest, scope, findings);
    if (scope === 'project') asked.push(...chooseExtras(extras, manifest));
    if (manifest !== null) findings.push(...judgeManifest(scope, manifest.cli, context.cliVersion));
    return harnesses.map((harness) => {
      const records = manifest?.harnesses[harness];
      // An unreadable file is read as empty here and so counts as somebody else's; `lookAtInstallation` reports it.
      const read = (path: string) =>
        readOr(
          () => readFileText(join(places.base, path)),
          () => '',
        );
      const given = { ...material, extras: scope === 'project' ? asked : [] };
      const pieces = choosePieces(harness, places, records ?? {}, given, read);
      const installation = lookAtInstallation({ harness, scope, base: places.base, pieces, records }, readFileText);
      const untold = installation.isThere ? describeUnappliedChoices(material.choices ?? {}, harness) : null;
      if (untold !== null) findings.push(buildNote({ check: 'installed', harness, scope }, untold));
      return installation;
    });
  });
  return { installations, findings: [...installations.flatMap((one) => one.findings), ...findings], asked };
}

/**
 * Explains the installed permission, and reports whether a person has trusted autopilot in this clone to run commands
 * without asking.
 */
export function reportPermission(context: Context, installations: readonly Installation[]): DoctorFinding[] {
  if (!installations.some(({ isThere }) => isThere)) return [];
  const subject = { check: 'settings' } as const;
  return isAutopilotTrusted(context)
    ? [
        buildNote(
          subject,
          'Autopilot is trusted in this clone: an agent may have dev-cli run any command, outside a sandbox, without asking.',
        ),
      ]
    : [buildOk(subject, PERMISSION)];
}

/**
 * Reports unreadable preferences. They set no models, so installed agents that have a model would merely look outdated.
 */
function judgePreferences(context: Context, { agents }: Material): DoctorFinding[] {
  return readOr(
    (): DoctorFinding[] => {
      readAgentChoices(readPreferences(context), Object.keys(agents));
      return [];
    },
    ({ message, details, fix = LOOK_AT_FILE }) => {
      const said = details.map(({ at, problem: what }) => ` ${String(at)}: ${String(what)}`).join('');
      return [buildProblem({ check: 'installed', scope: 'project' }, `${message}${said}`, fix)];
    },
  );
}

function readOrReport(path: string, scope: Scope, findings: DoctorFinding[]): Manifest | null {
  return readOr(
    () => readManifest(path),
    ({ message, fix = LOOK_AT_FILE }) => {
      findings.push(buildProblem({ check: 'installed', scope }, message, fix));
      return null;
    },
  );
}

/** The facts from which the absence of an installation is judged. */
interface Around {
  installations: readonly Installation[];
  /** The harness whose agent called `doctor`; null outside a harness. */
  caller: HarnessId | null;
  /** The findings about the plugin. */
  plugin: readonly DoctorFinding[];
  /** Whether the user named the harnesses. */
  isNamed: boolean;
  /** Whether any hooks have reported this session; they may be hooks of a plugin, which are not in the settings. */
  isHeard: boolean;
}

/** Reports an enabled plugin of a harness, because it brings the same skills, agents and hooks as `install`. */
export function lookForPlugin(
  context: Context,
  known: Harness,
  installations: readonly Installation[],
): DoctorFinding[] {
  if (!isPluginOn(known, context)) return [];
  const { id } = known;
  const twice = installations.find(({ harness, guards }) => harness === id && guards.length > 0);
  if (twice === undefined)
    return [buildNote({ check: 'installed', harness: id }, 'A plugin brings skills, agents and hooks.')];
  const fix = {
    command: 'uninstall',
    input: { harness: [id], ...(twice.scope === 'user' ? { user: true } : {}) },
  };
  return [
    buildProblem({ ...twice, check: 'installed' }, 'A plugin brings the same hooks, so that each runs twice.', fix),
  ];
}

/** Reports harnesses for which nothing is installed. */
export function judgeAbsence(
  context: Context,
  { installations, plugin, caller, isNamed, isHeard }: Around,
): DoctorFinding[] {
  const harnesses = [...new Set(installations.map(({ harness }) => harness))];
  const absent = harnesses.filter(
    (id) =>
      !plugin.some(({ harness }) => harness === id) &&
      !installations.some(({ harness, isThere }) => harness === id && isThere),
  );
  const findings = absent.flatMap((harness): DoctorFinding[] => {
    const subject = { check: 'installed', harness } as const;
    const { title } = HARNESSES[harness];
    if (isHeard && harness === caller)
      return [
        buildNote(
          subject,
          `Hooks run in ${title}, but not from settings here: they come from a plugin or an extension.`,
        ),
      ];
    if (isNamed || harness === caller)
      return [buildProblem(subject, `Nothing is installed for ${title}.`, buildReinstallFix(subject))];
    return isFound(context, context.root, harness)
      ? [
          buildNote(
            subject,
            `${title} is on this machine, but nothing is installed for it.`,
            buildReinstallFix(subject),
          ),
        ]
      : [];
  });
  if (absent.length < harnesses.length || findings.some(({ severity }) => severity === 'problem') || isHeard)
    return findings;
  // Without a note about a harness, none was found, and `install` would not find one either.
  const fix = { command: 'install', input: findings.length > 0 ? {} : { harness: [HARNESS_IDS[0]] } };
  return [
    buildProblem({ check: 'installed' }, 'Nothing is installed, here or for this user: no hook guards a run.', fix),
    ...findings,
  ];
}
