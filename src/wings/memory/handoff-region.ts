import { cutLine } from '../../documents/foreign.js';
import {
  escapeMarkup,
  type Handoff,
  renderCommit,
  renderElsewhere,
  renderIntent,
  renderTreeChanges,
  renderVerificationLine,
} from './handoff.js';

/** Renders the region that dev-cli writes in PROJECT_CONTEXT.md (memory.md, Handoff). Pure. */

export const HANDOFF_MARKERS = { begin: '<!-- dev-cli:handoff v1 -->', end: '<!-- /dev-cli:handoff -->' };

/** Maximum size of a region in bytes, including its markers. */
const MOST = 8 * 1024;

/**
 * How many entries a section has and how long each may be. The first pair with which the region is small enough is
 * used.
 */
const FITS = [
  { entries: 5, characters: 400 },
  { entries: 5, characters: 200 },
  { entries: 3, characters: 150 },
  { entries: 1, characters: 100 },
] as const;

type Fit = (typeof FITS)[number];

/** Renders the region in at most 8 KiB. */
export function renderRegion(handoff: Handoff): string {
  const rendered = FITS.map((fit) => renderParts(handoff, fit));
  const room = MOST - Buffer.byteLength(`${HANDOFF_MARKERS.begin}\n\n${HANDOFF_MARKERS.end}\n`);
  return rendered.find((text) => Buffer.byteLength(text) <= room) ?? rendered.at(-1) ?? '';
}

function renderParts(handoff: Handoff, fit: Fit): string {
  const { picture, quality, timestamp, source, work, steps, missing } = handoff;
  const { checkpoint, next, intent, verification, relevant, commits, elsewhere, changes, edited, notes, warnings } =
    picture;
  const isEstimated = picture.decisions.length === 0 && verification.length === 0;
  const facts = {
    Generated: timestamp,
    'Handoff source': source,
    'Handoff quality': quality,
    'Latest checkpoint': checkpoint === null ? null : `${checkpoint.message} (${checkpoint.ref})`,
    'Primary work item': work.title,
    'Working tree truth': renderTreeChanges(picture),
    'Next action': next?.text ?? null,
    'Done when': next?.doneWhen ?? null,
  };
  const newest = [...notes].reverse();
  const verified = verification.filter(({ how }) => how === 'ran').at(-1) ?? verification.at(-1);
  const paths = changes?.paths ?? [];
  const part = (heading: string, all: readonly string[], most: number = fit.entries): string[] => {
    const shown = all.slice(0, Math.min(most, fit.entries)).map((text) => `- ${cut(text, fit)}`);
    const more = all.length - shown.length;
    return all.length === 0 ? [] : ['', `## ${heading}`, '', ...shown, ...(more > 0 ? [`- (+${more})`] : [])];
  };
  const lines = [
    '# Session Handoff',
    '',
    ...(isEstimated ? ['> auto-estimated: nothing was decided or verified on record', ''] : []),
    ...Object.entries(facts).flatMap(([key, value]) => (value === null ? [] : [`- ${key}: ${cut(value, fit)}`])),
    // Omits an aim taken from a prompt, because a prompt's text must not leave this machine.
    ...part('Active intent', intent === null || intent.source === 'request' ? [] : [renderIntent(intent)]),
    ...part('Concrete next steps', steps),
    ...part(
      `Verification snapshot [Freshness: ${verified?.freshness}]`,
      [...verification].reverse().map(renderVerificationLine),
      3,
    ),
    ...part(
      'Relevant files',
      [...relevant].reverse().map(({ path, why }) => `${path}: ${why}`),
    ),
    ...part('Recent git context', commits.slice(0, fit.entries).map(renderCommit)),
    ...part('Changed files', paths),
    ...part('Supporting context', [
      ...elsewhere.map(renderElsewhere),
      ...edited.filter(({ is }) => is === 'supporting').map(({ path }) => path),
    ]),
    ...part('Warnings / risks', [
      ...(handoff.reason === undefined ? [] : [`${handoff.status}: ${handoff.reason}`]),
      ...(handoff.status === 'complete' ? [] : missing),
      ...newest.filter(({ kind }) => kind === 'risk').map(({ text }) => text),
      ...warnings,
    ]),
    ...part('Decision context', [
      ...newest.filter(({ kind }) => kind !== 'risk').map(({ kind, text }) => `${kind}: ${text}`),
      ...(handoff.switchedTo === undefined ? [] : [`switched to: ${handoff.switchedTo}`]),
    ]),
    '',
    'More: `dev-cli context`',
  ];
  return lines.join('\n');
}

function cut(text: string, { characters }: Fit): string {
  return escapeMarkup(cutLine(text, characters));
}
