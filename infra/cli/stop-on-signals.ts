/** Aborts when the process is told to end, or the reader of its output has gone, as with `| head`. */
export function stopOnSignals(stdout: NodeJS.WriteStream): AbortSignal {
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  stdout.on('error', stop);
  return stopping.signal;
}
