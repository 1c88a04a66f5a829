import { describe, expect, it } from 'vitest';
import { PageTooSlowError } from '../../functions/core/model/errors.ts';
import type { PartialApi } from '../support/complete-api.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { checklistsOf, Site } from '../support/site.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Time of an attempt; a page that takes longer is requested smaller, four times in all. */
const ATTEMPT_MS = 10 * SECOND;
const tooSlow = new PageTooSlowError('no answer in time', { hint: 'Wait.' });

/** Runs of 55 seconds, as the default config has them, on a service that answers some lists in no time at all. */
async function hangingSite(projectCount: number) {
  const site: Site = new Site({ clock: () => site.clock.now() });
  const projects = Array.from({ length: projectCount }, (_, n) => `p${n}`);
  for (const id of projects) site.project(id, 1);
  const { clock } = site;
  const options = {
    paging: { perPage: 1000, lookbackMs: 0 },
    concurrency: 8,
    leaseMs: 30 * SECOND,
  };
  await site.poll(options);
  const state = { isHanging: (() => false) as (path: string) => boolean };
  /** When the lists were read. */
  const reads = new Map<string, number[]>();
  const api: PartialApi = {
    async fetchPage(request, signal) {
      signal?.throwIfAborted();
      const isHanging = state.isHanging(request.path);
      await clock.sleep(isHanging ? ATTEMPT_MS : 0.2 * SECOND, signal);
      signal?.throwIfAborted();
      if (isHanging) throw tooSlow;
      reads.set(request.path, [...(reads.get(request.path) ?? []), clock.now()]);
      return site.api.fetchPage(request, signal);
    },
  };
  /** One run, and the rest of its minute. */
  const tick = async (perPage = 1000) => {
    const startedAt = clock.now();
    const paging = { perPage, lookbackMs: 0 };
    const remainingMs = () => startedAt + 55 * SECOND - clock.now();
    let hasEnded = false;
    const polling = site
      .poll({ ...options, paging, remainingMs }, { api })
      .finally(() => (hasEnded = true));
    for (;;) {
      for (let turn = 0; turn < 5 && !hasEnded; turn += 1) await settlePromises();
      if (hasEnded) break;
      clock.advanceToNext();
    }
    clock.advance(Math.max(0, startedAt + MINUTE - clock.now()));
    return polling;
  };
  clock.advance(MINUTE);
  return { site, projects, state, reads, tick };
}

describe('an outage in which the service gives no answer', () => {
  it.each([30])(
    'of %i projects is noticed by the first run, and delays no list for more than five minutes',
    async (count) => {
      const { site, state, tick } = await hangingSite(count);
      state.isHanging = () => true;
      const outages = [];
      for (let minute = 0; minute < 8; minute += 1) outages.push((await tick()).outageSince);
      expect(outages).not.toContain(undefined);
      state.isHanging = () => false;
      for (let minute = 0; minute < 5; minute += 1) await tick();
      expect(await tick()).toMatchObject({ polled: 1 + 2 * count, waiting: 0 });
      expect(site.telemetry.logs.at(-1)?.message).toBe('The service works again');
    },
  );
});

describe('while one kind of list gets no answer', () => {
  const isFloorplans = (path: string) => path.endsWith('floorplans');

  it('the others are read each minute, once each list has failed', async () => {
    const { projects, state, reads, tick } = await hangingSite(40);
    state.isHanging = isFloorplans;
    for (let minute = 0; minute < 12; minute += 1) await tick();
    reads.clear();
    for (let minute = 0; minute < 30; minute += 1) {
      expect(await tick()).not.toHaveProperty('outageSince');
    }
    for (const id of projects) {
      const minutes = (reads.get(checklistsOf(id)) ?? []).map((at) => Math.floor(at / MINUTE));
      expect(new Set(minutes).size).toBe(30);
    }
  });
});
