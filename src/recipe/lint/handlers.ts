import { findKeyFault } from '../../registry/handlers.js';
import { DEFAULT_PRECEDENCE, findHandlerCycles, SHIPPED_ANCHORS } from '../resolve/engine.js';
import { quoteSuggestion, quoteWord } from '../source/yaml.js';
import { lintRole } from './agents.js';
import type { LintableEngine } from './lintable.js';

/** Checks the policies and own handlers of an engine recipe (engine.md, Own handlers). */
export function lintHandlers(lintable: LintableEngine): void {
  lintPolicies(lintable);
  lintPersons(lintable);
  for (const key of Object.keys(lintable.source.handlers ?? {})) {
    lintKey(lintable, key);
    lintAfter(lintable, key);
  }
  lintCircles(lintable);
  lintRoles(lintable);
}

function lintPolicies({ source, report }: LintableEngine): void {
  const depth = source.config?.depth;
  if (depth !== undefined && source.mode?.depth !== undefined && depth !== source.mode.depth) {
    report.error(['config', 'depth'], `\`config.depth\` is ${depth}, but \`mode.depth\` is ${source.mode.depth}.`);
  }
  const order = source.config?.policies?.triage_precedence;
  if (
    order === undefined ||
    (order.length === DEFAULT_PRECEDENCE.length && DEFAULT_PRECEDENCE.every((word) => order.includes(word)))
  )
    return;
  report.error(
    ['config', 'policies', 'triage_precedence'],
    `\`triage_precedence\` names each of ${DEFAULT_PRECEDENCE.join(', ')} once; this is ${order.join(', ') || 'empty'}.`,
  );
}

/** Warns if a handler asks a person although the recipe runs on autopilot, where no person is present. */
function lintPersons({ source, recipe, report }: LintableEngine): void {
  if (recipe.mode['interaction'] !== 'autopilot') return;
  for (const [key, { actor }] of Object.entries(source.handlers ?? {})) {
    if (actor !== 'human') continue;
    report.warning(
      ['handlers', key],
      `${quoteWord(key)} needs a person, but the recipe runs on autopilot: the run will wait there.`,
      {
        at: 'key',
      },
    );
  }
}

function lintKey({ report }: LintableEngine, key: string): void {
  const fault = findKeyFault(key);
  if (fault === null) return;
  report.error(['handlers', key], `A handler of a recipe cannot be called ${quoteWord(key)}: that ${fault}.`, {
    at: 'key',
    fix: 'Give it a name of its own, such as `security_scan`.',
  });
}

function lintAfter({ source, broken, report }: LintableEngine, key: string): void {
  const stated = source.handlers?.[key]?.after;
  if (stated === undefined) return;
  const place = ['handlers', key, 'after'];
  const known = [...SHIPPED_ANCHORS, ...Object.keys(source.handlers ?? {}).filter((other) => other !== key)];
  if (stated === 'verify' && source.config?.policies?.verify_enabled === false) {
    report.warning(place, 'Verification is disabled, so this handler runs right after the worker.', {
      fix: 'Write `after: worker`, or enable the verification.',
    });
  }
  if (stated === key || known.includes(stated) || broken.has(stated)) return;
  const meant = quoteSuggestion(stated, known);
  report.error(place, `There is no stage ${quoteWord(stated)} that this handler could follow.${meant}`, {
    fix: `Possible here: ${known.join(', ')}.`,
  });
}

function lintCircles({ source, report }: LintableEngine): void {
  const handlers = source.handlers ?? {};
  for (const circle of findHandlerCycles(handlers)) {
    const [first = ''] = circle;
    report.error(
      ['handlers', first, 'after'],
      circle.length === 1
        ? `${quoteWord(first)} cannot come after itself.`
        : `These handlers follow each other in a cycle: ${[...circle, first].join(' after ')}.`,
      { fix: `Let one of them come after ${SHIPPED_ANCHORS.join(' or ')}.` },
    );
  }
}

function lintRoles(lintable: LintableEngine): void {
  for (const [key, handler] of Object.entries(lintable.source.handlers ?? {})) {
    if (handler.actor === 'subagent') lintRole(lintable, handler.agent, true, ['handlers', key, 'agent']);
  }
  // A project may redefine the role of a shipped handler; its definition must allow writing, too.
  for (const { key, shipped, agent } of Object.values(lintable.recipe.engine?.handlers ?? {})) {
    if (shipped === null || agent === undefined) continue;
    lintRole(lintable, agent, true, ['config', 'handlers', key]);
  }
}
