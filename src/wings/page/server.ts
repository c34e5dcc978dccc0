import { Hono, type HonoRequest } from 'hono';
import { omitUndefined } from '../../base/defined.js';
import type { Decider } from './deciding.js';
import { type PageContext, readCommit, readPageDocument, readTab } from './documents.js';
import { buildRefusedResponse, guardOrigin, guardSession, guardSize, labelAnswers, refuseSession } from './guard.js';
import { followRun, followRuns, readRunNow } from './live.js';
import { buildRunPage, buildRunsPage } from './pages.js';
import {
  answerFailure,
  malformedError,
  readBody,
  readIndex,
  readWanted,
  respondWithDocument,
  respondWithStream,
} from './requests.js';
import type { Sessions } from './sessions.js';
import type { PageShell } from './shell.js';
import type { TabName } from './wire.js';

/** The parts from which the server is built. */
export interface ServerParts {
  context: PageContext;
  /** `127.0.0.1:PORT`. */
  host: string;
  shell: PageShell;
  sessions: Sessions;
  decider: Decider;
  /** Aborted when the server should end; ends all streams. */
  signal: AbortSignal;
}

/** Maximum number of open streams; each update costs as much as reading its run. */
const STREAMS = 32;

const TABS: readonly TabName[] = ['plan', 'recipe', 'journal', 'report'];

/** Creates the server of the page (view-page.md, Server). */
export function createServer({ context, host, shell, sessions, decider, signal }: ServerParts): Hono {
  const app = new Hono();
  const streams = new Set<AbortController>();
  const find = async (req: HonoRequest) => {
    const wanted = readWanted(req);
    return { wanted, now: await readRunNow(context, wanted) };
  };
  const follow = (lines: (signal: AbortSignal) => AsyncGenerator<object>): Response => {
    if (streams.size >= STREAMS)
      return buildRefusedResponse(429, 'USAGE', `${STREAMS} pages already follow runs.`, 'Close one.');
    const stopped = new AbortController();
    streams.add(stopped);
    return respondWithStream(lines(AbortSignal.any([signal, stopped.signal])), () => {
      stopped.abort();
      streams.delete(stopped);
    });
  };
  app.use(labelAnswers(shell), guardOrigin(host), guardSize);
  app.get('/', (page) => page.html(shell.html));
  app.post('/session', async ({ req }) => {
    const { ticket } = await readBody(req);
    const session = isText(ticket) ? sessions.exchange(ticket) : null;
    return session === null ? refuseSession() : Response.json({ session });
  });
  app.use(guardSession(sessions));
  app.get('/runs', async () => respondWithDocument(await buildRunsPage(context)));
  app.get('/events', () => follow((both) => followRuns(context, both)));
  app.get('/runs/:name', async ({ req }) => {
    const { wanted, now } = await find(req);
    return respondWithDocument(await buildRunPage(context, wanted.name, now, wanted.runId));
  });
  app.get('/runs/:name/events', async ({ req }) => {
    const since = readIndex(req, 'since');
    const { wanted } = await find(req);
    return follow((both) => followRun(context, wanted, since, both));
  });
  app.get('/runs/:name/documents', async ({ req }) => {
    const place = {
      row: req.query('row') ?? '',
      segment: readIndex(req, 'segment'),
      document: readIndex(req, 'document'),
    };
    const { wanted, now } = await find(req);
    return respondWithDocument(await readPageDocument(context, wanted.name, place, now));
  });
  app.get('/runs/:name/tabs/:tab', async ({ req }) => {
    const tab = TABS.find((one) => one === req.param('tab'));
    if (tab === undefined) throw malformedError();
    const { wanted, now } = await find(req);
    return respondWithDocument(await readTab(context, wanted, tab, now));
  });
  app.get('/runs/:name/commits/:sha', async ({ req }) => {
    const { now } = await find(req);
    return respondWithDocument(await readCommit(context, req.param('sha'), now));
  });
  app.post('/runs/:name/answer', async ({ req }) => {
    const { actionId, choice, note, digest } = await readBody(req);
    if (!isText(actionId) || !isText(choice) || !isText(digest)) throw malformedError();
    if (note !== undefined && !isText(note)) throw malformedError();
    const given = { actionId, choice, digest, ...omitUndefined({ note }) };
    return respondWithDocument(await decider.prepare(readWanted(req).name, given));
  });
  app.post('/runs/:name/confirm', async ({ req }) => {
    const { id, number } = await readBody(req);
    if (!isText(id) || !isText(number)) throw malformedError();
    await decider.confirm(id, number);
    return respondWithDocument({ ok: true });
  });
  app.notFound(() => buildRefusedResponse(404, 'USAGE', 'There is nothing at this address.'));
  app.onError((error) => answerFailure(error, context.root));
  return app;
}

const isText = (value: unknown): value is string => typeof value === 'string';
