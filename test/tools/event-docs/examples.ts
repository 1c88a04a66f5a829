import { AccessTokenSource } from '../../../functions/adapters/auth/access-token.ts';
import { ServiceApiClient } from '../../../functions/adapters/service-api/service-client.ts';
import { makeMessage } from '../../../functions/adapters/sns/message.ts';
import type { ChangeEvent, ClaimCheckEvent } from '../../../functions/core/contract/events.ts';
import { events } from '../../../functions/core/contract/schemas.ts';
import { toClaimCheck } from '../../../functions/core/events/make-event.ts';
import { CHANGES, makeChange, type ChangeName } from '../../../infra/local/simulator/changes.ts';
import { startSimulator, type Simulator } from '../../../infra/local/simulator/simulator.ts';
import { Random } from '../../../infra/local/simulator/world/random.ts';
import { pollOnce } from '../../support/as-deployed.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { MemoryStore } from '../../support/memory-store.ts';
import { MemoryTopic } from '../../support/memory-topic.ts';

/** An event that was published, for the documents. */
export interface Example<Event = ChangeEvent | ClaimCheckEvent> {
  /** The change of the simulated service. */
  readonly title: string;
  readonly event: Event;
  /** The message attributes that it has on the topic. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** The day on which the examples happened. */
const START = Date.parse('2026-03-02T08:00:00.000Z');
const MINUTE = 60_000;
const SIZE = { projects: 1, shortProjects: 0, floorplans: 1, checklists: 1, items: 2 };
/** What a topic takes. */
const MAX_BYTES = 262_144;

/**
 * Makes each change of the simulated service's catalogue, a minute apart, watches as in Lambda, and
 * returns what was published. Nothing is left to chance: the examples are the same each time.
 */
export async function collectExamples(): Promise<Example[]> {
  const clock = new ManualClock(START);
  const service = await startSimulator({ now: () => clock.now(), size: SIZE });
  const random = new Random(1, 'examples');
  const topic = new MemoryTopic();
  const poll = pollerOf(service, clock, topic);
  const exampleOf = async (title: string, name: ChangeName): Promise<Example<ChangeEvent>> => {
    clock.advance(MINUTE);
    makeChange(name, service.world, random);
    clock.advance(MINUTE);
    const before = topic.published.length;
    await poll();
    const event = topic.published.slice(before).find(({ type }) => type === CHANGES[name].type);
    if (event === undefined) throw new Error(`${name}: no ${CHANGES[name].type} was published`);
    return { title, event, attributes: attributesOf(event) };
  };
  try {
    await poll();
    const examples: Example[] = [];
    for (const name of Object.keys(CHANGES) as ChangeName[]) {
      if (events.has(CHANGES[name].type as never)) examples.push(await exampleOf(name, name));
    }
    service.behaviour.deletedItems = 'left_out';
    examples.push(
      await exampleOf('delete item, which is left out of its checklist', 'delete item'),
    );
    const large = await exampleOf(
      'rename floorplan, an event too large for the topic',
      'rename floorplan',
    );
    const dataref = `s3://bucket/events/${large.event.id}.json`;
    return [...examples, { ...large, event: toClaimCheck(large.event, dataref) }];
  } finally {
    await service.close();
  }
}

function pollerOf(
  { baseUrl, authUrl, refreshToken }: Simulator,
  clock: ManualClock,
  topic: MemoryTopic,
): () => Promise<unknown> {
  const secret = { name: 'refresh-token', read: () => Promise.resolve(refreshToken) };
  const api = new ServiceApiClient({
    baseUrl,
    accessTokens: new AccessTokenSource({ authUrl, secret }),
    requestsPerMinute: 1e6,
    // Floorplans come with their sheet, checklists with their items.
    serviceVersion: '2021-01-01',
    clock,
  });
  const ports = { api, topic, clock, store: new MemoryStore() };
  return () => pollOnce(ports, { concurrency: 1 });
}

function attributesOf(event: ChangeEvent): Record<string, string> {
  const message = makeMessage(event, { maxBytes: MAX_BYTES, isFifo: false });
  const { MessageAttributes = {} } = message.entry;
  return Object.fromEntries(
    Object.entries(MessageAttributes).map(([name, { StringValue = '' }]) => [name, StringValue]),
  );
}
