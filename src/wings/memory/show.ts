import type { Answer } from '../../base/answer.js';
import { gatherSources, type PictureContext } from './gather.js';
import { renderMemoryDecision, renderNext, renderVerificationLine, renderWaiting } from './handoff.js';
import { buildPicture, type Picture } from './picture.js';

/**
 * `memory show` (memory.md, Commands). @param all whether to show everything stored @throws DevCliError `IO`,
 * `INTERRUPTED`
 */
export async function showMemory(scene: PictureContext, all: boolean): Promise<Answer> {
  const picture = buildPicture(await gatherSources(scene), all);
  const { branch, head, intent, next, decisions, verification, relevant, notes, waiting, warnings, counts } = picture;
  const { requests, edited, said, elsewhere } = picture;
  const commits = [...picture.commits].reverse();
  const entries = { intent, next, decisions, verification, relevant, notes };
  const seen = { requests, edited, commits, elsewhere, said, waiting, warnings, counts };
  return { exit: 0, json: { ok: true, branch, head, ...entries, ...seen }, text: () => render(picture) };
}

function render({ branch, intent, next, warnings, ...picture }: Picture): string {
  const parts = {
    Decisions: picture.decisions.map((one) => `${one.id} ${renderMemoryDecision(one)}`),
    Verification: picture.verification.map((one) => `${one.id} ${renderVerificationLine(one)}`),
    Relevant: picture.relevant.map(({ id, path, why }) => `${id} ${path}: ${why}`),
    Notes: picture.notes.map(({ id, kind, text }) => `${id} ${kind}: ${text}`),
    Waiting: picture.waiting.map(renderWaiting),
  };
  return [
    `On ${branch ?? 'no branch'}: ${intent === null ? 'no aim is known' : `${intent.text} (${intent.source})`}`,
    ...(next === null ? [] : [`Next: ${renderNext(next)}`]),
    ...Object.entries(parts).flatMap(([title, lines]) =>
      lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)],
    ),
    ...warnings.map((warning) => `! ${warning}`),
  ].join('\n');
}
