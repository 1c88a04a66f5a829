import { describe, expect, it } from 'vitest';
import { ProtocolError, ServiceError } from '../../../../functions/core/model/errors.ts';
import { answerWith, page, rejection, serve } from '../../../support/local-server.ts';
import { ENTITY as PROJECT, TOKEN, makeClient } from './service-client.ts';

describe('an entity that is asked for by its id', () => {
  const PATH = '/projects/p/floorplans/f';
  const fetchEntity = async (status: number, body: unknown, headers = {}) => {
    const service = await serve(answerWith(status, body, headers));
    const query = { with_current_sheet: 'true' };
    const answer = await makeClient(service.url, { tries: 1 }).fetchEntity({ path: PATH, query });
    expect(service.received[0]?.url).toBe(`/api/v3${PATH}?with_current_sheet=true`);
    return answer;
  };

  it('is found with the time by which it was read', async () => {
    const date = 'Mon, 02 Mar 2026 08:00:00 GMT';
    expect(await fetchEntity(200, PROJECT, { Date: date })).toEqual({
      verdict: 'found',
      entity: PROJECT,
      readAfter: expect.stringMatching(/^2026-03-02T0[78]:/) as unknown,
    });
  });

  it.each([
    [404, 'missing'],
    [403, 'forbidden'],
  ])('is, after a %i, %s', async (status, verdict) => {
    expect(await fetchEntity(status, {})).toEqual({ verdict });
  });

  it.each([
    ['an error status', 500, {}, ServiceError],
    ['a status that is no error of ours', 410, {}, ServiceError],
    ['a body that is no entity', 200, { id: 'f' }, ProtocolError],
  ])('has no verdict after %s', async (_, status, body, error) => {
    await expect(fetchEntity(status, body)).rejects.toThrow(error);
  });
});

describe('an operation', () => {
  const body = { name: 'Tower' };
  type Send = (client: ReturnType<typeof makeClient>) => Promise<unknown>;
  const checklists = '/projects/p/template_checklists';
  const floorplans = '/projects/p/floorplans';

  it.each<[string, string, Send]>([
    ['GET', '/projects/p%201', (c) => c.getProject('p 1')],
    ['POST', '/projects', (c) => c.createProject(body)],
    ['GET', `${checklists}/t%2F1`, (c) => c.getTemplateChecklist('p', 't/1')],
    ['POST', checklists, (c) => c.createTemplateChecklist('p', body)],
    ['PATCH', `${checklists}/t`, (c) => c.updateTemplateChecklist('p', 't', body)],
    ['GET', `${floorplans}/f`, (c) => c.getFloorplan('p', 'f')],
    [
      'GET',
      `${floorplans}/f?with_current_sheet=true`,
      (c) => c.getFloorplan('p', 'f', { withCurrentSheet: true }),
    ],
    ['PATCH', `${floorplans}/f`, (c) => c.updateFloorplan('p', 'f', body)],
    ['PUT', `${floorplans}/f/restore`, (c) => c.restoreFloorplan('p', 'f')],
    ['PUT', `${floorplans}/f/rotate`, (c) => c.rotateFloorplan('p', 'f')],
  ])('%s %s follows the spec and returns the entity', async (method, url, send) => {
    const service = await serve(answerWith(200, PROJECT));
    expect(await send(makeClient(service.url))).toEqual(PROJECT);
    const hasBody = method === 'POST' || method === 'PATCH';
    expect(service.received).toMatchObject([
      { method, url: `/api/v3${url}`, body: hasBody ? '{"name":"Tower"}' : '' },
    ]);
    expect(service.received[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json',
    });
    const contentType = service.received[0]?.headers['content-type'];
    expect(contentType).toBe(hasBody ? 'application/json' : undefined);
  });

  it.each<[string, Send]>([
    ['/projects', (c) => c.listProjects()],
    [
      `${checklists}?last_synced_at=2024-01-02T03%3A04%3A05.678Z`,
      (c) => c.listTemplateChecklists('p', { lastSyncedAt: '2024-01-02T03:04:05.678Z' }),
    ],
    [
      `${floorplans}?with_current_sheet=false`,
      (c) => c.listFloorplans('p', { withCurrentSheet: false }),
    ],
  ])('GET %s lists a page', async (url, send) => {
    const service = await serve((response) => page(response, [PROJECT]));
    const got = await send(makeClient(service.url));
    expect(got).toEqual({ entities: [PROJECT], invalid: [], hasMore: false });
    expect(service.received[0]?.url).toBe(`/api/v3${url}`);
  });

  it('may send a body with restore and rotate', async () => {
    const service = await serve(answerWith(200, PROJECT));
    await makeClient(service.url).rotateFloorplan('p', 'f', { degrees: 90 });
    expect(service.received[0]?.body).toBe('{"degrees":90}');
  });

  it('rejects an answer that is no entity', async () => {
    const service = await serve(answerWith(201, { name: 'no id' }));
    const error = await rejection(makeClient(service.url).createProject(body));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(String(error)).toContain('POST /projects: the body must be an entity, got');
    expect(service.received).toHaveLength(1);
  });

  it.each(['', '.', '..'])('refuses the id "%s", which a URL would swallow', async (id) => {
    const service = await serve(answerWith(200, PROJECT));
    await expect(makeClient(service.url).getFloorplan('p', id)).rejects.toThrow(RangeError);
    expect(service.received).toEqual([]);
  });
});
