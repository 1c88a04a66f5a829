import { isDeepStrictEqual } from 'node:util';
import { makeDynamoDbStore } from '../../functions/adapters/dynamodb/state-store.ts';
import { SnsTopic } from '../../functions/adapters/sns/event-topic.ts';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import { Random } from '../../infra/local/simulator/world/random.ts';
import { startTestAws, type TestAws } from '../support/aws.ts';
import { openQuarantine } from '../support/open-quarantine.ts';
import { spoilTable } from '../support/spoil-table.ts';
import type { Exploration } from './exploration.ts';
import { explore } from './explore.ts';
import { HttpService } from './http-service.ts';
import { readExactly } from './numbers.ts';
import type { Outcome } from './world.ts';

/** Runs histories on the embedded services, over HTTP, through the adapters that run in Lambda. */
export async function exploreEmbedded(seeds: Iterable<number>): Promise<Exploration> {
  const aws = await startTestAws();
  try {
    // Each history has a table, a topic and queues of its own.
    const claimCheck = await aws.createClaimCheck();
    const queues = new WeakMap<object, string>();
    return await explore(seeds, {
      maxShrinks: 50,
      async simulation({ luck }) {
        const http = new HttpService(new Random(luck, 'http'));
        const { topicArn, queueUrl } = await aws.createTopic();
        const { dynamodb } = aws.freshClients();
        const { sns } = aws.clients;
        const chance = new Random(luck, 'table');
        spoilTable(dynamodb, {
          isThrottled: () => chance.chance(0.1),
          isAnswerLost: () => chance.chance(0.05),
        });
        const options = {
          client: dynamodb,
          tableName: await aws.createTable(),
          retry: { maxTries: Infinity, baseDelayMs: 1, maxDelayMs: 2 },
        };
        const store = makeDynamoDbStore(options);
        // Virtual time would go on while the table answers.
        await store.openTable();
        const backend = {
          store,
          topic: new SnsTopic({ client: sns, topicArn, claimCheck }),
          quarantine: await openQuarantine(aws, options),
          readPage: http.page.bind(http),
        };
        queues.set(backend, queueUrl);
        return { backend };
      },
      inspect: async (outcome, { backend }) =>
        receivedDifferences(outcome, aws, queues.get(backend ?? {}) ?? ''),
    });
  } finally {
    await aws.close();
  }
}

async function receivedDifferences(
  { chronicle }: Outcome,
  aws: TestAws,
  queueUrl: string,
): Promise<string[]> {
  const received = (await aws.drain(queueUrl)).map(
    ({ Body }) => readExactly(Body ?? 'null') as ChangeEvent,
  );
  const delivered = [...chronicle.deliveries, ...chronicle.replays.deliveries];
  const accepted = delivered.flatMap(({ event, isQuarantined }) => (isQuarantined ? [] : event));
  const inOrder = (events: readonly ChangeEvent[]) =>
    events.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  return isDeepStrictEqual(inOrder(received), inOrder(accepted))
    ? []
    : [`subscribersReceiveWhatTheTopicAccepted: ${received.length} of ${accepted.length} events`];
}

function key({ id, recordedtime }: ChangeEvent): string {
  return `${id} ${recordedtime}`;
}
