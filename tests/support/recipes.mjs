/**
 * The table of recipes.md, Shipped recipes: the blocks of each planning recipe, in order.
 * @type {Record<string, string[]>}
 */
export const SPECIFY_BLOCKS = {
  'specify-standard-interactive': [
    'init',
    'classify-intent',
    'explore-full',
    'interview',
    'decision-confirm',
    'analyze-full',
    'codex-synth',
    'generate-plan',
    'review',
    'approve-plan',
    'summary',
    'cleanup',
  ],
  'specify-standard-autopilot': [
    'init',
    'classify-intent',
    'explore-full',
    'auto-assume',
    'analyze-full',
    'codex-synth',
    'generate-plan',
    'review',
    'summary',
    'cleanup',
  ],
  'specify-quick-interactive': [
    'init',
    'classify-intent',
    'explore-lite',
    'interview',
    'decision-confirm',
    'analyze-lite',
    'generate-plan',
    'review',
    'approve-plan',
    'summary',
    'cleanup',
  ],
  'specify-quick-autopilot': [
    'init',
    'classify-intent',
    'explore-lite',
    'auto-assume',
    'analyze-lite',
    'generate-plan',
    'review',
    'summary',
    'cleanup',
  ],
};

/** The shipped planning recipes. */
export const SPECIFY_RECIPES = Object.keys(SPECIFY_BLOCKS);
