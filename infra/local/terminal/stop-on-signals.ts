/** How a second Ctrl-C differs from the same one delivered twice, by the terminal and by npm. */
const SAME_SIGNAL_MS = 1_000;
/** Exit status of a process that SIGINT ended. */
const INTERRUPTED = 130;

/**
 * Aborts at the first SIGINT, SIGTERM or SIGHUP, so that everything can be stopped in order. A
 * second one, a second later at the earliest, ends the process at once.
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
