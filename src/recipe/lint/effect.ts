import { findReserved } from '../../base/reserved.js';
import { SECTION_IDS, type SectionId } from '../../documents/sections.js';
import { HANDLERS, type HandlerSpec, isEnabled } from '../../registry/handlers.js';
import { listConditions, listRootNames } from '../conditions/text.js';
import { findExternalCommand } from '../external-commands.js';
import { runsCommand } from '../own-commands.js';
import { listSectionsWritten, requiresDraft } from '../resolve/draft.js';
import type { ResolvedBlock } from '../resolved.js';
import { quoteSuggestion, quoteWord } from '../source/yaml.js';
import { listPlaceholders } from '../template.js';
import { listTemplates } from '../texts.js';
import { listUnpromised } from '../writes.js';
import type { Lintable, LintableEngine, LintableSequence } from './lintable.js';
import { collectTexts } from './text.js';

/** Warns about fields that have no effect in this recipe, although the author probably expects one. */
export function lintEffect(lintable: Lintable): void {
  lintMode(lintable);
  lintCleanup(lintable);
  lintGuard(lintable);
  if (lintable.type === 'engine') lintEngineEffect(lintable);
  if (lintable.type !== 'sequential' || lintable.broken.size > 0) return;
  lintRequired(lintable);
  lintArtifacts(lintable);
  lintSectionsRead(lintable);
  for (const [index, block] of lintable.recipe.blocks.entries()) {
    lintBound(lintable, index, block);
    lintGrowth(lintable, index, block);
  }
}

/** Warns about parts of a mode that no condition or text reads. dev-cli itself reads only depth and interaction. */
function lintMode({ source, recipe, report }: Lintable): void {
  const [conditions, texts] = [listConditions(recipe), listTemplates(recipe)];
  for (const key of Object.keys(source.mode ?? {})) {
    if (key === 'depth' || key === 'interaction') continue;
    const isRead =
      conditions.some((one) => listRootNames(one).has('mode') && one.includes(key)) ||
      texts.some((text) => listPlaceholders(text).some((found) => found.key === `mode.${key}`));
    if (isRead) continue;
    const meant = quoteSuggestion(key, ['depth', 'interaction']);
    report.warning(['mode', key], `Nothing reads \`mode.${key}\`.${meant}`, { at: 'key' });
  }
}

function lintCleanup({ source, recipe, report, type }: Lintable): void {
  if (source.cleanup === undefined || recipe.blocks.some((block) => runsCommand(block, 'cleanup'))) return;
  report.warning(['cleanup'], '`cleanup` removes nothing: no block runs `dev-cli cleanup`.', {
    at: 'key',
    fix:
      type === 'sequential'
        ? 'Add a last block `{ id: cleanup, type: cli, command: dev-cli cleanup {name} }`, or leave it out.'
        : 'Leave it out: an execution keeps its documents.',
  });
}

function lintGuard({ source, report }: Lintable): void {
  for (const [index, glob] of (source.guard?.writes ?? []).entries()) {
    const reserved = findReserved(glob);
    if (reserved !== null) {
      report.warning(
        ['guard', 'writes', index],
        `${quoteWord(glob)} has no effect: ${reserved.name} belongs to ${reserved.owner} and stays protected.`,
        { fix: 'Leave it out; only a person changes files of git and the harnesses.' },
      );
    }
    if (!glob.startsWith('/') && !glob.includes('\\') && !glob.split('/').includes('..')) continue;
    report.warning(['guard', 'writes', index], `${quoteWord(glob)} matches no file in the work tree.`, {
      fix: 'Write a glob relative to the work tree, with `/` between names.',
    });
  }
}

function lintRequired({ source, recipe, report }: LintableSequence): void {
  if (source.draft === undefined || requiresDraft(recipe.blocks)) return;
  report.warning(['draft', 'required'], 'These sections are never checked: no block runs `dev-cli draft validate`.', {
    at: 'key',
  });
}

/** Warns about artifacts that no block writes, unless the recipe has an external command, which may write any file. */
function lintArtifacts({ source, recipe, report }: LintableSequence): void {
  if (recipe.blocks.some((block) => findExternalCommand(block) !== null)) return;
  const stated = source.artifacts ?? [];
  const unpromised = listUnpromised(stated, [recipe]);
  for (const [index, path] of stated.entries()) {
    if (!unpromised.includes(path)) continue;
    report.warning(
      ['artifacts', index],
      `No block writes ${quoteWord(path)}; the end of the run names it only if something else wrote it.`,
    );
  }
}

