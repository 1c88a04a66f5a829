/**
 * Polls a list of so many changed entities, whose pages are made when they are asked for, and prints the
 * peak of the memory that was alive meanwhile, in bytes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { stateToRecord } from '../../functions/adapters/dynamodb/entity-state-record.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { feedsAfter, indexOfKey, knownChecklist } from './fixture/checklists.ts';
import { EncodingStore, EncodingTopic } from './fixture/encoding.ts';
import { answerList } from './fixture/pages.ts';
import { pollOnce } from './fixture/poller.ts';
import { makeApi } from './fixture/service.ts';

const entities = Number(process.argv[2]);
/** Collecting takes a while: of many pages not all are looked at. */
const everyPages = Math.max(1, Math.floor(entities / 1000 / 50));

let peak = 0;
let pages = 0;

class WatchedTopic extends EncodingTopic {
  override async publish(events: readonly ChangeEvent[]) {
    if (pages++ % everyPages === 0) {
      // Time enough for the next page to be read.
      await sleep(20);
      globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      peak = Math.max(peak, heapUsed + external);
    }
    return super.publish(events);
  }
}

const store = new EncodingStore((key) => stateToRecord(knownChecklist(indexOfKey(key), 0), 100));
await store.addFeeds(feedsAfter(0));
const topic = new WatchedTopic();
const api = makeApi('http://service.invalid', (input, init) => {
  const { url, headers } = new Request(input, init);
  const perPage = Number(headers.get('service-per-page'));
  const page = answerList(url, perPage, { entities, generation: 1 });
  return Promise.resolve(new Response(page.body, { headers: page.headers }));
});
await pollOnce({ api, store, topic });
if (topic.published < entities) throw new Error('not every change became an event');
process.stdout.write(String(peak));
