import { describe, expect, it } from 'vitest';
import { change } from '../support/change.ts';
import { intercept } from '../support/intercept.ts';
import { timeAt, untilAborted } from '../support/list-service.ts';
import { settlePromises } from '../support/manual-clock.ts';
import {
  FEED,
  floorplansOf,
  liveSite,
  PROJECTS,
  serviceFailure,
  stopAfter,
} from '../support/site.ts';

/** Type of the first event of a call to publish. */
const firstType = ([events]: readonly unknown[]) => (events as { type: string }[])[0]?.type;

describe('the time of a run', () => {
  it('ends it between two pages, and the next run continues there', async () => {
    const site = await liveSite();
    site.floorplans('p', 10, 16);
    expect(await stopAfter(site, floorplansOf('p'), 1)).toMatchObject({ stoppedEarly: true });
    expect(site.telemetry.counted('StoppedEarly')).toBe(1);
    expect(site.takeEvents()).toHaveLength(2);
    expect(await site.feed(FEED)).toMatchObject({ cursor: timeAt(11) });
    expect(await site.events()).toHaveLength(4);
  });

  it('aborts the request in flight with its reason, also if jobs wait', async () => {
    const site = await liveSite();
    await change(site, { command: 'reconcile', scope: { list: FEED } });
    let reason: unknown;
    site.api.answerNext(floorplansOf('p'), (_page, signal) => {
      site.clock.advance(45_000);
      return untilAborted(signal).catch((error: unknown) => {
        reason = error;
        throw error;
      });
    });
    expect(await site.poll()).toMatchObject({ stoppedEarly: true, waiting: 0, polled: 3 });
    expect(reason).toMatchObject({ name: 'DeadlineReachedError' });
  });

  it('is not mistaken for the cause of another failure', async () => {
    const site = await liveSite();
    site.api.answerNext(floorplansOf('p'), async () => {
      site.clock.advance(45_000);
      await settlePromises();
      throw serviceFailure;
    });
    expect(await site.poll()).toMatchObject({ stoppedEarly: false, waiting: 1 });
    expect(await site.feed(FEED)).toMatchObject({ wait: { failures: 1 } });
  });

  it('keeps it from starting further feeds', async () => {
    const site = await liveSite();
    const summary = await stopAfter(site, PROJECTS, 0, { concurrency: 1 });
    expect(summary).toMatchObject({ stoppedEarly: true, polled: 1 });
    site.project('p', 10);
    site.checklist('p', 'c', 10, []);
    const slow = (type: string) =>
      intercept(site.topic, async ({ parameters, proceed }) => {
        if (firstType(parameters) === type) site.clock.advance(45_000);
        await settlePromises();
        return proceed();
      });
    const early = await site.poll({ concurrency: 1 }, { topic: slow('project.updated') });
    expect(early).toMatchObject({ stoppedEarly: true, polled: 1 });
    const last = await site.poll({ concurrency: 1 }, { topic: slow('template_checklist.created') });
    expect(last).toMatchObject({ stoppedEarly: false, polled: 3 });
  });
});
