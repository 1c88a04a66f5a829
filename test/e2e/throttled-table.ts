import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AttributeValue, WriteRequest } from '@aws-sdk/client-dynamodb';
import { startListening, type LocalServer } from '../../infra/local/embedded/http-server.ts';

/** Write units a second that a new on-demand table takes: in all, and of one partition key. */
const [TABLE_UNITS, KEY_UNITS] = [4_000, 1_000];
/** Write units of each item, as if it had 20 KB: 500 take a partition key ten seconds. */
const ITEM_UNITS = 20;

type Item = Record<string, AttributeValue>;

/** The body of a call, as far as it writes. */
interface Call {
  readonly RequestItems?: Record<string, WriteRequest[]>;
  readonly Item?: Item;
  readonly Key?: Item;
}

/** A proxy in front of a table, which throttles writes as a new on-demand table does. */
export interface ThrottledTable extends LocalServer {
  /** Writes that were taken and throttled, each time they were sent. */
  readonly counts: { taken: number; throttled: number };
}

export async function startThrottledTable(dynamodb: string): Promise<ThrottledTable> {
  const counts = { taken: 0, throttled: 0 };
  const takes = limitRates();
  const count = (isTaken: boolean): boolean => {
    counts[isTaken ? 'taken' : 'throttled'] += 1;
    return isTaken;
  };
  const answer = async (headers: Record<string, string>, call: Call) => {
    const operation = headers['x-amz-target']?.split('.')[1] ?? '';
    const [table = ''] = Object.keys(call.RequestItems ?? {});
    const writes = call.RequestItems?.[table] ?? [];
    const isBatch = operation === 'BatchWriteItem';
    const single = /^(Put|Update|Delete)Item$/.test(operation)
      ? (call.Item ?? call.Key)
      : undefined;
    const sent = isBatch ? writes.map(itemOf) : single === undefined ? [] : [single];
    const isTaken = sent.map((item) => count(takes(item)));
    if (isTaken.length > 0 && !isTaken.includes(true)) return refusal;
    const taken = isBatch && { RequestItems: { [table]: writes.filter((_, i) => isTaken[i]) } };
    const response = await fetch(dynamodb, {
      method: 'POST',
      headers,
      body: JSON.stringify({ ...call, ...taken }),
    });
    const body = (await response.json()) as object;
    const rest = isBatch ? writes.filter((_, i) => !isTaken[i]) : [];
    const unprocessed = rest.length > 0 && { UnprocessedItems: { [table]: rest } };
    return { status: response.status, body: { ...body, ...unprocessed } };
  };
  const proxy = createServer((incoming, response) => {
    const { host, connection, 'content-length': _, ...headers } = incoming.headers;
    json(incoming)
      .then((call) => answer(headers as Record<string, string>, call as Call))
      .then(
        ({ status, body }) => {
          response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
          response.end(JSON.stringify(body));
        },
        () => response.destroy(),
      );
  });
  return { ...(await startListening(proxy)), counts };
}

const refusal = {
  status: 400,
  body: {
    __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
    message: 'The level of configured provisioned throughput for the table was exceeded.',
  },
};

const itemOf = ({ PutRequest, DeleteRequest }: WriteRequest): Item =>
  PutRequest?.Item ?? DeleteRequest?.Key ?? {};

/** @returns whether the table takes a write now. */
function limitRates(): (item: Item) => boolean {
  let second = 0;
  let used = 0;
  const usedByKey = new Map<string, number>();
  return (item) => {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) {
      [second, used] = [now, 0];
      usedByKey.clear();
    }
    const key = item['pk']?.S ?? '';
    const ofKey = (usedByKey.get(key) ?? 0) + ITEM_UNITS;
    if (used + ITEM_UNITS > TABLE_UNITS || ofKey > KEY_UNITS) return false;
    used += ITEM_UNITS;
    usedByKey.set(key, ofKey);
    return true;
  };
}
