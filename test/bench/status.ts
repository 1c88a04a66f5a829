import { BatchWriteItemCommand, CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { toItem } from '../../functions/adapters/dynamodb/attributes.ts';
import { feedRow } from '../../functions/adapters/dynamodb/feeds.ts';
import { makeDynamoDbStore } from '../../functions/adapters/dynamodb/state-store.ts';
import { control } from '../../functions/control/control.ts';
import { makeCatalog } from '../../functions/core/model/resource-catalog.ts';
import { makeClients } from '../../infra/local/stack/clients.ts';
import { NO_WEBHOOKS } from '../functions/control/no-webhooks.ts';
import { MemoryQuarantine } from '../support/memory-quarantine.ts';
import type { Bench } from './bench.ts';
import { idleFeeds } from './fixture/idle-feeds.ts';
import { TABLE_NAME } from './fixture/table.ts';

/** Items that a BatchWriteItem takes. */
const BATCH_SIZE = 25;

export const status: Bench = {
  name: 'status',
  rows: [
    {
      key: 'statusSeconds',
      definition:
        "Time in which the control function reports the status of 20,001 lists, one by one, from the local stack's " +
        'table: all pages of the answer as JSON, as the command line asks for them with --json.',
      goal: 5,
      unit: 's',
    },
  ],
  async measure(scale) {
    // Loaded only here: each measurement has a process of its own, and loads all modules of the others.
    const { startEmbeddedServices } =
      await import('../../infra/local/embedded/embedded-services.ts');
    const services = await startEmbeddedServices();
    const { dynamodb, destroy } = makeClients(services.endpoints);
    try {
      const store = makeDynamoDbStore({ client: dynamodb, tableName: TABLE_NAME });
      await fill(dynamodb, scale === 'full' ? 10_000 : 10);
      const context = {
        ...{ store, quarantine: new MemoryQuarantine(), catalog: makeCatalog() },
        ...{ shardCount: 1, webhooks: NO_WEBHOOKS, now: Date.now },
      };
      const start = performance.now();
      let after = '';
      let isWhole = false;
      while (!isWhole) {
        const answer = await control({ command: 'status', after }, context);
        if (!('lists' in answer)) throw new Error(JSON.stringify(answer));
        JSON.stringify(answer);
        after = answer.lists.at(-1)?.list ?? '';
        isWhole = answer.lists.length === answer.matchCount;
      }
      return { statusSeconds: (performance.now() - start) / 1000 };
    } finally {
      destroy();
      await services.close();
    }
  },
};

/** Fills a new table with the lists of so many projects. */
async function fill(
  client: ReturnType<typeof makeClients>['dynamodb'],
  projects: number,
): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: TABLE_NAME,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
    }),
  );
  const requests = idleFeeds(projects, Date.now() - 3_600_000).map((feed) => ({
    PutRequest: { Item: toItem(feedRow(feed)) },
  }));
  for (let start = 0; start < requests.length; start += BATCH_SIZE) {
    const RequestItems = { [TABLE_NAME]: requests.slice(start, start + BATCH_SIZE) };
    await client.send(new BatchWriteItemCommand({ RequestItems }));
  }
}
