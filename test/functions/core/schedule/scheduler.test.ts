import { expect, it } from 'vitest';
import { newFeed } from '../../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../../functions/core/model/resource-catalog.ts';
import { decode } from '../../../../functions/core/schedule/poll-history-codec.ts';
import { openScheduler } from '../../../../functions/core/schedule/scheduler.ts';
import { Site } from '../../../support/site.ts';

it('a run that has polled all lists, but one not to its end, says so to the next one', async () => {
  const { store, api, telemetry, clock } = new Site().ports;
  const feeds = makeCatalog().perProject.map((resource) => newFeed(resource, 'live', { id: 'p' }));
  const [unfinished, finished] = feeds.map(({ id }) => id);
  const options = { shard: 0, everyMs: 60_000, maxWaitMs: 600_000 };
  const scheduler = await openScheduler({ store, api, telemetry, clock }, options, feeds);
  scheduler.rankFeeds(feeds, 60_000, 50_000);
  const byId = new Map(feeds.map((feed) => [feed.id, feed]));
  const polls = new Map([
    [unfinished ?? '', false],
    [finished ?? '', true],
  ]);
  scheduler.recordSweep(
    { get: (id) => byId.get(id) ?? newFeed(makeCatalog().projects, 'live') },
    polls,
  );
  await scheduler.save(feeds, {});
  const history = decode(await store.loadPollHistory(0), byId.keys(), clock.now());
  expect([...polls.keys()].map((id) => history.isUnfinished(id))).toEqual([true, false]);
});
