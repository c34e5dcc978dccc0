import type { Answer } from '../../base/answer.js';
import { KEPT } from './book.js';
import { gather, type Scene } from './gather.js';
import { renderWaiting } from './handoff.js';
import { buildPicture, type Caps, type Picture } from './picture.js';

/** All that is kept, and all that is read of facts. */
const ALL: Caps = {
  decision: KEPT,
  verification: KEPT,
  relevant: KEPT,
  note: KEPT,
  request: Number.POSITIVE_INFINITY,
  edit: Number.POSITIVE_INFINITY,
};

/** `memory show` (memory.md, Commands). @param all whether all that is kept is shown @throws DevCliError `IO`, `INTERRUPTED` */
export async function show(scene: Scene, all: boolean): Promise<Answer> {
  const picture = buildPicture(await gather(scene), all ? ALL : undefined);
  const { branch, head, intent, next, decisions, verification, relevant, notes, waiting, warnings, counts } = picture;
  const { requests, edited, said, elsewhere } = picture;
  const commits = [...picture.commits].reverse();
  const entries = { intent, next, decisions, verification, relevant, notes };
  const seen = { requests, edited, commits, elsewhere, said, waiting, warnings, counts };
  return { exit: 0, json: { ok: true, branch, head, ...entries, ...seen }, text: () => render(picture) };
}

function render({
  branch,
  intent,
  next,
  decisions,
  verification,
  relevant,
  notes,
  waiting,
  warnings,
}: Picture): string {
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `- ${line}`)];
  return [
    `On ${branch ?? 'no branch'}: ${intent === null ? 'no aim is known' : `${intent.text} (${intent.source})`}`,
    ...(next === null
      ? []
      : [`Next: ${next.text}${next.doneWhen === undefined ? '' : ` Done when: ${next.doneWhen}`}`]),
    ...part(
      'Decisions:',
      decisions.map(({ id, text, reason }) => `${id} ${text}${reason === undefined ? '' : ` (${reason})`}`),
    ),
    ...part(
      'Verification:',
      verification.map(({ id, command, result, freshness }) => `${id} ${command}: ${result} [${freshness}]`),
    ),
    ...part(
      'Relevant:',
      relevant.map(({ id, path, why }) => `${id} ${path}: ${why}`),
    ),
    ...part(
      'Notes:',
      notes.map(({ id, kind, text }) => `${id} ${kind}: ${text}`),
    ),
    ...part('Waiting:', waiting.map(renderWaiting)),
    ...warnings.map((warning) => `! ${warning}`),
  ].join('\n');
}
