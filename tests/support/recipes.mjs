/** The shipped planning recipes. */
export const SPECIFY_RECIPES = [
  'specify-standard-interactive',
  'specify-standard-autopilot',
  'specify-quick-interactive',
  'specify-quick-autopilot',
];
