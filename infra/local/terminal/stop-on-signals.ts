/** One Ctrl-C may arrive twice within this time, from the terminal and from npm. */
const SAME_SIGNAL_MS = 1_000;
/** Exit status of a process that SIGINT ended. */
const INTERRUPTED = 130;

/**
 * Aborts on the first SIGINT, SIGTERM or SIGHUP for an orderly stop. A second signal, at least one
 * second later, ends the process immediately.
 */
export function stopOnSignals(): AbortController {
  const stopping = new AbortController();
  let first = 0;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const now = performance.now();
      if (!stopping.signal.aborted) {
        first = now;
        stopping.abort();
      } else if (now - first > SAME_SIGNAL_MS) {
        process.exit(INTERRUPTED);
      }
    });
  }
  return stopping;
}
