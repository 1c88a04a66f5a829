import { describe, expect, it } from 'vitest';
import { ProtocolError } from '../../../../functions/core/model/errors.ts';
import { json, page, rejection, serve } from '../../../support/local-server.ts';
import { TOKEN, makeClient } from './service-client.ts';

const PROJECT = {
  id: '2b0d1c5e-6f0a-4d0e-9a53-0d6f1f6d7a11',
  updated_at: '2024-01-02T03:04:05.678Z',
  deleted_at: null,
  name: 'Harbour',
  anything: { else: [1] },
};

describe('an operation', () => {
  const body = { name: 'Tower' };
  const client = (url: string) => makeClient(url);
  type Client = ReturnType<typeof client>;

  it.each<{ send: (client: Client) => Promise<unknown>; method: string; url: string }>([
    { send: (c) => c.getProject('p 1'), method: 'GET', url: '/projects/p%201' },
    { send: (c) => c.createProject(body), method: 'POST', url: '/projects' },
    {
      send: (c) => c.getTemplateChecklist('p', 't/1'),
      method: 'GET',
      url: '/projects/p/template_checklists/t%2F1',
    },
    {
      send: (c) => c.createTemplateChecklist('p', body),
      method: 'POST',
      url: '/projects/p/template_checklists',
    },
    {
      send: (c) => c.updateTemplateChecklist('p', 't', body),
      method: 'PATCH',
      url: '/projects/p/template_checklists/t',
    },
    { send: (c) => c.getFloorplan('p', 'f'), method: 'GET', url: '/projects/p/floorplans/f' },
    {
      send: (c) => c.getFloorplan('p', 'f', { withCurrentSheet: true }),
      method: 'GET',
      url: '/projects/p/floorplans/f?with_current_sheet=true',
    },
    {
      send: (c) => c.updateFloorplan('p', 'f', body),
      method: 'PATCH',
      url: '/projects/p/floorplans/f',
    },
    {
      send: (c) => c.restoreFloorplan('p', 'f'),
      method: 'PUT',
      url: '/projects/p/floorplans/f/restore',
    },
    {
      send: (c) => c.rotateFloorplan('p', 'f'),
      method: 'PUT',
      url: '/projects/p/floorplans/f/rotate',
    },
  ])('$method $url sends what the spec says and returns the entity', async (operation) => {
    const service = await serve((response) => json(response, 200, PROJECT));
    const got = await operation.send(client(service.url));
    const [request] = service.received;
    expect(got).toEqual(PROJECT);
    expect(`${request?.method} ${request?.url}`).toBe(
      `${operation.method} /api/v3${operation.url}`,
    );
    expect(request?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      accept: 'application/json',
    });
    const writesBody = operation.method === 'POST' || operation.method === 'PATCH';
    expect(request?.headers['content-type']).toBe(writesBody ? 'application/json' : undefined);
    expect(request?.body).toBe(writesBody ? '{"name":"Tower"}' : '');
  });

  it.each<{ send: (client: Client) => Promise<unknown>; url: string }>([
    { send: (c) => c.listProjects(), url: '/projects' },
    {
      send: (c) => c.listTemplateChecklists('p', { lastSyncedAt: '2024-01-02T03:04:05.678Z' }),
      url: '/projects/p/template_checklists?last_synced_at=2024-01-02T03%3A04%3A05.678Z',
    },
    {
      send: (c) => c.listFloorplans('p', { withCurrentSheet: false }),
      url: '/projects/p/floorplans?with_current_sheet=false',
    },
  ])('GET $url lists a page', async (operation) => {
    const service = await serve((response) => page(response, [PROJECT]));
    const got = await operation.send(client(service.url));
    expect(got).toEqual({ entities: [PROJECT], invalid: [], hasMore: false });
    expect(service.received[0]?.url).toBe(`/api/v3${operation.url}`);
  });

  it('may send a body with restore and rotate', async () => {
    const service = await serve((response) => json(response, 200, PROJECT));
    await client(service.url).rotateFloorplan('p', 'f', { degrees: 90 });
    expect(service.received[0]?.body).toBe('{"degrees":90}');
  });

  it('rejects an answer that is no entity', async () => {
    const service = await serve((response) => json(response, 201, { name: 'no id' }));
    const error = await rejection(client(service.url).createProject(body));
    expect(error).toBeInstanceOf(ProtocolError);
    expect(String(error)).toContain('POST /projects: the body is no entity: id must be');
    expect(service.received).toHaveLength(1);
  });

  it.each(['', '.', '..'])('refuses the id "%s", which a URL would swallow', async (id) => {
    const service = await serve((response) => json(response, 200, PROJECT));
    await expect(client(service.url).getFloorplan('p', id)).rejects.toThrow(RangeError);
    expect(service.received).toEqual([]);
  });
});
