import { join } from 'node:path';
import { type ParseError, parse } from 'jsonc-parser';
import { DevCliError } from '../../../base/errors.js';
import { isRecord } from '../../../base/json.js';
import { joinFirst, renderCount } from '../../../base/words.js';
import type { HarnessId } from '../../../generated/harnesses.js';
import { HOOK_EVENTS, type HookEventName, renderMatcher } from '../adapter.js';
import { HARNESSES } from '../harness.js';
import { describeRival } from '../install/afterwards.js';
import { decideInstall, type FileDecision, listRivals } from '../install/decide.js';
import { isHookLine } from '../install/hook-line.js';
import type { PieceRecord } from '../install/manifest.js';
import type { InstallPiece, Scope, SharedFile } from '../install/piece.js';
import { addToSettings, parseSettings } from '../install/settings.js';
import {
  buildNote,
  buildOk,
  buildProblem,
  buildReinstallFix,
  type DoctorFinding,
  type FindingSubject,
  LOOK_AT_FILE,
} from './finding.js';
import { type GuardHook, listHookLines } from './guard.js';
import type { FormFault } from './settings-form.js';
import { compareVersions } from './versions.js';

/** Checks whether the files that `install` writes exist, unchanged (harness.md, Doctor). */

/** The installation for one harness in one scope. */
export interface Installation {
  harness: HarnessId;
  scope: Scope;
  /** Whether anything is installed. */
  isThere: boolean;
  /** Findings about files, hooks and permissions; if nothing is installed, only about unusable settings. */
  findings: DoctorFinding[];
  /** The pre-tool hooks of dev-cli in the settings. */
  guards: (GuardHook & { isOurs: boolean })[];
  /** The shared settings file, if it can be used. */
  settings: { path: string; text: string } | null;
}

/** A harness and scope to look at. */
export interface InstallLocation {
  harness: HarnessId;
  scope: Scope;
  /** Absolute directory to which the paths of pieces are relative. */
  base: string;
  /** The pieces that this version would install. */
  pieces: readonly InstallPiece[];
  /** The harness's records in the manifest; absent if there are none. */
  records: Readonly<Record<string, PieceRecord>> | undefined;
}

/** Looks at one harness in one scope. @param read throws DevCliError `IO` */
export function lookAtInstallation(place: InstallLocation, read: (path: string) => string | null): Installation {
  const { harness, scope, base, pieces, records } = place;
  const subject = { harness, scope };
  const decisions: FileDecision[] = [];
  const unusable: DoctorFinding[] = [];
  const findings: DoctorFinding[] = [];
  let lines: Record<HookEventName, GuardHook[]> | null = null;
  let shared: Installation['settings'] = null;
  for (const piece of pieces) {
    try {
      const text = read(join(base, piece.path));
      if (piece.kind !== 'file')
        findings.push(
          ...listRivals(piece, text ?? '').map((rival) =>
            buildNote({ ...subject, check: 'settings' }, describeRival(piece.path, rival)),
          ),
        );
      if (piece.kind !== 'settings' || piece.path !== HARNESSES[harness].settings.path) {
        decisions.push(decideInstall(piece, text, records?.[piece.path]));
        continue;
      }
      const settings = parseSettings(text ?? '', piece.path);
      lines = listOwnLines(settings, harness);
      findings.push(...judgeSettings({ ...subject, check: 'settings' }, piece, text ?? '', lines));
      shared = { path: piece.path, text: text ?? '' };
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      unusable.push(buildProblem({ ...subject, check: 'settings' }, error.message, error.fix ?? LOOK_AT_FILE));
    }
  }
  const hasHooks = lines !== null && Object.values(lines).some((of) => of.length > 0);
  const hasFiles = decisions.some(({ does, record }) => does === 'unchanged' && record?.kind === 'file');
  const isThere = records !== undefined || hasHooks || hasFiles;
  return {
    harness,
    scope,
    isThere,
    guards: (lines?.['pre-tool-use'] ?? []).map((hook) => ({ ...hook, isOurs: isWritten(hook.line, place) })),
    settings: shared,
    findings: isThere
      ? [...judgeFiles({ ...subject, check: 'installed' }, decisions), ...findings, ...unusable]
      : unusable,
  };
}

/** Lists dev-cli's hooks in the settings, by event. */
function listOwnLines(settings: Record<string, unknown>, harness: HarnessId): Record<HookEventName, GuardHook[]> {
  const of = (event: HookEventName) =>
    listHookLines(settings, HARNESSES[harness].events[event]).filter(({ line }) => isHookLine(line));
  return Object.fromEntries(HOOK_EVENTS.map((event) => [event, of(event)])) as Record<HookEventName, GuardHook[]>;
}

/**
 * Returns whether this version's `install` writes this pre-tool line. Any other line is never run, because a clone may
 * bring its own settings.
 */
export function isWritten(line: string, { harness, pieces }: Pick<InstallLocation, 'harness' | 'pieces'>): boolean {
  const native = HARNESSES[harness].events['pre-tool-use'];
  const additions = pieces.flatMap((piece) => (piece.kind === 'settings' ? (piece.additions ?? []) : []));
  return additions.some(
    ({ path, value }) =>
      path[1] === native && listHookLines({ hooks: { [native]: [value] } }, native).some((own) => own.line === line),
  );
}

/** Lists the writing tools, as far as this version knows them, for which a hook is not called. */
export function findUnheardTools({ matcher = '' }: GuardHook, harness: HarnessId): string[] {
  const tools = (renderMatcher(HARNESSES[harness], 'pre-tool-use') ?? '').split('|');
  if (typeof matcher !== 'string') return tools;
  if (matcher === '' || matcher === '*') return [];
  try {
    const pattern = new RegExp(`^(?:${matcher})$`);
    return tools.filter((tool) => !pattern.test(tool));
  } catch {
    return tools;
  }
}

