import { afterEach, beforeEach, expect, vi } from 'vitest';

type Entry = Record<string, unknown>;

/** Captures what each test writes to standard output and standard error. */
export function captureOutput() {
  let written = '';
  const entries = (): Entry[] =>
    written
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Entry);
  beforeEach(() => {
    written = '';
    vi.stubEnv('POWERTOOLS_DEV', undefined);
    vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'sitecast-test');
    vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Sitecast');
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'INFO');
    for (const stream of [process.stdout, process.stderr]) {
      vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        written += String(chunk);
        return true;
      });
    }
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });
  return {
    text: () => written,
    entries,
    /** The only entry. */
    entry: (): Entry => {
      const all = entries();
      expect(all).toHaveLength(1);
      return all[0] ?? {};
    },
  };
}
