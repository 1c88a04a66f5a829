import { describe, expect, it } from 'vitest';
import { type FeedError, ServiceError } from '../../../../functions/core/model/errors.ts';
import { ServiceHealth } from '../../../../functions/core/run/service-health.ts';

const hint = 'Wait.';
const busy = new ServiceError('GET: 503', { status: 503, hint });
const limited = new ServiceError('GET: 429', { status: 429, hint });
const refused = new ServiceError('GET: 403', { status: 403, hint });
const listsOf = (resource: string): string[] =>
  Array.from({ length: 9 }, (_, n) => `projects/${n}/${resource}`);
const FLOORPLANS = listsOf('floorplans');

describe('the polling of a resource', () => {
  it('ends with the fifth failure in a row, and that of no other does', () => {
    const health = new ServiceHealth(undefined);
    health.noteDue([...FLOORPLANS, ...listsOf('tasks')]);
    const fail = (count: number): void => {
      for (const id of FLOORPLANS.slice(0, count)) health.noteFailure(id, busy);
    };
    fail(4);
    health.noteRead('projects/5/floorplans');
    fail(4);
    for (const error of [refused, limited]) health.noteFailure('projects/6/floorplans', error);
    expect(health.hasEnded('projects/8/floorplans')).toBe(false);
    fail(1);
    expect(health.hasEnded('projects/8/floorplans')).toBe(true);
    expect(health.hasEnded('projects/8/tasks')).toBe(false);
    expect(health.endedCount).toBe(1);
  });

  it('ends once all its due lists have failed, if they are fewer', () => {
    const health = new ServiceHealth(undefined);
    health.noteDue(FLOORPLANS.slice(0, 1));
    health.noteDue(FLOORPLANS.slice(1, 2));
    health.noteFailure('projects/0/floorplans', busy);
    expect(health.endedCount).toBe(0);
    health.noteFailure('projects/1/floorplans', busy);
    expect(health.endedCount).toBe(1);
  });
});

describe('an outage', () => {
  const before = { since: 5, cause: 'ServiceError: before' };
  const outageAfter = (error?: FeedError) => {
    const health = new ServiceHealth(before);
    if (error !== undefined) health.noteFailure('projects', error);
    return health.outage(9);
  };

  it('is a run in which the service failed and nothing was read', () => {
    const health = new ServiceHealth(undefined);
    expect(health.outage(9)).toBeUndefined();
    health.noteFailure('projects', busy);
    expect(health.outage(9)).toEqual({ since: 9, cause: 'ServiceError: GET: 503' });
    health.noteRead('users');
    expect(health.outage(9)).toBeUndefined();
  });

  it('goes on until a run is none, and over runs that ask nothing', () => {
    expect(outageAfter()).toEqual(before);
    expect(outageAfter(busy)).toEqual({ since: 5, cause: 'ServiceError: GET: 503' });
    expect(outageAfter(refused)).toBeUndefined();
    const read = new ServiceHealth(before);
    read.noteRead('projects');
    expect(read.outage(9)).toBeUndefined();
  });
});
