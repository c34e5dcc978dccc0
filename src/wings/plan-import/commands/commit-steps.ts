import { splitShell } from './split-shell.js';
import type { StepFragment } from './step-commands.js';

/**
 * Recognizes steps that only commit. They are left out, because dev-cli itself commits each todo, with the message from
 * the source.
 */

const LEAD = /^(?:step|schritt|étape|etape|paso|passo|шаг|ステップ|步骤|단계)?\s*[\d.-]*[a-z]?\s*[:：.–—-]\s*/iu;
const COMMIT =
  /(?:git[\s-]+)?(?:\bcommit(?:s|ted|ting|ten|ter|ear|tare|e)?\b|\bcommiter\b|コミット(?:する|します|を作成)?|提交|커밋(?:하기)?|(?:за)?коммит\p{L}*)/iu;
/** Words that add no meaning next to "commit". */
const FILLERS =
  /\b(?:git|the|all|your|these|this|changes?|work|it|files?|everything|staged?|add|message|with|create|make|a|änderungen|die|alle|les|modifications|los|cambios|hacer|faire|fazer|as|mudanças|alterações|task|step|phase|done|complete)\b|代码|更改|变更|修改|を|変更|完了|\d+/giu;
const JOINS = /\b(?:and|then|plus|und|dann|et|puis|y|luego|e|и|затем)\b|[,&+、]|并|然后|して/iu;

/** Returns whether a step only commits the work of earlier steps. */
export function isCommitStep(title: string, pieces: readonly StepFragment[]): boolean {
  const said = title.replace(LEAD, '').replace(/\([^)]*\)|（[^）]*）/g, ' ');
  if (!COMMIT.test(said)) return false;
  const rest = said.replace(COMMIT, ' ').replace(FILLERS, ' ');
  const begins = (COMMIT.exec(said)?.index ?? 0) === 0 && !JOINS.test(said);
  if (!begins && /\p{L}/u.test(rest.replace(JOINS, ' '))) return false;
  return pieces.every(({ text, code }) =>
    code === null
      ? /^(?:run\s*:?|expected\b.*)?$/i.test(text.replace(/`[^`]*`/g, '').trim()) && onlyGit(listCodes(text).join('\n'))
      : onlyGit(code.value),
  );
}

function onlyGit(script: string): boolean {
  return splitShell(script)
    .filter(({ start }) => start >= 0)
    .every(
      ({ words: [program, command = ''] }) => program === 'git' && /^(?:add|commit|status|diff|log)$/.test(command),
    );
}

const listCodes = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);

const HERE_DOCUMENT = /\bgit\s+commit\b[^\n]*?\$\(\s*cat\s+<<-?\s*['"]?(\w+)['"]?[ \t]*\n([\s\S]*?)\n[ \t]*\1\b/g;
const COMMAND = /\bgit\s+commit\b((?:[^\n"']|"(?:[^"\\]|\\[\s\S])*"|'[^']*')*)/g;
const MESSAGE = /\s(?:-[a-z]*m|--message)[\s=]+(?:"((?:[^"\\]|\\[\s\S])*)"|'([^']*)')/g;

/** Lists the messages of the commits that a step makes. */
export function listMessages(pieces: readonly StepFragment[]): string[] {
  return pieces
    .map(({ text, code }) => code?.value ?? listCodes(text).join('\n'))
    .flatMap((script) => {
      const written = [...script.matchAll(HERE_DOCUMENT)].map(([, , message = '']) => message);
      const plain = [...script.replace(HERE_DOCUMENT, ' ').matchAll(COMMAND)].map(([, args = '']) =>
        [...args.matchAll(MESSAGE)]
          .map(([, double, single = '']) => double?.replace(/\\(["\\$`])/g, '$1') ?? single)
          .join('\n\n'),
      );
      return [...written, ...plain];
    })
    .map((message) => message.trim())
    .filter((message) => message !== '' && !/\$\(|<[a-z][\w -]*>/.test(message));
}
