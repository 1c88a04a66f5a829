import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { fetchProjects, ENTITY } from '../functions/adapters/service-api/service-client.ts';
import { rejection, serve } from '../support/local-server.ts';
import { CaseSite, PLANS } from './case-site.ts';

const BODY = JSON.stringify([ENTITY]);
const GZIP = gzipSync(BODY);

it('The service has moved and answers 301: not followed, and the error says where it leads', async () => {
  const location = 'https://eu.site-service.io/api/v3/projects/';
  const headers = { location: `${location}?key=s3cret` };
  const site = new CaseSite({
    answer: (_, path) =>
      path === '/projects' ? new Response('', { status: 301, headers }) : undefined,
  });
  await site.poll();
  expect(site.reports.join()).toContain(`301: Location: ${location}`);
  expect(site.reports.join()).not.toContain('s3cret');
  expect(site.service.requests.map(({ path }) => path)).not.toContain('/api/v3/projects/');
});

it.each([
  ['br', brotliCompressSync(BODY)],
  ['deflate', deflateRawSync(BODY)],
  ['gzip, gzip', gzipSync(GZIP)],
  ['gzip', GZIP.subarray(0, Math.floor(GZIP.length * 0.7))],
])('A body comes as %s: it is read if it is whole', async (encoding, bytes) => {
  const headers = { 'content-encoding': encoding, 'x-has-more': 'false' };
  const service = await serve((response) => response.writeHead(200, headers).end(bytes));
  const read = fetchProjects(service.url, { tries: 1 });
  if (encoding === 'gzip') expect(await rejection(read)).toMatchObject({ hint: /./ });
  else expect((await read).entities).toEqual([ENTITY]);
});

it('A service in Python writes NaN into one entity: the list is reported, and goes on once it is mended', async () => {
  const site = new CaseSite({
    answer: (request, path, { service }) => {
      if (path !== PLANS) return undefined;
      const { body, headers } = service.page(request);
      const mixed = body?.pipeThrough(new TextDecoderStream()).pipeThrough(
        new TransformStream<string, string>({
          transform: (text, out) => {
            out.enqueue(text.replaceAll('"NaN"', 'NaN'));
          },
        }),
      );
      return new Response(mixed?.pipeThrough(new TextEncoderStream()) ?? null, { headers });
    },
  });
  await site.poll();
  site.put(PLANS, 'f', { scale: 'NaN' });
  site.put(PLANS, 'other');
  expect(await site.poll(3)).toEqual([]);
  expect(site.reports.join()).toMatch(/must be JSON/);
  site.put(PLANS, 'f', { scale: 1 });
  expect((await site.poll(60)).sort()).toEqual(['floorplan.created other', 'floorplan.updated f']);
});
