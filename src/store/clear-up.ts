/**
 * Runs a step of clearing up. Its failure is dropped: it must hide neither what was achieved nor what went wrong before,
 * and whatever stays is recognised as left behind by the next call.
 */
export function clearUp(step: () => void): void {
  try {
    step();
  } catch {
    // See above.
  }
}
