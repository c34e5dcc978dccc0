/**
 * Recognises in the output of a red command that it was not let listen on a port, as in a sandbox without loopback: then it
 * proves nothing about the work (engine.md, Triage). Pure, and conservative: what a test says about such an error,
 * a file that may not be opened and a port below 1024 are none.
 */

/** What asks for a port or a socket, as a word of its own and no part of a path. */
const ASKS =
  /(?<![\w./-])(?:listen(?:er|ing)?|bind(?:ing)?|socket|stream_socket_server|TcpListener|create_server)(?![\w/-])|\b(?:Socket|Bind)Exception\b/i;
const REFUSED = /\bEPERM\b|operation not permitted/i;
const DENIED = /\bEACCES\b|permission denied/i;
/** An address of this machine; a port may follow. */
const ADDRESS = /(?<![\w.])(?:127(?:\.\d+){3}|0\.0\.0\.0|localhost|\[?::1?\]?)(?![\w.])/;
const PORT = /(?:[\]\d:t]:|\bport |', ?)(\d{1,5})\b/;

/** Calls that end in the same error and have nothing to do with a port. */
const ELSEWHERE =
  /(?<![\w.])(?:connect|unlink|chmod|f?chown|open|opendir|mkdir|rmdir|rename|u?mount|kill|link|symlink|utimes?|copyfile|scandir|setuid|setgid|ptrace|setsockopt|exec|spawn|sudo)(?![\w-])/i;

/** A test's title, a difference between what was expected and what was there, a line of source: what is said, not what happened. */
const SAID =
  /^\s*(?:[✓✔√✗✘×•]|(?:not )?ok \d|PASS\b|FAIL\b|--- (?:PASS|FAIL)|# Subtest|[+-] |>?\s*\d+\s*\||(?:Expected|Received|expected|actual)\b|(?:it|test|describe)\b)/;

/** Errors that name no call: what asked stands in the traceback, in Python before them, in Rust behind them. */
const BARE_BEFORE = /\bPermissionError: \[Errno 1\] Operation not permitted\s*$/;
const BARE_AFTER = /\bOs \{ code: 1, kind: PermissionDenied\b/;
const PYTHON_CALL = /\.bind\(|\.listen\(|socket\.__init__\(|socket\.socket\(|create_server\(|start_server\(/;
const RUST_CALL = /\b(?:TcpListener|UdpSocket|UnixListener)(?:>)?::bind\b|\bnet::socket\b/;
const BEFORE = 6;
const AFTER = 30;

/** Longest line that is looked at, in characters: nothing that says so is longer. */
const LINE = 2000;

/** The line that says so; null when none does. */
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

/** Whether a port is named that every system keeps for itself. */
function isPrivileged(line: string): boolean {
  const port = Number(PORT.exec(line)?.[1] ?? 0);
  return port > 0 && port < 1024;
}
