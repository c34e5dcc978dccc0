import type { Answer } from '../../../base/answer.js';
import { DevCliError } from '../../../base/errors.js';
import { stripInvisible } from '../../../base/visible.js';
import { cutLine, maskSecrets, toBoundedLine, toWholeLine } from '../../../documents/foreign.js';
import type { Context } from '../../../run/context.js';
import { findRepository } from '../../../work/git-command.js';
import { isTest, LANGUAGES, nameForImports } from './imports.js';
import { listFiles, search } from './lines.js';
import { buildSearchPatterns, listTerms, rankLines } from './terms.js';

/** Maximum characters shown of a line. */
const SHOWN = 240;

/**
 * `explore` (loop-operations.md, Explore). Writes nothing.
 * @param input `maxMatches`: maximum lines, 1 to 200
 * @throws DevCliError `USAGE`, `NEEDS_MISSING` without a repository, `GIT_FAILED`, `IO`, `INTERRUPTED`
 */
export async function runExplore(
  { workTree: root, signal }: Pick<Context, 'workTree' | 'signal'>,
  { question, maxMatches = 40 }: { question: string; maxMatches?: number },
  { env }: { env: NodeJS.ProcessEnv },
): Promise<Answer> {
  const asked = listTerms(question);
  if (maxMatches < 1 || maxMatches > 200) throw new DevCliError('USAGE', '--max-matches takes a number from 1 to 200.');
  if (asked.length === 0) throw new DevCliError('USAGE', 'The question has no word to search for.');
  const options = { env, signal };
  if ((await findRepository(root, options)).kind !== 'repository')
    throw new DevCliError('NEEDS_MISSING', 'Exploring the code needs a git repository, but there is none here.', {
      details: [{ target: root, problem: 'no repository' }],
      fix: 'Repeat the call in a repository, or run git init first.',
    });
  const tree = { root, options, listing: listFiles(root, options) };
  const found = await search(tree, ['-i', '-F', ...buildSearchPatterns(asked).flatMap((one) => ['-e', one])]);
  const { files } = await tree.listing;
  const { terms, dropped, matches } = rankLines(asked, found, files.size, maxMatches);
  const matched = new Set(matches.map(({ path }) => path));
  const callers = new Map([...matched].sort().map((path) => [path, new Set<string>()]));
  const names = nameForImports([...matched]);
  const importing = LANGUAGES.map(async ({ ends, buildPattern, listImported }) => {
    const lines = names === '' ? [] : await search(tree, ['-E', '-e', buildPattern(names)], ends);
    for (const [importer, own] of lines)
      for (const candidates of listImported(importer, own)) {
        const path = candidates.find((one) => files.has(one));
        if (path !== undefined && path !== importer) callers.get(path)?.add(importer);
      }
  });
  await Promise.all(importing);
  const calling = [...callers].flatMap(([path, by]) => (by.size === 0 ? [] : [[path, [...by].sort()] as const]));
  const importers = new Set(calling.flatMap(([, by]) => by));
  const touched = new Set([...matched, ...importers]);
  const tests = [...touched].filter(isTest).sort();
  const report = {
    question: maskSecrets(stripInvisible(question)),
    terms,
    dropped,
    matches: matches.map((one) => ({ ...one, text: toShown(one.text, one.terms[0] ?? '') })),
    callers_by_file: Object.fromEntries(calling),
    related_tests: tests,
    impact: {
      ...{ matched_files: matched.size, caller_files: importers.size, related_tests: tests.length },
      estimated_total_impacted_files: touched.size,
    },
  };
  const list = (paths: readonly string[]) => toBoundedLine(paths.map(show).join(', '), SHOWN);
  const text = (): string =>
    [
      ...report.matches.map((one) => `${show(one.path)}:${one.line}: ${one.text}`),
      `${matches.length === 0 ? 'No line has any of' : '\nTerms'}: ${list(terms)}`,
      ...(dropped.length === 0 ? [] : [`Ignored, because a third of the files or more contain them: ${list(dropped)}`]),
      ...calling.map(([path, by]) => `${show(path)} is imported by ${by.length}: ${list(by)}`),
      ...(tests.length === 0 ? [] : [`Tests, ${tests.length}: ${list(tests)}`]),
      `Files: ${matched.size} with a match, ${importers.size} that import them; ${touched.size} in all`,
    ].join('\n');
  return { exit: 0, json: { ok: true, root, report }, text };
}

const show = (path: string): string => toBoundedLine(path, 160);

/** Returns a line, or the part of a long one around a term. Masks secrets before cutting. */
function toShown(text: string, term: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(term));
  const line = toWholeLine(text.slice(Math.max(0, at - 4_000), at + 4_000)).trim();
  const from = line.length <= SHOWN ? 0 : Math.max(0, line.toLowerCase().indexOf(term) - SHOWN / 3);
  return cutLine(from === 0 ? line : `…${line.slice(from).replace(/^[\udc00-\udfff]/, '')}`, SHOWN);
}
