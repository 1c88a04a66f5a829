import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../functions/core/model/errors.ts';
import { Breaker } from '../../../../functions/core/run/breaker.ts';
import { feedOf } from '../../../support/samples.ts';

const NOW = 1_000_000;
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
