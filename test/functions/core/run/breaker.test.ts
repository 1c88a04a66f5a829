import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../functions/core/model/errors.ts';
import type { Feed } from '../../../../functions/core/model/feed.ts';
import { Breaker } from '../../../../functions/core/run/breaker.ts';
import { feedOf } from '../../../support/samples.ts';

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;
const asking = (retryAfterMs: number) =>
  new ServiceError('503', { status: 503, hint: 'Wait.', retryAfterMs });

describe('a breaker', () => {
  it('suspects the service if many lists have failed in the run before, and one can settle it', () => {
    const healthy = feedOf({ projectId: 'a' });
    const failing = { ...feedOf({ projectId: 'b' }), failures: 1 };
    const breaker = new Breaker({ failuresInARow: 5 });
    expect(breaker.isSuspect([failing, healthy])).toBe(true);
    expect(breaker.isSuspect([failing])).toBe(false);
    expect(new Breaker({ failuresInARow: 4 }).isSuspect([healthy])).toBe(false);
    breaker.succeeded(NOW);
    expect(breaker.isSuspect([healthy])).toBe(false);
  });

  it('waits only for as long as each list has asked that failed since one was read', () => {
    const breaker = new Breaker({});
    expect(breaker.open(NOW).retryAt).toBe(NOW);
    breaker.failed('a', asking(60_000));
    breaker.failed('b', asking(90_000));
    expect(breaker.open(NOW).retryAt).toBe(NOW + 60_000);
    breaker.succeeded(NOW);
    breaker.failed('c', asking(9e9));
    expect(breaker.open(NOW).retryAt).toBe(NOW + 3_600_000);
  });

  it('tells the next run of an outage, of its end for an hour, and of failures in a row', () => {
    const breaker = new Breaker({});
    expect(breaker.handover(NOW)).toEqual({});
    breaker.failed('a', asking(60_000));
    const outage = breaker.open(NOW);
    expect(breaker.handover(NOW)).toEqual({ outage, failuresInARow: 1 });
    expect(breaker.succeeded(NOW + 5)).toBe(outage);
    expect(breaker.handover(NOW + 5)).toEqual({ recoveredAt: NOW + 5 });
    expect(breaker.handover(NOW + 4 + HOUR)).toEqual({ recoveredAt: NOW + 5 });
    expect(breaker.handover(NOW + 5 + HOUR)).toEqual({});
  });

  it('keeps the cause of an outage until a list fails in another way', () => {
    const breaker = new Breaker({ outage: { since: 1, retryAt: 1, cause: 'before' } });
    expect(breaker.open(NOW)).toMatchObject({ since: 1, cause: 'before' });
    breaker.failed('a', asking(0));
    expect(breaker.open(NOW).cause).toBe('503');
  });

  it('wakes lists only if it knows the end of an outage', () => {
    const failing = { ...feedOf({ projectId: 'a' }), failures: 1, notBefore: NOW };
    expect(new Breaker({}).wake(failing)).toBe(failing);
    const recoveredAt = NOW - MINUTE;
    expect(new Breaker({ recoveredAt }).wake(failing).notBefore).toBe(0);
    const outage = { since: 0, retryAt: 0 };
    const recovered = new Breaker({ outage });
    recovered.succeeded(recoveredAt);
    expect(recovered.wake(failing).notBefore).toBe(0);
  });

  it('probes a minute after the last probe, unless the service has asked all lists to wait', () => {
    const waiting = feedOf({ projectId: 'a' });
    const due = feedOf({ projectId: 'a', notBefore: NOW + 1 });
    const breaker = new Breaker({});
    expect(breaker.canProbe([waiting], NOW)).toBe(true);
    breaker.failed('a', asking(0));
    breaker.open(NOW);
    expect(breaker.canProbe([waiting], NOW + MINUTE - 1)).toBe(false);
    expect(breaker.canProbe([waiting], NOW + MINUTE)).toBe(true);
    breaker.succeeded(NOW);
    breaker.failed('a', asking(HOUR));
    breaker.open(NOW);
    expect(breaker.canProbe([waiting], NOW + MINUTE)).toBe(false);
    expect(breaker.canProbe([waiting, due], NOW + MINUTE)).toBe(true);
    expect(breaker.canProbe([waiting], NOW + HOUR)).toBe(true);
  });

  it('probes the projects beside the others, no page that waits, and parked lists when they are due', () => {
    const list = feedOf({ projectId: 'a' });
    const { projectId: _, ...rest } = list;
    const projects: Feed = { ...rest, id: 'projects' };
    const uncommitted = feedOf({
      ...{ projectId: 'a', id: 'projects/a/uncommitted' },
      ...{ hasUncommittedPage: true, notBefore: NOW + 1 },
    });
    const parkedUntil = (notBefore: number) =>
      feedOf({ projectId: 'a', id: `projects/a/${notBefore}`, parked: 'refused', notBefore });
    const [early, due] = [parkedUntil(NOW + 1), parkedUntil(NOW)];
    const groupsOf = (feeds: readonly Feed[], random = 0) =>
      new Breaker({}).canaries(feeds, NOW, () => random).map((group) => group.map(({ id }) => id));
    expect(groupsOf([list, projects, uncommitted, early, due])).toEqual([
      ['projects', list.id, due.id],
    ]);
    expect(groupsOf([{ ...uncommitted, notBefore: NOW }])).toEqual([[uncommitted.id]]);
    const others = ['a', 'b'].map((projectId) => feedOf({ projectId }));
    expect(groupsOf(others, 0.5)).toEqual([[others[1]?.id]]);
  });

  it('probes one list of each resource, which has not failed', () => {
    const feeds = [
      ...['a', 'b'].map((projectId) => feedOf({ projectId })),
      ...['a', 'b'].map((projectId) => ({
        ...feedOf({ projectId }),
        id: `projects/${projectId}/sheets`,
        failures: projectId === 'a' ? 1 : 0,
      })),
    ];
    const [first = []] = new Breaker({}).canaries(feeds, NOW, () => 0);
    expect(first.map(({ id }) => id)).toEqual(['projects/a/floorplans', 'projects/b/sheets']);
  });
});
