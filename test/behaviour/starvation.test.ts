import { describe, expect, it } from 'vitest';
import { FeedError } from '../../functions/core/model/errors.ts';
import { PollHistory } from '../../functions/core/schedule/poll-history.ts';
import { encode, decode } from '../../functions/core/schedule/poll-history-codec.ts';
import { rankFeeds } from '../../functions/core/schedule/rank-feeds.ts';
import type { ServiceApi } from '../../functions/core/ports/service-api.ts';
import { feedOf } from '../support/samples.ts';
import { floorplansOf, liveSite } from '../support/site.ts';

const MINUTE = 60_000;
const LONGEST_WAIT_MS = 5 * MINUTE;

describe('where the lists just fit the longest wait, and each run remembers what the one before packed', () => {
  /** In which of so many minutes runs asked for one list of twelve, and for each other; it fails in some of them. */
  async function askedFor(minutes: number, isFailing: (minute: number) => boolean) {
    const site = await liveSite();
    for (let n = 1; n < 6; n += 1) site.project(`p${n}`, 3);
    await site.poll();
    const victim = floorplansOf('p2');
    const asked = new Map<string, number[]>();
    for (let minute = 0; minute < minutes; minute += 1) {
      let left = 4;
      const api: ServiceApi = {
        fetchPage(request, signal) {
          left -= 1;
          asked.set(request.path, [...(asked.get(request.path) ?? []), minute]);
          const fails = request.path === victim && isFailing(minute);
          if (fails) return Promise.reject(new FeedError('GET: 500', { hint: 'Wait.' }));
          return site.api.fetchPage(request, signal);
        },
        allowance: () => ({ requests: Math.max(0, left), perMinute: 4 }),
      };
      await site.poll({ maxWaitMs: LONGEST_WAIT_MS }, { api });
      site.clock.advance(MINUTE);
    }
    const ofVictim = asked.get(victim) ?? [];
    asked.delete(victim);
    return { ofVictim, ofOthers: [...asked.values()] };
  }

  /** The longest time between two of these minutes. */
  const longestGap = (minutes: readonly number[]): number =>
    Math.max(...minutes.slice(1).map((minute, i) => minute - (minutes[i] ?? 0)));

  it('polls a list that has failed once as soon as it is no longer put off, and in turns ever after', async () => {
    let failedIn: number | undefined;
    const { ofVictim, ofOthers } = await askedFor(60, (minute) => {
      if (minute <= 10 || failedIn !== undefined) return false;
      failedIn = minute;
      return true;
    });
    const failed = ofVictim.indexOf(failedIn ?? NaN);
    expect(ofVictim[failed + 1]).toBe((failedIn ?? NaN) + 1);
    for (const minutes of [ofVictim, ...ofOthers]) {
      expect(longestGap(minutes)).toBeLessThanOrEqual(5);
      expect(minutes.at(-1)).toBeGreaterThanOrEqual(55);
    }
  });

  it('asks a list that fails again and again no more often than it is put off, and the others in time', async () => {
    const { ofVictim, ofOthers } = await askedFor(145, (minute) => minute > 10);
    const tries = ofVictim.filter((minute) => minute > 10);
    const gaps = tries.slice(1).map((minute, i) => minute - (tries[i] ?? 0));
    expect(gaps).toEqual([1, 2, 4, 8, 16, 32, 60]);
    for (const minutes of ofOthers) expect(longestGap(minutes)).toBeLessThanOrEqual(5);
  });

  it('goes on in time with lists that are left unfinished each time', () => {
    const feeds = Array.from({ length: 12 }, (_, i) => feedOf({ projectId: `p${i}` }));
    const ids = feeds.map(({ id }) => id);
    const unfinished = new Set(ids.slice(0, 2));
    const polledAt = new Map(ids.map((id) => [id, 0]));
    let memory = new PollHistory();
    const waits: number[] = [];
    for (let turn = 1; turn <= 60; turn += 1) {
      const at = turn * MINUTE;
      const budget = { now: 3, perTurn: 3, turnMs: MINUTE, maxWaitMs: LONGEST_WAIT_MS };
      const options = { ...budget, at, random: () => 0.5 };
      for (const feed of rankFeeds(feeds, memory, options).feeds) {
        polledAt.set(feed.id, at);
        if (unfinished.has(feed.id)) memory.recordPartial(feed.id, at);
        else memory.polled(feed, feed, at);
      }
      memory = decode(encode(memory, ids, at), ids, at);
      waits.push(at + MINUTE - Math.min(...polledAt.values()));
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(LONGEST_WAIT_MS);
  });
});
