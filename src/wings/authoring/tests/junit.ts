import type { TestedFile } from './run-file.js';

/** Renders the results as JUnit XML, for CI servers. */
export function renderJunit(files: readonly TestedFile[]): string {
  const suites = files.map(({ file, cases, problems }) => {
    const loose = problems.filter(
      ({ message }) => !cases.some((one) => one.problems.some((of) => of.message === message)),
    );
    const own = loose.length === 0 ? [] : [renderCase(file, 'the file', loose.map(renderProblem))];
    const tested = cases.map(({ name, problems: found }) => renderCase(file, name, found.map(renderProblem)));
    const failed = cases.filter((one) => one.problems.length > 0).length + own.length;
    const head = `  <testsuite name="${toXmlText(file)}" tests="${tested.length + own.length}" failures="${failed}">`;
    return [head, ...own, ...tested, '  </testsuite>'].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`;
}

function renderCase(file: string, name: string, failures: readonly string[]): string {
  const head = `    <testcase classname="${toXmlText(file)}" name="${toXmlText(name)}"`;
  if (failures.length === 0) return `${head}/>`;
  const inside = failures.map(
    (text) => `      <failure message="${toXmlText(text.split('\n')[0] ?? '')}">${toXmlText(text)}</failure>`,
  );
  return [`${head}>`, ...inside, '    </testcase>'].join('\n');
}

function renderProblem({ file, line, column, message, fix }: TestedFile['problems'][number]): string {
  return `${file}:${line}:${column}: ${message}${fix === undefined ? '' : `\n${fix}`}`;
}

/** Replaces control characters that XML cannot hold, not even escaped. */
function toXmlText(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/gu, '�')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/[\n\t]/g, (char) => `&#${char.charCodeAt(0)};`);
}
