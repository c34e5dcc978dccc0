import type {
  PageDocument,
  PageError,
  PageFile,
  PreparedDecision,
  RunChange,
  RunPage,
  RunsPage,
  TabName,
} from '../wire.js';

/** The reason why something could not be loaded, and a way to fix that. */
export class LoadError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly fix?: string,
  ) {
    super(message);
  }
}

/** Converts a thrown value to a failure. */
export function toFailure(error: unknown): LoadError {
  return error instanceof LoadError ? error : new LoadError('UNEXPECTED', String(error));
}

/** The server does not answer; the next attempt may succeed. */
export const UNREACHABLE = 'UNREACHABLE';
/** The page was opened without a ticket, or the server has been restarted. */
export const NO_SESSION = 'NO_SESSION';

/** A document of a run: `key` finds it in a file written by `view --html`, `path` and `query` on the server. */
export interface DocumentRequest {
  key: string;
  path: string;
  query?: Record<string, string>;
}

export const buildTabRequest = (tab: TabName): DocumentRequest => ({ key: `tab/${tab}`, path: `tabs/${tab}` });
export const buildDiffRequest = (sha: string): DocumentRequest => ({ key: `commit/${sha}`, path: `commits/${sha}` });
export const buildDocumentRequest = (row: string, segment: number, document: number): DocumentRequest => ({
  ...{ key: `${row}/${segment}/${document}`, path: 'documents' },
  query: { row, segment: String(segment), document: String(document) },
});

interface Answer {
  actionId: string;
  choice: string;
  note?: string;
  digest: string | null;
}

/** Where a page gets its data: the server that sent it, or the file that contains it. All methods throw `LoadError`. */
export interface Source {
  /**
   * Calls `heard` with the list of runs, and again whenever the list changes, until the stream ends. Null in a file,
   * which contains a single run.
   */
  runs: ((heard: (page: RunsPage) => void, signal: AbortSignal) => Promise<void>) | null;
  run(name: string, runId: string | undefined): Promise<RunPage>;
  document(page: RunPage, wanted: DocumentRequest): Promise<PageDocument>;
  /**
   * Calls `heard` with null once connected, then with each change until the stream ends. Null if nothing can change.
   */
  follow: ((page: RunPage, heard: (change: RunChange | null) => void, signal: AbortSignal) => Promise<void>) | null;
  /** Prepares an answer to a gate; the server's terminal then shows the number that confirms it. */
  prepare(name: string, answer: Answer): Promise<PreparedDecision>;
  confirm(name: string, id: string, number: string): Promise<void>;
}

const SESSION = 'session';

/**
 * Connects to the server that sent the page: exchanges the ticket in the address for a session (view-page.md, In the
 * browser).
 */
export async function connectToServer(): Promise<Source> {
  const [, ticket, rest = '/'] = /^#ticket=([\w-]+)(\/.*)?$/.exec(location.hash) ?? [];
  if (ticket !== undefined) {
    history.replaceState(null, '', `#${rest}`);
    // If this fails, the first request reports the missing session.
    const got = await ask('/session', { ticket }).catch(() => null);
    if (got !== null) sessionStorage.setItem(SESSION, String((await got.json()).session));
  }
  const get = async (address: string) => (await ask(address)).json();
  return {
    async runs(heard, signal) {
      const { body } = await ask('/events', undefined, signal);
      await readLines(body, (line) => heard(JSON.parse(line)));
    },
    run: (name, runId) => get(`${addressOf(name)}${runId === undefined ? '' : `?run=${encodeURIComponent(runId)}`}`),
    document: ({ name, runId: run }, { path, query }) =>
      get(`${addressOf(name)}/${path}?${new URLSearchParams({ run, ...query })}`),
    async follow({ name, runId, seq }, heard, signal) {
      const query = new URLSearchParams({ since: String(seq), run: runId });
      const { body } = await ask(`${addressOf(name)}/events?${query}`, undefined, signal);
      heard(null);
      await readLines(body, (line) => heard(JSON.parse(line)));
    },
    prepare: async (name, answer) => (await ask(`${addressOf(name)}/answer`, answer)).json(),
    confirm: async (name, id, number) => void (await ask(`${addressOf(name)}/confirm`, { id, number })),
  };
}

const addressOf = (name: string) => `/runs/${encodeURIComponent(name)}`;

async function ask(address: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { 'x-dev-cli-session': sessionStorage.getItem(SESSION) ?? '' };
  const post = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { ...headers, 'content-type': 'application/json' },
  };
  const given = body === undefined ? { headers } : post;
  const response = await fetch(address, { ...given, signal: signal ?? null, cache: 'no-store' }).catch(() => null);
  if (response === null)
    throw new LoadError(UNREACHABLE, 'The server does not answer.', 'Is dev-cli view still running?');
  if (response.status === 401) throw new LoadError(NO_SESSION, 'This page has no session.');
  if (response.ok) return response;
  const { error } = await response.json().catch((): PageError => {
    return { error: { code: String(response.status), message: `The server answered with ${response.status}.` } };
  });
  throw new LoadError(error.code, error.message, error.fix);
}

/** Reads lines until the stream ends or breaks off. */
async function readLines(body: ReadableStream<Uint8Array> | null, take: (line: string) => void): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  const read = () => reader?.read().catch(() => null);
  let rest = '';
  for (let part = await read(); part?.done === false; part = await read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') take(line);
  }
}

/** Opens the file that contains the page: its template holds the base64 of a raw-deflated `PageFile`. */
export async function openFile({ content }: HTMLTemplateElement): Promise<Source> {
  const bytes = Uint8Array.from(atob(content.textContent?.trim() ?? ''), (sign) => sign.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const { page, documents, without }: PageFile = await new Response(inflated).json();
  const left = without.length === 0 ? '' : ` It was written without ${without.join(', ')}.`;
  const refuse = async () => {
    throw new LoadError('NOT_IN_FILE', `This file does not contain it.${left}`);
  };
  const document: Source['document'] = async (_, { key }) => documents[key] ?? refuse();
  return { runs: null, run: async () => page, document, follow: null, prepare: refuse, confirm: refuse };
}
