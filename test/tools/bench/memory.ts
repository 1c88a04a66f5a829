import { setTimeout as sleep } from 'node:timers/promises';
import { stateToRecord } from '../../../functions/adapters/dynamodb/entity-state-record.ts';
import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { pollOnce } from '../../support/as-deployed.ts';
import type { Figures, Scale } from './figures.ts';
import { feedsAfter, indexOfKey, knownChecklist } from './fixture/checklists.ts';
import { EncodingStore, EncodingTopic } from './fixture/encoding.ts';
import { localApi } from './fixture/service.ts';

/** What a larger backlog makes grow, in a process that runs with `--expose-gc`. */
export async function measureMemory(scale: Scale): Promise<Figures> {
  const [few, many] = scale === 'full' ? [10_000, 1_000_000] : [10, 10];
  // Compiles the code.
  await peakMb(few);
  const before = await peakMb(few);
  return { memoryGrowthMb: (await peakMb(many)) - before };
}

/**
 * The most memory that is alive while a run publishes a page of so many changed entities and reads
 * the next one. Pages are made when they are asked for.
 */
async function peakMb(entities: number): Promise<number> {
  const store = new EncodingStore((key) => stateToRecord(knownChecklist(indexOfKey(key), 0), 100));
  await store.addFeeds(feedsAfter(0));
  const topic = new EncodingTopic();
  // Collecting garbage takes a while: of many pages not all are looked at.
  const everyPages = Math.max(1, Math.floor(entities / 1000 / 50));
  let peak = 0;
  const publish = async (events: readonly ChangeEvent[]) => {
    if (topic.calls % everyPages === 0) {
      // Time enough for the next page to be read.
      await sleep(20);
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      peak = Math.max(peak, heapUsed + external);
    }
    return topic.publish(events);
  };
  const api = localApi({ entities, generation: 1 });
  await pollOnce({ api, store, topic: { publish } });
  if (topic.published < entities) throw new Error('not every change became an event');
  return peak / 1e6;
}
