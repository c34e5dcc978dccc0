/**
 * What warn mode lets pass and would otherwise have refused: one line each with method, path and reason. The query and the
 * headers stay out of it; both may hold a token.
 * @param {(line: string) => void} log
 * @returns {(request: { method: string, url: string }, reason: string) => void}
 */
export function audit(log) {
  return ({ method, url }, reason) => log(`would refuse ${method} ${url.split('?')[0]}: ${reason}`);
}
