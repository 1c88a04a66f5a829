import { readFileSync } from 'node:fs';

/** The largest resident set that this process has had, in MB. */
export function peakMb(): number {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    // Unlike `maxRSS` it knows nothing of the process that this one was forked from.
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  } catch {
    return process.resourceUsage().maxRSS / 1024;
  }
}
