import { suggestion } from '../base/suggest.js';
import { ownKeyFault } from '../registry/handlers.js';
import { ANCHORS, circlesOf } from './handler-order.js';
import { lintRole } from './lint-agents.js';
import type { LintableEngine } from './lintable.js';
import { TRIAGE } from './resolve-engine.js';
import { quoted } from './yaml-source.js';

/** Policies and own handlers of an engine recipe (engine.md, Own handlers). */
export function lintHandlers(lintable: LintableEngine): void {
  lintPolicies(lintable);
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
    report.error(['config', 'depth'], `\`config.depth\` is ${depth}, and \`mode.depth\` is ${source.mode.depth}.`);
  }
  const order = source.config?.policies?.triage_precedence;
  if (order === undefined || (order.length === TRIAGE.length && TRIAGE.every((word) => order.includes(word)))) return;
  report.error(
    ['config', 'policies', 'triage_precedence'],
    `\`triage_precedence\` names each of ${TRIAGE.join(', ')} once; this is ${order.join(', ') || 'empty'}.`,
  );
}

function lintKey({ report }: LintableEngine, key: string): void {
  const fault = ownKeyFault(key);
  if (fault === null) return;
  report.error(['handlers', key], `A handler of a recipe cannot be called ${quoted(key)}: that ${fault}.`, {
    at: 'key',
    fix: 'Give it a name of its own, such as `security_scan`.',
  });
}

function lintAfter({ source, broken, report }: LintableEngine, key: string): void {
  const stated = source.handlers?.[key]?.after;
  if (stated === undefined) return;
  const place = ['handlers', key, 'after'];
  const others = Object.keys(source.handlers ?? {}).filter((other) => other !== key);
  if (stated === 'verify' && source.config?.policies?.verify_enabled === false) {
    report.warning(place, 'Todos are not verified here, so this comes after the worker.', {
      fix: 'Write `after: worker`, or enable the verification.',
    });
  }
  if ([...ANCHORS, ...others, key].includes(stated) || broken.has(stated)) return;
  const known = [...ANCHORS, ...others];
  const near = suggestion(stated, known);
  report.error(
    place,
    `There is nothing called ${quoted(stated)} to come after.${near === undefined ? '' : ` Did you mean ${quoted(near)}?`}`,
    { fix: `Possible here: ${known.join(', ')}.` },
  );
}

function lintCircles({ source, report }: LintableEngine): void {
  const handlers = source.handlers ?? {};
  for (const circle of circlesOf(handlers)) {
    const [first = ''] = circle;
    report.error(
      ['handlers', first, 'after'],
      circle.length === 1
        ? `${quoted(first)} cannot come after itself.`
        : `These handlers come after each other in a circle: ${[...circle, first].join(' after ')}.`,
      { fix: `One of them comes after ${ANCHORS.join(' or ')}.` },
    );
  }
}

function lintRoles(lintable: LintableEngine): void {
  for (const [key, handler] of Object.entries(lintable.source.handlers ?? {})) {
    if (handler.actor === 'subagent') lintRole(lintable, handler.agent, true, ['handlers', key, 'agent']);
  }
  // A project may define a role that dev-cli ships; then that definition must be able to do its work, too.
  for (const { key, shipped, agent } of Object.values(lintable.recipe.engine?.handlers ?? {})) {
    if (shipped === null || agent === undefined) continue;
    lintRole(lintable, agent, true, ['config', 'handlers', key]);
  }
}
