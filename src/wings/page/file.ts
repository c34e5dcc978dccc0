import { lstatSync, readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import type { Answer } from '../../base/answer.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { findRun } from '../../protocol/find/find-run.js';
import { writeDurably } from '../../store/durable.js';
import { pathError, withIoErrors } from '../../store/io.js';
import { renderClean } from './clean.js';
import { type PageContext, readCommit, readDocuments, readTab } from './documents.js';
import { readRunNow } from './live.js';
import { buildRunPage } from './pages.js';
import { type PageShell, readShell } from './shell.js';
import type { PageDocument, PageFile } from './wire.js';

/** Parts that `--without` can leave out of a file. */
export const OMITTABLE_PARTS = ['prompts', 'logs', 'diffs'] as const;
type Part = (typeof OMITTABLE_PARTS)[number];

/**
 * `view [NAME] --html FILE`: writes a run into one HTML file, which needs no server (view-page.md, File).
 * @throws DevCliError `USAGE` for unknown parts; `IO`, also if FILE exists and this command did not write it;
 * `NO_SUCH_RUN` and whatever else finding the run throws
 */
export async function writeFile(
  context: PageContext,
  input: { name?: string; html: string; without?: readonly string[] },
  { cwd }: { cwd: string },
): Promise<Answer> {
  const { html: file, without = [] } = input;
  const unknown = without.find((part) => !OMITTABLE_PARTS.some((known) => known === part));
  if (unknown !== undefined)
    throw new DevCliError('USAGE', `${JSON.stringify(unknown)} cannot be left out.`, {
      fix: `--without takes ${OMITTABLE_PARTS.join(', ')}.`,
    });
  const name = await findRun(context, input.name, false);
  const path = isAbsolute(file) ? file : resolve(cwd, file);
  const shell = readShell(context);
  requireOurs(path, shell, context.root);
  const built = await buildPageFile(context, name, without as readonly Part[]);
  const text = renderFile(shell, built);
  writeDurably(path, text, context.root);
  const left = without.length === 0 ? '' : `, without ${without.join(', ')}`;
  return {
    exit: 0,
    json: { ok: true, run: name, file, bytes: Buffer.byteLength(text), without },
    text: () => `Written: ${file}${left}`,
  };
}

/** Refuses to overwrite anything except a file that this command has written. */
function requireOurs(path: string, { html }: PageShell, root: string): void {
  withIoErrors(path, root, () => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return;
    const isOurs =
      stats.isFile() && readFileSync(path, 'utf8').startsWith(`${html.slice(0, splitHead(html))}${POLICY}`);
    if (!isOurs) throw pathError(path, root, 'something else is there', 'Name another file, or move it away.');
  });
}

/** Collects the data of a file; documents that no longer exist are omitted. @throws DevCliError like `writeFile` */
export async function buildPageFile(context: PageContext, name: string, without: readonly Part[]): Promise<PageFile> {
  const now = await readRunNow(context, { name });
  const page = await buildRunPage(context, name, now, undefined);
  const documents: PageFile['documents'] = {};
  const listed = now.timeline.rows.flatMap(({ segments }) => segments.flatMap((one) => one.documents));
  const kept = listed.filter(({ path }) => !isLeftOut(path, without));
  const read = await readDocuments(context, name, kept, now);
  for (const { id, segments } of now.timeline.rows)
    for (const [segment, one] of segments.entries())
      for (const [index, at] of one.documents.entries())
        Object.assign(documents, omitUndefined({ [`${id}/${segment}/${index}`]: read.get(at) }));
  const add = async (key: string, reading: Promise<PageDocument>): Promise<void> => {
    try {
      documents[key] = await reading;
    } catch (error) {
      if (!(error instanceof DevCliError) || error.code === 'INTERRUPTED') throw error;
    }
  };
  for (const tab of page.tabs) await add(`tab/${tab}`, readTab(context, { name }, tab, now));
  const { 'tab/report': report } = documents;
  if (report !== undefined && without.includes('logs')) report.text = report.text.replace(ENDS_OF_LOGS, '');
  const commits = without.includes('diffs') ? [] : page.rows.flatMap(({ commit }) => commit ?? []);
  for (const sha of new Set(commits)) await add(`commit/${sha}`, readCommit(context, sha, now));
  // A file is not updated, so it shows the run's clock as it was when the file was written.
  const clock = { ...page.clock, isRunning: false };
  return { page: { ...page, clock, decision: null }, documents, without: [...without] };
}

/** Matches the last section of a report, which quotes the logs. */
const ENDS_OF_LOGS = /^## Ends of the logs\n[\s\S]*/m;

/** Returns whether `--without` leaves out this document. Prompts are the .md files in `actions/`. */
function isLeftOut(path: string, without: readonly Part[]): boolean {
  return (without.includes('logs') && path.endsWith('.log')) || (without.includes('prompts') && PROMPT.test(path));
}

const PROMPT = /^actions\/.*\.md$/;

/** Inserts the data into the page, before the script that reads it, and the policy at the beginning of the head. */
function renderFile(shell: PageShell, data: PageFile): string {
  const { html } = shell;
  const head = splitHead(html);
  const policy = `${POLICY}${shell.policy("'none'")}">`;
  const packed = deflateRawSync(renderClean(data)).toString('base64');
  const template = `<template id="data">${packed}</template>`;
  const script = html.indexOf('<script');
  return [html.slice(0, head), policy, html.slice(head, script), template, html.slice(script)].join('');
}

/** The text after `<head>` in every file that this command writes, in any version; `requireOurs` recognizes it. */
const POLICY = `<meta http-equiv="Content-Security-Policy" content="`;

/** Returns the offset after `<head>`: a policy inserted there applies to everything that follows. */
function splitHead(html: string): number {
  return html.indexOf('<head>') + '<head>'.length;
}
