/** Tells by its name what a script, a target or a subcommand does (plans-from-elsewhere.md, What becomes of what). */

/** Words that say that it does something. */
const VERBS =
  /^(?:i|install|add|remove|delete|uninstall|update|upgrade|publish|deploy|release|init|create|new|generate|gen|migrate|migration|seed|push|pull|apply|up|down|link|start|stop|dev|serve|server|runserver|run|boot|preview|fix|format|fmt|write|clean|reset|destroy|drop|sync|bootstrap|setup|provision|bump|login|logout|rollback|scaffold|upload|send|startapp|startproject|s|watch|record|accept|approve|archive|close|exec|tag|commit|dedupe|prune|rebuild|patch|set|config|store|pack|use|load|restore|purge|truncate|wipe|flush|restart|launch|open|submit|notify|listen|storybook|studio|ios|android|emulators?|daemon|proxy|tunnel)$/;
/** Words that say that it only looks, or builds. */
const LOOKS =
  /^(?:tests?|specs?|check|checks|checker|lints?|linter|verify|verification|validate|validation|dry|status|list|ls|smoke|e2e|audit|diff|show|report|analyze|doctor|types?|typecheck|build|compile|coverage)$/;

const listWords = (name: string): string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);

/** Whether a name says that it does something: `db:migrate`, `test:update`, `bootRun`; not `format:check`. The last telling word counts. */
export function nameOrders(name: string): boolean {
  const last = listWords(name).findLast((word) => VERBS.test(word) || LOOKS.test(word));
  return last !== undefined && !LOOKS.test(last);
}

/** Whether a name says that it only looks: `check`, `status`. */
export const nameLooks = (name: string): boolean => LOOKS.test(name);
