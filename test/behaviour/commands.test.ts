import { describe, expect, it } from 'vitest';
import type { Scope } from '../../functions/control/protocol.ts';
import { emptySummary } from '../../functions/core/run/run-summary.ts';
import { change } from '../support/change.ts';
import { timeAt } from '../support/list-service.ts';
import { FEED, floorplansOf, liveSite, PROJECTS, serviceFailure } from '../support/site.ts';

const ALL: Scope = {};
const failure = () => Promise.reject(serviceFailure);

describe('a list that is paused', () => {
  it('is not polled, keeps its cursor, and loses nothing until it is resumed', async () => {
    const site = await liveSite();
    const before = await site.feed(FEED);
    await change(site, { command: 'pause', scope: { list: FEED } });
    site.floorplan('p', 'f', 10, { name: 'F' });
    expect(await site.paths()).not.toContain(floorplansOf('p'));
    expect(await site.poll()).toMatchObject({ paused: 1 });
    expect(await site.feed(FEED)).toMatchObject({ paused: true, cursor: before?.cursor });
    await change(site, { command: 'resume', scope: { list: FEED } });
    expect(await site.events()).toEqual(['floorplan.updated f']);
    expect(await site.feed(FEED)).not.toHaveProperty('paused');
  });

  it('is not polled when its project changes', async () => {
    const site = await liveSite();
    await change(site, { command: 'pause', scope: { projectId: 'p' } });
    site.project('p', 10, { deleted_at: timeAt(10) });
    expect(await site.paths()).toEqual([PROJECTS]);
    expect(await site.feed(FEED)).toMatchObject({ paused: true, parked: { until: 0 } });
  });

  it('leaves nothing to poll if all are: a run then costs no request', async () => {
    const site = await liveSite();
    await change(site, { command: 'pause', scope: ALL });
    expect(await site.paths()).toEqual([]);
    expect(await site.poll()).toEqual({ ...emptySummary(), paused: 3 });
    expect(await site.feed(FEED)).not.toHaveProperty('paused');
    await change(site, { command: 'resume', scope: ALL });
    expect(await site.paths()).toHaveLength(3);
  });
});

describe('retry', () => {
  it('has a list polled that backs off', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), failure);
    await site.poll();
    expect(await site.paths()).not.toContain(floorplansOf('p'));
    await change(site, { command: 'retry', scope: { list: FEED } });
    expect(await site.paths()).toContain(floorplansOf('p'));
  });
});

describe('rewind', () => {
  it('reads a list again from a time on: versions of the mirror raise nothing, a gap is published', async () => {
    const site = await liveSite();
    site.floorplans('p', 10, 16);
    await site.catchUp();
    site.api.put(floorplansOf('p'), { id: 'late', updated_at: timeAt(12), deleted_at: null });
    expect(await site.events()).toEqual([]);
    await change(site, { command: 'rewind', scope: { list: FEED }, to: timeAt(11) });
    expect(await site.events()).toEqual(['floorplan.created late']);
    expect(await site.events()).toEqual([]);
  });

  it('never moves a cursor ahead', async () => {
    const site = await liveSite();
    const { cursor } = (await site.feed(FEED)) ?? {};
    await change(site, { command: 'rewind', scope: ALL, to: timeAt(1000) });
    await site.poll();
    expect(await site.feed(FEED)).toMatchObject({ cursor });
  });
});

describe('a list that an operator changes during a run', () => {
  it('is read again by the next run, which does not fail for it', async () => {
    const site = await liveSite();
    site.floorplan('p', 'f', 10, { name: 'F' });
    site.api.answerNext(floorplansOf('p'), async (page) => {
      await change(site, { command: 'pause', scope: { list: FEED } });
      return page;
    });
    expect(await site.events()).toEqual(['floorplan.updated f']);
    expect(await site.feed(FEED)).toMatchObject({ paused: true, cursor: timeAt(2) });
    await change(site, { command: 'resume', scope: { list: FEED } });
    expect(await site.events()).toEqual([]);
    expect(await site.feed(FEED)).toMatchObject({ cursor: timeAt(10) });
  });
});
