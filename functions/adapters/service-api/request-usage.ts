import * as z from 'zod/mini';

/** What a client has spent of its limits. Times are milliseconds since 1970, in order. */
export interface RequestUsage {
  /** Starts of the last minute's requests. */
  readonly startTimes: readonly number[];
  readonly pausedUntil: number;
  /** The rate after the last 429, and when it began to recover. */
  readonly halvedTo: number;
  readonly halvedAt: number;
}

const encodedUsage = z.object({
  /** Requests by the second in which they started, since 1970. */
  starts: z.array(z.tuple([z.number(), z.number()])),
  pausedUntil: z.number(),
  halvedTo: z.number(),
  halvedAt: z.number(),
});

/** Encodes the usage in some hundred bytes, however many requests there were. */
export function encodeUsage({ startTimes, ...others }: RequestUsage): string {
  const bySecond = new Map<number, number>();
  for (const time of startTimes) {
    const second = Math.floor(time / 1000);
    bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
  }
  return JSON.stringify({ starts: [...bySecond], ...others });
}

/** Decodes the output of {@link encodeUsage}; each start counts as the end of its second. */
export function decodeUsage(encoded: string): RequestUsage | undefined {
  try {
    const usage = encodedUsage.safeParse(JSON.parse(encoded)).data;
    if (usage === undefined) return undefined;
    const { starts, ...others } = usage;
    const startTimes = starts.flatMap(([second, count]) =>
      new Array<number>(Math.min(count, 100_000)).fill(second * 1000 + 999),
    );
    return { startTimes, ...others };
  } catch {
    return undefined;
  }
}

/** The starts of both, where a second that both know counts once. */
export function mergeStarts(known: readonly number[], told: readonly number[]): number[] {
  const remaining = new Map<number, number>();
  for (const time of known) {
    const second = Math.floor(time / 1000);
    remaining.set(second, (remaining.get(second) ?? 0) + 1);
  }
  const added = told.filter((time) => {
    const second = Math.floor(time / 1000);
    const count = remaining.get(second) ?? 0;
    remaining.set(second, count - 1);
    return count <= 0;
  });
  return [...known, ...added].sort((a, b) => a - b);
}
