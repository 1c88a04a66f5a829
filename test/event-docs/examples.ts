import { AccessTokenSource } from '../../functions/adapters/auth/access-token.ts';
import { ServiceApiClient } from '../../functions/adapters/service-api/service-client.ts';
import { makeMessage } from '../../functions/adapters/sns/message.ts';
import { type ChangeEvent, type ClaimCheckEvent } from '../../functions/core/contract/events.ts';
import { toClaimCheck } from '../../functions/core/events/make-event.ts';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import { run } from '../../functions/core/run/run.ts';
import { startSimulator, type Simulator } from '../../infra/local/simulator/simulator.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { MemoryQuarantine } from '../support/memory-quarantine.ts';
import { MemoryStore } from '../support/memory-store.ts';
import { MemoryTopic } from '../support/memory-topic.ts';
import { RecordingTelemetry } from '../support/recording-telemetry.ts';
import { deedsAt } from './deeds.ts';

/** An event that was published, for the documents. */
export interface Example<Event = ChangeEvent | ClaimCheckEvent> {
  /** A sentence about the change. */
  readonly title: string;
  readonly event: Event;
  /** The message attributes that it has on the topic. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The day on which the examples happened. */
const START = Date.parse('2026-03-02T08:00:00.000Z');
const MINUTE = 60_000;
const SIZE = { projects: 1, shortProjects: 0, floorplans: 1, checklists: 1, items: 2 };
/** Above what a topic takes, so that the example of a claim check is published whole. */
const ANY_SIZE = 10_000_000;

/**
 * Lets things happen at the simulated service, a minute apart, watches it as in Lambda, and returns what
 * was published. Nothing is left to chance: the examples are the same each time.
 */
export async function collectExamples(): Promise<Example[]> {
  const clock = new ManualClock(START);
  const service = await startSimulator({ now: () => clock.now(), size: SIZE, additional: true });
  try {
    const topic = new MemoryTopic();
    const poll = pollerOf(service, clock, topic);
    await poll();
    const examples: Example[] = [];
    for (const { title, type, happens, isTooLarge } of deedsAt(service)) {
      clock.advance(MINUTE);
      happens();
      clock.advance(MINUTE);
      const before = topic.published.length;
      await poll();
      const event = topic.published.slice(before).find((each) => each.type === type);
      if (event === undefined) throw new Error(`${title}: no ${type} was published`);
      examples.push({
        title,
        event: isTooLarge
          ? toClaimCheck(event, `s3://sitecast-events/events/${event.id}.json`)
          : event,
        attributes: attributesOf(event),
      });
    }
    return examples;
  } finally {
    await service.close();
  }
}

function pollerOf(
  service: Simulator,
  clock: ManualClock,
  topic: MemoryTopic,
): () => Promise<unknown> {
  const { baseUrl, authUrl, refreshToken } = service;
  const secret = { name: 'refresh-token', read: () => Promise.resolve(refreshToken) };
  const api = new ServiceApiClient({
    baseUrl,
    accessTokens: new AccessTokenSource({ authUrl, secret }),
    requestsPerMinute: 1e6,
    // Floorplans come with their sheet, checklists with their items.
    serviceVersion: '2021-01-01',
    clock,
  });
  const ports = {
    ...{ api, topic, clock, store: new MemoryStore() },
    ...{ quarantine: new MemoryQuarantine(), telemetry: new RecordingTelemetry() },
  };
  return () =>
    run(ports, {
      runId: 'examples',
      maxMissingShare: 0.5,
      shard: 0,
      partitions: Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition),
      catalog: makeCatalog(),
      source: 'https://service.example/api/v3',
      paging: { perPage: 1000, lookbackMs: MINUTE },
      baseline: 'silent',
      concurrency: 1,
      pagesPerTurn: 20,
      retentionMs: 400 * 24 * 60 * MINUTE,
      reserveMs: 10_000,
      remainingMs: () => 55_000,
      everyMs: MINUTE,
      maxWaitMs: 30 * MINUTE,
    });
}

function attributesOf(event: ChangeEvent): Record<string, string> {
  const { MessageAttributes = {} } = makeMessage(event, {
    maxBytes: ANY_SIZE,
    isFifo: false,
  }).entry;
  return Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue = '' }]) => [name, StringValue]),
  );
}
