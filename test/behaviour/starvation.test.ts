import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../functions/core/model/errors.ts';
import type { PartialApi } from '../support/complete-api.ts';
import { floorplansOf, liveSite } from '../support/site.ts';

const MINUTE = 60_000;
const MAX_WAIT_MS = 5 * MINUTE;

describe('lists that just fit the maximum wait', () => {
  /** Runs of this many minutes: when each of twelve lists was requested, one of which fails at times. */
  async function requestsOf(minutes: number, isFailing: (minute: number) => boolean) {
    const site = await liveSite();
    for (let n = 1; n < 6; n += 1) site.project(`p${n}`, 3 + n);
    for (let n = 0; n < 2; n += 1) await site.poll();
    const victim = floorplansOf('p2');
    const requests = new Map<string, number[]>();
    for (let minute = 0; minute < minutes; minute += 1) {
      let remaining = 4;
      const api: PartialApi = {
        fetchPage(request, signal) {
          remaining -= 1;
          requests.set(request.path, [...(requests.get(request.path) ?? []), minute]);
          const fails = request.path === victim && isFailing(minute);
          if (fails) return Promise.reject(new ServiceError('GET: 500', { hint: 'Wait.' }));
          return site.api.fetchPage(request, signal);
        },
        allowance: () => ({ requests: Math.max(0, remaining), perMinute: 4 }),
      };
      await site.poll({ maxWaitMs: MAX_WAIT_MS }, { api });
      site.clock.advance(MINUTE);
    }
    const ofVictim = requests.get(victim) ?? [];
    requests.delete(victim);
    return { ofVictim, ofOthers: [...requests.values()] };
  }

  const gapsOf = (minutes: readonly number[]): number[] =>
    minutes.slice(1).map((minute, i) => minute - (minutes[i] ?? 0));

  it('polls a list that has failed once in time, and in turns from then on', async () => {
    let failedIn: number | undefined;
    const { ofVictim, ofOthers } = await requestsOf(60, (minute) => {
      if (minute <= 10 || failedIn !== undefined) return false;
      failedIn = minute;
      return true;
    });
    const failed = ofVictim.indexOf(failedIn ?? NaN);
    expect(ofVictim[failed + 1]).toBeLessThanOrEqual((failedIn ?? NaN) + 5);
    for (const minutes of [ofVictim, ...ofOthers]) {
      expect(Math.max(...gapsOf(minutes))).toBeLessThanOrEqual(5);
      expect(minutes.at(-1)).toBeGreaterThanOrEqual(55);
    }
  });

  it('polls a list that keeps failing after each wait, and the others in time', async () => {
    const { ofVictim, ofOthers } = await requestsOf(145, (minute) => minute > 10);
    const tries = ofVictim.filter((minute) => minute > 10);
    expect(Math.max(...gapsOf(tries))).toBeLessThanOrEqual(10);
    for (const minutes of ofOthers) expect(Math.max(...gapsOf(minutes))).toBeLessThanOrEqual(5);
  });
});
