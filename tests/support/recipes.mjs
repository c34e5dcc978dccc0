/**
 * The blocks of each planning recipe, in order, as in the table of recipes.md, Shipped recipes.
 * @type {Record<string, string[]>}
 */
export const SPECIFY_BLOCKS = {
  'specify-standard-interactive': [
    'init',
    'classify-intent',
    'explore-one',
    'explore-full',
    'interview',
    'decision-confirm',
    'analyze-full',
    'codex-synth',
    'settle',
    'plan-small',
    'generate-plan',
    'review',
    'approve-plan',
    'summary',
    'cleanup',
  ],
  'specify-standard-autopilot': [
    'init',
    'classify-intent',
    'explore-one',
    'explore-full',
    'auto-assume',
    'analyze-full',
    'codex-synth',
    'plan-small',
    'generate-plan',
    'review',
    'summary',
    'cleanup',
  ],
  'specify-quick-interactive': [
    'init',
    'classify-intent',
    'explore-one',
    'explore-lite',
    'interview',
    'decision-confirm',
    'analyze-lite',
    'plan-small',
    'generate-plan',
    'review',
    'approve-plan',
    'summary',
    'cleanup',
  ],
  'specify-quick-autopilot': [
    'init',
    'classify-intent',
    'explore-one',
    'explore-lite',
    'auto-assume',
    'analyze-lite',
    'plan-small',
    'generate-plan',
    'review',
    'summary',
    'cleanup',
  ],
};

/** Blocks that are skipped if the work is large or, in the case of `settle`, if the analyses leave no question open. */
export const PASSED_OVER = ['explore-one', 'settle', 'plan-small'];

/** The shipped planning recipes. */
export const SPECIFY_RECIPES = Object.keys(SPECIFY_BLOCKS);
