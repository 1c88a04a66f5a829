import { expect, it } from 'vitest';
import { FEED_PARTITIONS } from '../../functions/core/model/feed.ts';
import { noCounts, sumCounts } from '../../functions/core/model/reconcile-report.ts';
import type { Ports } from '../../functions/core/ports/ports.ts';
import type { RunOptions } from '../../functions/core/run/run-options.ts';
import { makeClient } from '../functions/adapters/service-api/service-client.ts';
import { replaceCall } from '../support/intercept.ts';
import { timeAt } from '../support/list-service.ts';
import { settlePromises } from '../support/manual-clock.ts';
import { floorplansOf, Site } from '../support/site.ts';

const PARTITIONS = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
const FLOORPLANS = floorplansOf('p');

/** The body of an answer, and the headers that describe it. */
interface Body {
  readonly bytes: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

const utf8 = (value: unknown): Body => ({ bytes: Buffer.from(JSON.stringify(value)) });
const latin1Unsaid = (value: unknown): Body => ({
  bytes: Buffer.from(JSON.stringify(value), 'latin1'),
});
/** With a length: a small one waits for no memory. */
const latin1 = (value: unknown): Body => {
  const bytes = Buffer.from(JSON.stringify(value), 'latin1');
  const type = 'application/json; charset=iso-8859-1';
  return { bytes, headers: { 'content-type': type, 'content-length': String(bytes.length) } };
};

/** A caught-up site whose project has some floorplans; the list no longer shows those of these ids. */
async function siteThatHides(ids: readonly string[], knownCount = 2 * ids.length + 2) {
  const site = new Site({ clock: () => Date.parse(timeAt(1000)) });
  site.project('p', 1);
  site.floorplans('p', 2, 2 + knownCount);
  await site.poll();
  await site.catchUp();
  for (const id of ids) {
    site.api.hidden.add(id);
    site.floorplan('p', id, 900, { name: 'Müller' });
  }
  return site;
}

/**
 * Reconciles over HTTP.
 *
 * @param bodyOf makes the body of an entity, or of a page.
 */
async function reconcile(
  site: Site,
  bodyOf: (value: unknown, path: string) => Body,
  options: Partial<RunOptions> = {},
  ports: Partial<Ports> = {},
) {
  const respond = (value: unknown, path: string, headers: Record<string, string> = {}) => {
    const { bytes, headers: own } = bodyOf(value, path);
    const date = new Date(timeAt(1000)).toUTCString();
    return new Response(bytes, { headers: { date, ...own, ...headers } });
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.replace('/api/v3', '');
    const perPage = request.headers.get('Service-Per-Page');
    if (perPage === null) {
      const answer = await site.api.fetchEntity({ path });
      const isFound = answer.verdict === 'found';
      return isFound ? respond(answer.entity, path) : new Response('{}', { status: 404 });
    }
    const lastSyncedAt = searchParams.get('last_synced_at');
    const page = await site.api.fetchPage({
      ...{ path, perPage: Number(perPage) },
      ...(lastSyncedAt !== null && { lastSyncedAt }),
    });
    return respond(page.entities, path, {
      'X-Has-More': String(page.hasMore),
      ...(page.lastSyncedAt !== undefined && { 'X-Last-Synced-At': page.lastSyncedAt }),
    });
  };
  const api = makeClient('https://service.example', { fetch, tries: 1, maxBodyBytes: 5_000 });
  const command = { id: '1', name: 'reconcile', scope: {} } as const;
  await site.store.saveCommands(PARTITIONS.map((partition) => ({ partition, command })));
  for (let n = 0; n < 6; n += 1) {
    await site.poll(options, { api, ...ports });
    site.clock.advance(60_000);
  }
  const { reports } = await site.store.loadShard(PARTITIONS);
  return {
    isDone: (await site.store.loadCommands(PARTITIONS)).length === 0,
    told: site.takeEvents().map(({ partitionkey, data }) => [partitionkey, data.object.name]),
    counts: reports.reduce((sum, { counts }) => sumCounts(sum, counts), noCounts()),
  };
}

it('entities that are asked for by their ids have the text that their list would show', async () => {
  const site = await siteThatHides(['f3', 'f5', 'f7']);
  // All answers arrive while the topic accepts the first event.
  const topic = replaceCall(site.topic, 'publish', async ({ proceed }) => {
    for (let n = 0; n < 50; n += 1) await settlePromises();
    return proceed();
  });
  const { told, counts } = await reconcile(site, latin1, {}, { topic });
  expect(told.toSorted()).toEqual(['f3', 'f5', 'f7'].map((id) => [id, 'Müller']));
  // Each is counted once, though they were asked for together.
  expect(counts).toMatchObject({ updated: 3, listWrong: 3 });
});

it.each([
  ['is no text', latin1Unsaid, 'the body must be text in utf-8'],
  ['is too large', () => ({ bytes: Buffer.alloc(10_000, ' ') }), 'more than the memory allows'],
])(
  'an entity whose answer %s is counted and logged, not told, and others are',
  async (_, bad, cause) => {
    const site = await siteThatHides(['f3', 'f5']);
    const bodyOf = (value: unknown, path: string): Body =>
      path === `${FLOORPLANS}/f3` ? bad(value) : utf8(value);
    const { isDone, told, counts } = await reconcile(site, bodyOf);
    expect(told).toEqual([['f5', 'Müller']]);
    expect(isDone).toBe(true);
    expect(counts).toMatchObject({ unanswered: 1, listWrong: 1, read: 3, failed: 0 });
    expect(site.telemetry.logs).toContainEqual({
      level: 'warn',
      message: expect.stringContaining(cause) as unknown,
      fields: { feed: 'projects/p/floorplans', entity: 'f3' },
    });
  },
);
