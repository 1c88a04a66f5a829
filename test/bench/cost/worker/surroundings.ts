/**
 * What a poller talks to, as a process of its own: a service with a backlog, and AWS, over HTTP without
 * latencies. Tells its parent the port, and what it has counted whenever it is asked.
 */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { makeDynamoDbStore } from '../../../../functions/adapters/dynamodb/state-store.ts';
import { entityKey } from '../../../../functions/core/model/entity-state.ts';
import { firstAfter, makeChecklist, versionOf } from '../../fixture/checklists.ts';
import { idleFeeds, projectId } from '../../fixture/idle-feeds.ts';
import { SimulatedTable, TABLE_NAME } from '../../fixture/table.ts';
import type { Backlog, Counts } from './run-worker.ts';

const BEFORE = 0;
const NOW = 1;

/** A JWT of three parts is about as long as this; it is sent with each request. */
const ACCESS_TOKEN = 'x'.repeat(600);

const backlog = JSON.parse(process.argv[2] ?? '') as Backlog;
const behind = new Set<string>();
for (let i = 0; i < backlog.lists; i += 1) {
  behind.add(`/projects/${projectId(i)}/template_checklists`);
}

/** Words in no order, which are compressed about as well as what people write. */
const TEXT = Array.from({ length: Math.ceil(backlog.extraBytes / 3) }, (_, i) =>
  ((i * 2_654_435_761) % 2_097_143).toString(36),
).join(' ');

/** Made once: it has up to 120 MB. */
const TINY = backlog.tinyEntities === undefined ? undefined : tinyEntities(backlog.tinyEntities);

const table = new SimulatedTable();
const counts = { requests: 0, requestBytes: 0, awsCalls: 0, events: 0 };

function checklist(index: number, generation: number) {
  const { extraBytes } = backlog;
  const description = TEXT.slice(0, extraBytes);
  return { ...makeChecklist(index, generation), ...(extraBytes > 0 && { description }) };
}

function tinyEntities(count: number): string {
  const entities = Array.from({ length: count }, (_, id) => {
    return `{"id":"e${id}","updated_at":"${new Date(versionOf(id, NOW)).toISOString()}"}`;
  });
  return `[${entities.join(',')}]`;
}

async function fill(): Promise<void> {
  const store = makeDynamoDbStore({ client: table.quickClient, tableName: TABLE_NAME });
  await store.openTable();
  await store.addFeeds(idleFeeds(backlog.projects, versionOf(0, NOW) - 1));
  const known = Array.from({ length: backlog.entities }, (_, index) => {
    const content = checklist(index, BEFORE);
    const { id, updated_at: version } = content;
    const key = entityKey('template_checklist', id);
    return { key, version, sequence: version, deleted: false, content: () => content };
  });
  for (const path of behind) await store.saveStates(path.slice(1), known);
}

const server = createServer((request, response) => {
  void answer(request, response);
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const target = String(request.headers['x-amz-target'] ?? '');
  if (request.url?.startsWith('/api/v3/') === true) {
    answerService(request, response);
  } else if (request.url === '/api_keys/jwt') {
    sendJson(response, { access_token: ACCESS_TOKEN });
  } else {
    counts.awsCalls += 1;
    if (target.startsWith('DynamoDB_')) sendJson(response, await answerTable(target, body));
    else if (target.startsWith('AmazonSQS')) sendJson(response, acceptMessages(body));
    else if (target.startsWith('secretsmanager')) sendJson(response, { SecretString: 'token' });
    else answerTopic(body, response);
  }
}

function answerService(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '', 'http://localhost');
  const path = url.pathname.slice('/api/v3'.length);
  counts.requests += 1;
  counts.requestBytes += headBytes(request);
  if (TINY !== undefined && behind.has(path)) {
    response.writeHead(200, { 'x-has-more': 'false', date: new Date().toUTCString() }).end(TINY);
    return;
  }
  const entities = behind.has(path) ? pageOf(url, request) : [];
  const last = entities.at(-1)?.updated_at;
  const hasMore =
    last !== undefined && last < new Date(versionOf(backlog.entities - 1, NOW)).toISOString();
  const headers = { 'x-has-more': String(hasMore), 'x-count': String(entities.length) };
  sendJson(response, entities, {
    ...headers,
    ...(last !== undefined && { 'x-last-synced-at': last }),
  });
}

function pageOf(url: URL, request: IncomingMessage) {
  const since = Date.parse(url.searchParams.get('last_synced_at') ?? '');
  const first = firstAfter(since, NOW);
  const end = Math.min(first + Number(request.headers['service-per-page']), backlog.entities);
  return Array.from({ length: Math.max(0, end - first) }, (_, i) => checklist(first + i, NOW));
}

/** Bytes of the request line and the headers, as HTTP/1.1 sends them. */
function headBytes({ method = '', url = '', rawHeaders }: IncomingMessage): number {
  const lines = rawHeaders.reduce((bytes, text) => bytes + text.length + 2, 0);
  return `${method} ${url} HTTP/1.1\r\n`.length + lines + 2;
}

async function answerTable(target: string, body: string): Promise<object> {
  const command = {
    constructor: { name: target.split('.')[1] },
    input: JSON.parse(body) as object,
  };
  const send = table.quickClient.send.bind(table.quickClient) as unknown as (
    command: object,
  ) => Promise<object>;
  return send(command);
}

function acceptMessages(body: string): object {
  const { Entries } = JSON.parse(body) as { Entries: { Id: string; MessageBody: string }[] };
  const Successful = Entries.map(({ Id, MessageBody }) => ({
    Id,
    MessageId: Id,
    MD5OfMessageBody: hash('md5', MessageBody),
  }));
  return { Successful, Failed: [] };
}

function answerTopic(body: string, response: ServerResponse): void {
  const ids: string[] = [];
  for (const [name, value] of new URLSearchParams(body)) {
    if (/^PublishBatchRequestEntries\.member\.\d+\.Id$/.test(name)) ids.push(value);
  }
  counts.events += Math.max(1, ids.length);
  const members = ids.map((id) => `<member><Id>${id}</Id><MessageId>1</MessageId></member>`);
  const result = `<Successful>${members.join('')}</Successful><Failed/><MessageId>1</MessageId>`;
  const name = new URLSearchParams(body).get('Action') ?? '';
  response.writeHead(200, { 'content-type': 'text/xml' });
  response.end(`<${name}Response><${name}Result>${result}</${name}Result></${name}Response>`);
}

function sendJson(response: ServerResponse, value: object, headers: object = {}): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    date: new Date().toUTCString(),
    ...headers,
  });
  response.end(JSON.stringify(value, asBase64));
}

/** Binary values are base64 on the way. They are looked up, since a Buffer has been changed by now. */
function asBase64(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  const raw = this[key];
  return raw instanceof Uint8Array ? Buffer.from(raw).toString('base64') : value;
}

await fill();
server.listen(0, '127.0.0.1', () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on('message', () => process.send?.(counts satisfies Counts));
// Without the benchmark there is nobody to serve.
process.on('disconnect', () => process.exit());