/** Maximum number of files, rules or settings named in a finding. */
const NAMED = 4;

/** Judges skills, agents and all other pieces that are files or lines in a file. */
export function judgeFiles(subject: FindingSubject, decisions: readonly FileDecision[]): DoctorFinding[] {
  const named = (does: FileDecision['does']) => decisions.filter((one) => one.does === does).map(({ path }) => path);
  const [missing, earlier, edited] = [named('created'), named('updated'), named('kept')];
  const findings: DoctorFinding[] = [];
  if (missing.length > 0)
    findings.push(buildProblem(subject, `Missing: ${joinFirst(missing, NAMED)}.`, buildReinstallFix(subject)));
  if (earlier.length > 0)
    findings.push(buildProblem(subject, `Outdated: ${joinFirst(earlier, NAMED)}.`, buildReinstallFix(subject)));
  if (edited.length > 0)
    findings.push(
      buildNote(
        subject,
        `Kept because you edited it, so later changes are missing from it: ${joinFirst(edited, NAMED)}.`,
        ['Remove the copies that you do not need, then ', installInvocation(subject), '.'],
      ),
    );
  if (missing.length === 0 && earlier.length === 0 && edited.length === 0)
    findings.push(
      buildOk(
        subject,
        `Skills and agents are where the harness looks for them (${renderCount(decisions.length, 'file')}).`,
      ),
    );
  return findings;
}

function installInvocation(subject: FindingSubject) {
  return buildReinstallFix(subject) as { command: string; input: Record<string, never> };
}

/** Judges the hooks and permissions of settings that parse. */
function judgeSettings(
  subject: FindingSubject,
  piece: SharedFile,
  text: string,
  lines: Record<HookEventName, GuardHook[]>,
): DoctorFinding[] {
  const { harness } = subject;
  if (harness === undefined) return [];
  const { events } = HARNESSES[harness];
  const silent = HOOK_EVENTS.filter((event) => lines[event].length === 0).map((event) => events[event]);
  const absent = (piece.additions ?? []).filter((one) => addToSettings(text, [one], piece.path).undo.length > 0);
  const rules = absent.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  const servers = absent.filter(({ isMember }) => isMember).map(({ path }) => path.join('.'));
  const others = absent.length - rules.length - servers.length - silent.length;
  const unheard = [...new Set(lines['pre-tool-use'].flatMap((hook) => findUnheardTools(hook, harness)))];
  const again = buildReinstallFix(subject);
  const findings: DoctorFinding[] = [];
  if (silent.length > 0)
    findings.push(buildProblem(subject, `No hook in ${piece.path} for ${silent.join(', ')}.`, again));
  if (unheard.length > 0)
    findings.push(buildProblem(subject, `The guard in ${piece.path} is not called for ${unheard.join(', ')}.`, again));
  else if (others > 0)
    findings.push(buildProblem(subject, `Hooks in ${piece.path} are not what this version writes (${others}).`, again));
  if (rules.length > 0)
    findings.push(buildProblem(subject, `Permissions missing in ${piece.path}: ${joinFirst(rules, NAMED)}.`, again));
  if (servers.length > 0)
    findings.push(buildProblem(subject, `${servers.join(', ')} is missing in ${piece.path}.`, again));
  return findings.length > 0 ? findings : [buildOk(subject, `Hooks${saysRules(piece)} are in ${piece.path}.`)];
}

function saysRules({ additions = [] }: SharedFile): string {
  return additions.some(({ value }) => typeof value === 'string') ? ' and permissions' : '';
}

/** Lists entries that a harness cannot use; none if the settings do not parse. @param text the settings */
export function readFormFaults(harness: HarnessId, text: string): FormFault[] {
  const errors: ParseError[] = [];
  const settings: unknown = parse(text, errors, { allowTrailingComma: true });
  return isRecord(settings) && errors.length === 0 ? HARNESSES[harness].listFormFaults(settings, text) : [];
}

/**
 * Judges whether a harness accepts the settings: for some faults it drops the whole file with all its hooks, for others
 * it skips only the faulty entry.
 * @param version the version of the harness's program; undefined if unknown, in which case the program counts as new
 */
export function judgeForm(
  { harness, scope, isThere, settings }: Installation,
  version: string | undefined,
): DoctorFinding[] {
  if (!isThere || settings === null) return [];
  const { path, text } = settings;
  const subject: FindingSubject = { check: 'settings', harness, scope };
  const faults = readFormFaults(harness, text);
  const isBorne = ({ borneSince }: FormFault): boolean =>
    borneSince !== undefined && (version === undefined || compareVersions(version, borneSince) >= 0);
  const name = (some: readonly FormFault[]): string =>
    joinFirst(
      some.map(({ what }) => what),
      NAMED,
    );
  const [borne, dropping] = [faults.filter(isBorne), faults.filter((fault) => !isBorne(fault))];
  const { title, dropsSettings } = HARNESSES[harness];
  return [
    ...(dropping.length === 0
      ? []
      : [
          buildProblem(
            subject,
            `${title} ${dropsSettings} ${path}, hooks included, because of entries that it cannot use: ${name(dropping)}.`,
            'Repair or remove these entries, then look at `/hooks` in a new session.',
          ),
        ]),
    ...(borne.length === 0
      ? []
      : [
          buildNote(
            subject,
            `${title} skips entries that it cannot use in ${path}: ${name(borne)}. Earlier versions ignore the whole file.`,
          ),
        ]),
  ];
}
