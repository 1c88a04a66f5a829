import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PublishCommand } from '@aws-sdk/client-sns';
import { idOf } from '../../functions/core/model/entity.ts';
import { PRICES } from './cost/prices.ts';
import { changedList, type ChangedList } from './fixture/changed-list.ts';
import { CHECKLISTS, feedsAfter } from './fixture/checklists.ts';
import { DEFAULTS } from './fixture/defaults.ts';
import { pollOnce } from './fixture/poller.ts';
import { after } from './fixture/sdk.ts';
import { TABLE_NAME } from './fixture/table.ts';
import { TOPIC_ARN } from './fixture/topic.ts';
import { LATENCY_MS } from './page-chain.ts';

/** What a notifier did with a list, all of which had changed. */
export interface PeerResult {
  readonly entities: number;
  readonly entitiesPerSecond: number;
  readonly serviceRequests: number;
  readonly awsCalls: number;
  /** For each million of entities, by list prices, without the service that is asked. */
  readonly usdPerMillion: number;
}

/**
 * The Lambda that most people would write: one list after another, one page after another, and for each
 * entity one `PutItem` and one `Publish`.
 */
async function pollPlainly({ table, topic, ports }: ChangedList): Promise<void> {
  let lastSyncedAt = feedsAfter(0)[1]?.cursor;
  for (;;) {
    const since = lastSyncedAt !== undefined && { lastSyncedAt };
    const page = await ports.api.fetchPage({ path: CHECKLISTS, perPage: 1000, ...since });
    for (const entity of page.entities) {
      const key = { pk: { S: CHECKLISTS }, sk: { S: idOf(entity) } };
      const content = JSON.stringify(entity);
      const Item = { ...key, content: { S: content } };
      await table.client.send(new PutItemCommand({ TableName: TABLE_NAME, Item }));
      await topic.client.send(new PublishCommand({ TopicArn: TOPIC_ARN, Message: content }));
    }
    if (!page.hasMore) return;
    lastSyncedAt = page.lastSyncedAt;
  }
}

/** Lets a notifier poll a changed list, and counts. */
async function measure(
  pages: number,
  latencyMs: typeof LATENCY_MS,
  poll: (list: ChangedList) => Promise<unknown>,
): Promise<PeerResult> {
  const list = await changedList(pages, {
    service: after(latencyMs.service),
    table: after(latencyMs.table),
    topic: after(latencyMs.topic),
  });
  const { entities, service, table, topic } = list;
  const start = performance.now();
  await poll(list);
  const seconds = (performance.now() - start) / 1000;
  const usd =
    seconds * (DEFAULTS.memoryMb / 1024) * PRICES.lambdaGbSecond +
    table.readUnits * PRICES.readUnit +
    table.writeUnits * PRICES.writeUnit +
    topic.billedRequests * PRICES.publishRequest;
  return {
    entities,
    entitiesPerSecond: entities / seconds,
    serviceRequests: service.requests,
    awsCalls: table.totalCalls + topic.calls,
    usdPerMillion: (usd / entities) * 1e6,
  };
}

/**
 * Ours and a plain one on the same pages of the same service, with the same latencies. The plain one gets
 * fewer pages, since it takes half a minute for each; both are the same for every page.
 */
export async function comparePeer(
  pages: { readonly ours: number; readonly plain: number },
  latencyMs = LATENCY_MS,
): Promise<{ readonly ours: PeerResult; readonly plain: PeerResult }> {
  const ours = await measure(pages.ours, latencyMs, ({ ports }) => pollOnce(ports));
  const plain = await measure(pages.plain, latencyMs, pollPlainly);
  return { ours, plain };
}
