import { EVENT_PROMISES } from './promises/event-promises.ts';
import type { Promised } from './promises/promised.ts';
import { RECONCILE_PROMISES } from './promises/reconcile-promises.ts';
import { REPLAY_PROMISES } from './promises/replay-promises.ts';
import { REPORT_PROMISES } from './promises/report-promises.ts';
import { RUN_PROMISES } from './promises/run-promises.ts';
import type { Outcome } from './world.ts';

/** What Sitecast promises, one function each; its name is the promise. */
export const PROMISES: readonly Promised[] = [
  ...EVENT_PROMISES,
  ...REPORT_PROMISES,
  ...REPLAY_PROMISES,
  ...RUN_PROMISES,
  ...RECONCILE_PROMISES,
];

/**
 * What an outcome breaks.
 *
 * @param names the promises to judge by. Default: all.
 */
export function violationsOf(outcome: Outcome, names?: readonly string[]): string[] {
  const promises = PROMISES.filter(({ name }) => names?.includes(name) ?? true);
  return promises.flatMap((promise) =>
    [...promise(outcome)].map((violation) => `${promise.name}: ${violation}`),
  );
}
