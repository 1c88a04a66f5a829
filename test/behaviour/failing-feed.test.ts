import { describe, expect, it } from 'vitest';
import {
  FeedRefusedError,
  RefreshTokenRejectedError,
  ServiceError,
} from '../../functions/core/model/errors.ts';
import { timeAt } from '../support/list-service.ts';
import { deletedAt, floorplansOf, liveSite, PROJECTS } from '../support/site.ts';

const HOUR = 3_600_000;

describe('a feed that fails', () => {
  const failure = () =>
    Promise.reject(new ServiceError('GET: 500', { status: 500, hint: 'Wait.' }));

  it('backs off alone, keeps its cursor, and catches up', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'F' });
    site.checklist('p', 'c', 10, []);
    site.api.answerNext(floorplansOf('p'), failure);
    const summary = await site.poll();
    expect(site.takeEvents().map(({ type }) => type)).toEqual(['template_checklist.created']);
    expect(summary).toMatchObject({ failing: 1, polled: 3 });
    expect(site.telemetry.counted('FeedsFailing')).toBe(1);
    expect(site.telemetry.counted('ProtocolErrors')).toBe(0);
    expect(await site.events()).toEqual([]);
    site.clock.advance(60_000);
    expect(await site.events()).toEqual(['floorplan.updated /projects/p/floorplans/f']);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({ failures: 0, notBefore: 0 });
  });

  it('in the middle of its list keeps the pages before', async () => {
    const site = await liveSite();
    for (let n = 10; n < 14; n += 1) site.floorplan('p', `f${n}`, n);
    site.api.answerNext(floorplansOf('p'), (page) => page, failure);
    expect(await site.events()).toHaveLength(2);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({
      cursor: timeAt(10.999),
      failures: 1,
    });
    site.clock.advance(60_000);
    expect(await site.events()).toEqual([
      'floorplan.created /projects/p/floorplans/f12',
      'floorplan.created /projects/p/floorplans/f13',
    ]);
  });

  it('behind the pages of its overlap waits longer each time all the same', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    for (let n = 3; n < 6; n += 1) site.floorplan('p', `f${n}`, n);
    await site.poll();
    const waits: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      site.api.answerNext(floorplansOf('p'), (page) => page, failure);
      await site.poll();
      const { notBefore = 0 } = (await site.feed('projects/p/floorplans')) ?? {};
      waits.push((notBefore - site.clock.now()) / 60_000);
      site.clock.advance(notBefore - site.clock.now());
    }
    expect(waits).toEqual([1, 2, 4, 8]);
  });

  it('while it is parked is seen to fail', async () => {
    const site = await liveSite();
    site.project('p', 10, deletedAt(10));
    await site.poll();
    site.clock.advance(HOUR);
    site.api.answerNext(floorplansOf('p'), failure);
    expect(await site.poll()).toMatchObject({ failing: 1, parked: 0 });
    expect(site.telemetry.counted('FeedsFailing')).toBe(1);
  });

  it('by breaking the protocol is counted as that, too', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), (page) => ({ ...page, hasMore: true }));
    expect(await site.poll()).toMatchObject({ failing: 1 });
    expect(site.telemetry.counted('ProtocolErrors')).toBe(1);
  });

  it('is not polled twice because its project is read again', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    site.floorplan('p', 'f', 10, { name: 'F' });
    site.api.takePaths();
    await site.poll();
    expect(site.api.takePaths().filter((path) => path === floorplansOf('p'))).toHaveLength(1);
  });

  it('by refusal is parked, asked again every hour, and goes on where it stopped', async () => {
    const site = await liveSite();
    site.api.refuse(floorplansOf('p'));
    expect(await site.poll()).toMatchObject({ parked: 1, failing: 0 });
    expect(site.telemetry.counted('FeedsParked')).toBe(1);
    site.floorplan('p', 'f', 10, { name: 'F' });
    site.api.takePaths();
    await site.poll();
    expect(site.api.takePaths()).not.toContain(floorplansOf('p'));
    site.clock.advance(HOUR);
    expect(await site.events()).toContain('floorplan.updated /projects/p/floorplans/f');
    expect(await site.feed('projects/p/floorplans')).not.toHaveProperty('parked');
  });

  it('by refusal is counted and named once, however often it is refused', async () => {
    const site = await liveSite();
    site.api.refuse(floorplansOf('p'));
    await site.poll();
    site.api.takePaths();
    site.clock.advance(HOUR);
    expect(await site.poll()).toMatchObject({ parked: 0, failing: 0, polled: 3 });
    expect(site.api.takePaths()).toContain(floorplansOf('p'));
    expect(site.telemetry.counted('FeedsParked')).toBe(1);
    expect(site.telemetry.logs).toHaveLength(1);
    const { notBefore = 0 } = (await site.feed('projects/p/floorplans')) ?? {};
    expect(notBefore - site.clock.now()).toBe(HOUR);
  });

  it('by refusal is asked again at once when its project changed', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), () =>
      Promise.reject(new FeedRefusedError('403', { status: 403, hint: 'Ask.' })),
    );
    await site.poll();
    site.project('p', 10, { name: 'shared again' });
    site.floorplan('p', 'f', 10, { name: 'F' });
    expect(await site.events()).toEqual([
      'project.updated /projects/p',
      'floorplan.updated /projects/p/floorplans/f',
    ]);
  });

  it('by refusal is not asked again because its project is merely read again', async () => {
    const site = await liveSite({ lookbackMs: 60_000 });
    site.api.refuse(floorplansOf('p'));
    await site.poll();
    site.api.takePaths();
    await site.poll();
    expect(site.api.takePaths()).not.toContain(floorplansOf('p'));
  });

  it('is not parked when it is the list of projects', async () => {
    const site = await liveSite();
    site.api.refuse(PROJECTS);
    expect(await site.poll()).toMatchObject({ parked: 0, failing: 1 });
  });

  it('for want of an access token keeps the others from being begun', async () => {
    const site = await liveSite();
    const rejected = new RefreshTokenRejectedError('refused', { hint: 'Put a valid one.' });
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(rejected));
    site.api.takePaths();
    await expect(site.poll({ concurrency: 1 })).rejects.toBe(rejected);
    expect(site.api.takePaths()).toEqual([PROJECTS, floorplansOf('p')]);
  });

  it('for want of an access token ends the run', async () => {
    const site = await liveSite();
    const rejected = new RefreshTokenRejectedError('refused', { hint: 'Put a valid one.' });
    site.api.answerNext(floorplansOf('p'), () => Promise.reject(rejected));
    await expect(site.poll()).rejects.toBe(rejected);
    // Also when it comes only after the run was told to stop.
    site.api.answerNext(floorplansOf('p'), async () => {
      site.clock.advance(45_000);
      await new Promise(setImmediate);
      return Promise.reject(rejected);
    });
    await expect(site.poll()).rejects.toBe(rejected);
    expect(await site.feed('projects/p/floorplans')).toMatchObject({
      failures: 0,
      cursor: timeAt(2),
    });
    expect(site.telemetry.counted('RunsCompleted')).toBe(1);
  });
});
