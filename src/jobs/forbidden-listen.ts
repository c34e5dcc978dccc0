/**
 * Recognizes from its output that a failed command was not allowed to listen on a port, as in a sandbox without
 * loopback. Such a failure proves nothing about the work (engine.md, Triage). Conservative: a test's report of such an
 * error, a file that may not be opened, and a port below 1024 do not count.
 */

/** A request for a port or a socket, as a separate word and not as part of a path. */
const ASKS =
  /(?<![\w./-])(?:listen(?:er|ing)?|bind(?:ing)?|socket|stream_socket_server|TcpListener|create_server)(?![\w/-])|\b(?:Socket|Bind)Exception\b/i;
const REFUSED = /\bEPERM\b|operation not permitted/i;
const DENIED = /\bEACCES\b|permission denied/i;
/** An address of this machine; a port may follow. */
const ADDRESS = /(?<![\w.])(?:127(?:\.\d+){3}|0\.0\.0\.0|localhost|\[?::1?\]?)(?![\w.])/;
const PORT = /(?:[\]\d:t]:|\bport |', ?)(\d{1,5})\b/;

/** Calls that fail with the same error and have nothing to do with a port. */
const ELSEWHERE =
  /(?<![\w.])(?:connect|unlink|chmod|f?chown|open|opendir|mkdir|rmdir|rename|u?mount|kill|link|symlink|utimes?|copyfile|scandir|setuid|setgid|ptrace|setsockopt|exec|spawn|sudo)(?![\w-])/i;

/** A line that quotes rather than reports: a test's title, a diff of expected and actual values, a line of source. */
const SAID =
  /^\s*(?:[✓✔√✗✘×•]|(?:not )?ok \d|PASS\b|FAIL\b|--- (?:PASS|FAIL)|# Subtest|[+-] |>?\s*\d+\s*\||(?:Expected|Received|expected|actual)\b|(?:it|test|describe)\b)/;

/** Errors that do not name the failed call. The traceback does: before the error in Python, after it in Rust. */
const BARE_BEFORE = /\bPermissionError: \[Errno 1\] Operation not permitted\s*$/;
const BARE_AFTER = /\bOs \{ code: 1, kind: PermissionDenied\b/;
const PYTHON_CALL = /\.bind\(|\.listen\(|socket\.__init__\(|socket\.socket\(|create_server\(|start_server\(/;
const RUST_CALL = /\b(?:TcpListener|UdpSocket|UnixListener)(?:>)?::bind\b|\bnet::socket\b/;
const BEFORE = 6;
const AFTER = 30;

/** The longest line that is examined, in characters: no such error is longer. */
const LINE = 2000;

/** Finds the line that says that listening is forbidden, or null. */
export function findForbiddenListen(output: string): string | null {
  if (!REFUSED.test(output) && !DENIED.test(output) && !BARE_AFTER.test(output)) return null;
  const lines = output.split(/\r\n|\r|\n/);
  const at = lines.findIndex((line, index) => line.length <= LINE && isForbiddenListen(lines, line, index));
  return lines[at]?.trim() ?? null;
}

function isForbiddenListen(lines: readonly string[], line: string, index: number): boolean {
  if (SAID.test(line)) return false;
  if (BARE_BEFORE.test(line)) {
    return lines.slice(Math.max(0, index - BEFORE), index).some((before) => PYTHON_CALL.test(before));
  }
  if (BARE_AFTER.test(line) && !ASKS.test(line)) {
    return lines.slice(index + 1, index + 1 + AFTER).some((after) => RUST_CALL.test(after));
  }
  if (!ASKS.test(line) || ELSEWHERE.test(line)) return false;
  if (REFUSED.test(line)) return true;
  return DENIED.test(line) && ADDRESS.test(line) && !isPrivileged(line);
}

/** Whether the line names a port that needs privileges on any system. */
function isPrivileged(line: string): boolean {
  const port = Number(PORT.exec(line)?.[1] ?? 0);
  return port > 0 && port < 1024;
}
