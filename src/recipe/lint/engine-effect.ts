import { HANDLERS, type HandlerSpec, isEnabled } from '../../registry/handlers.js';
import { quoteWord } from '../source/yaml.js';
import type { LintableEngine } from './lintable.js';

/** Warns of what an engine recipe says and nothing follows from. */
export function lintEngineEffect(lintable: LintableEngine): void {
  lintShipped(lintable);
  lintSwitchedOff(lintable);
}

/** `config.handlers` is for the record: of what it does not name, commits alone are left out. */
function lintShipped({ source, report }: LintableEngine): void {
  const listed = source.config?.handlers;
  if (listed === undefined) return;
  const isOff = (handler: HandlerSpec) => !isEnabled(handler, source.config);
  const missing = HANDLERS.filter((handler) => !Object.hasOwn(listed, handler.key) && !isOff(handler));
  if (missing.length > 0) {
    const names = missing.map(({ key }) => quoteWord(key)).join(', ');
    const switches = missing.flatMap((handler: HandlerSpec) => handler.switch ?? []);
    report.warning(['config', 'handlers'], `\`handlers\` leaves out ${names}, which run anyway.`, {
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
      `${quoteWord(handler.key)} is switched off below, by its policy.`,
      {
        at: 'key',
      },
    );
  }
}

/** Policies about what is switched off. */
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
    warn('max_fix_rounds', 'nothing is found at the end');
  }
  if ((policies.max_dynamic_todos ?? 0) > 0 && policies.adapt_depth_limit === 0) {
    warn('max_dynamic_todos', '`adapt_depth_limit: 0` lets none be added');
  }
}