/** Warns about sections of the draft that are read but never written. */
function lintSectionsRead({ source, recipe, report }: LintableSequence): void {
  const written = listSectionsWritten(recipe.blocks, recipe.draft.required);
  const unwritten = SECTION_IDS.filter((id) => !written.has(id));
  for (const [index, raw] of source.blocks.entries()) {
    for (const { place, value: text } of collectTexts(raw, ['blocks', index])) {
      const isCondition = place.at(-1) === 'when' || place.at(-1) === 'exitWhen';
      const read = isCondition ? listSectionsInCondition(text) : listSectionsInText(text);
      for (const id of unwritten.filter((one) => read.includes(one))) {
        report.warning(place, `No block writes the draft section ${quoteWord(id)}, so it is always empty.`, {
          within: id,
        });
      }
    }
  }
}

function listSectionsInCondition(text: string): SectionId[] {
  if (!listRootNames(text).has('draft')) return [];
  return SECTION_IDS.filter((id) => new RegExp(`\\bdraft(\\.${id}\\b|\\[\\s*["']${id}["'])`).test(text));
}

function listSectionsInText(text: string): SectionId[] {
  const keys = listPlaceholders(text).map(({ key }) => key);
  return SECTION_IDS.filter((id) => keys.includes(`draft.${id}`));
}

function lintBound({ source, report }: LintableSequence, index: number, block: ResolvedBlock): void {
  const raw = source.blocks[index];
  if (!('choices' in block) || raw === undefined || !('maxRounds' in raw)) return;
  if (block.choices.some(({ goto }) => goto !== 'next' && goto !== 'halt')) return;
  report.warning(['blocks', index, 'maxRounds'], '`maxRounds` has no effect: no choice leads to an earlier block.', {
    at: 'key',
  });
}

function lintGrowth({ recipe, report }: LintableSequence, index: number, block: ResolvedBlock): void {
  if (!('choices' in block)) return;
  const sizes = recipe.blocks.some((one) => 'schema' in one && one.schema === 'size');
  for (const [at, choice] of block.choices.entries()) {
    if (choice.grows !== true || sizes) continue;
    report.warning(['blocks', index, 'choices', at, 'grows'], '`grows` has no effect: no block has `schema: size`.', {
      at: 'key',
    });
  }
}

/** Warns about fields that have no effect in this engine recipe. */
function lintEngineEffect(lintable: LintableEngine): void {
  lintShipped(lintable);
  lintSwitchedOff(lintable);
}

/**
 * Checks `config.handlers`. The list only documents which handlers run, except that commits are off if it has no
 * `commit`.
 */
function lintShipped({ source, report }: LintableEngine): void {
  const listed = source.config?.handlers;
  if (listed === undefined) return;
  const isOff = (handler: HandlerSpec) => !isEnabled(handler, source.config);
  const missing = HANDLERS.filter((handler) => !Object.hasOwn(listed, handler.key) && !isOff(handler));
  if (missing.length > 0) {
    const names = missing.map(({ key }) => quoteWord(key)).join(', ');
    const switches = missing.flatMap((handler: HandlerSpec) => handler.switch ?? []);
    report.warning(['config', 'handlers'], `\`handlers\` does not list ${names}, but they run anyway.`, {
      at: 'key',
      fix:
        switches.length === 0
          ? 'Add them.'
          : `Add them, or switch off those that can be: \`${switches.join(': false`, `')}: false\`.`,
    });
  }
  for (const handler of HANDLERS.filter((one) => Object.hasOwn(listed, one.key) && isOff(one))) {
    report.warning(
      ['config', 'handlers', handler.key],
      `${quoteWord(handler.key)} is listed, but its policy switches it off.`,
      {
        at: 'key',
      },
    );
  }
}

/** Warns about policies for something that is switched off. */
function lintSwitchedOff({ source, report }: LintableEngine): void {
  const policies = source.config?.policies ?? {};
  const warn = (key: keyof typeof policies, why: string) => {
    report.warning(['config', 'policies', key], `\`${key}\` has no effect: ${why}.`, { at: 'key' });
  };
  const verified = policies.verify_enabled !== false;
  const reviewed = policies.code_review_enabled !== false;
  if (policies.assertions_at === 'review' && !(verified && reviewed)) {
    warn('assertions_at', `${reviewed ? 'nothing is verified' : 'there is no code review'}`);
  }
  if (policies.assertions_at === 'todo' && !verified) warn('assertions_at', 'nothing is verified');
  if ((policies.max_fix_rounds ?? 0) > 0 && !reviewed && policies.final_verify_enabled === false) {
    warn('max_fix_rounds', 'the code review and the final verification are off');
  }
  if ((policies.max_dynamic_todos ?? 0) > 0 && policies.adapt_depth_limit === 0) {
    warn('max_dynamic_todos', '`adapt_depth_limit: 0` allows no added todos');
  }
}
