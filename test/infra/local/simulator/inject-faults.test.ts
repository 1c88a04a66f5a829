import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../../infra/local/simulator/behaviour.ts';
import {
  readEntities,
  readObject,
  sendRequest,
  statusesOf,
  shareService,
  TestService,
} from './support.ts';

describe('a fault', () => {
  const shared = shareService();
  /** The shared service with these faults and no others. */
  const serviceWith = (...faults: Fault[]): TestService => {
    shared().running.behaviour.faults = faults;
    return shared();
  };

  it('answers with its status, and with Retry-After if it has one', async () => {
    for (const status of [401, 403, 404, 408, 422, 429, 500, 502, 503, 504]) {
      const answer = await serviceWith({ kind: 'status', status, path: '/api/*' }).api('/projects');
      expect(answer.status).toBe(status);
      expect(readObject(answer)['error']).toBe('simulated');
      expect(answer.headers.get('Retry-After')).toBeNull();
    }
    const fault = { kind: 'status', status: 429, retryAfter: 7, path: '/api/*' } as const;
    const answer = await serviceWith(fault).api('/projects');
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([429, '7']);
  });

  it('fails as many requests as `next` says, then is removed', async () => {
    const service = serviceWith({ kind: 'status', status: 503, next: 2, path: '/api/*' });
    expect(await statusesOf(service, ['/projects', '/projects', '/projects'])).toEqual([
      503, 503, 200,
    ]);
    expect(service.running.behaviour.faults).toEqual([]);
  });

  it('fails only requests with its path and its method', async () => {
    const service = serviceWith();
    const { projectId, running } = service;
    const other = running.world.projects.create({ name: 'Other' }).id;
    running.behaviour.faults.push(
      { kind: 'status', status: 403, path: `/api/v3/projects/${projectId}/*` },
      { kind: 'status', status: 500, path: '/api/v3/projects', method: 'POST' },
    );
    const paths = [
      `/projects/${projectId}`,
      `/projects/${projectId}/floorplans`,
      `/projects/${projectId}/template_checklists`,
      `/projects/${other}/floorplans`,
      '/projects',
    ];
    expect(await statusesOf(service, paths)).toEqual([200, 403, 403, 200, 200]);
    const created = await service.api('/projects', { method: 'POST', body: { name: 'x' } });
    expect(created.status).toBe(500);
  });

  it('reads every character of its path literally but the star', async () => {
    const service = serviceWith({ kind: 'status', status: 500, path: '/api/v3/project.' });
    expect(await statusesOf(service, ['/projects'])).toEqual([200]);
  });

  it('fails the same requests for the same seed when it has a probability', async () => {
    const paths = Array.from({ length: 40 }, () => '/projects');
    const fault = { kind: 'status', status: 500, path: '/api/*', probability: 0.5 } as const;
    const one = await statusesOf(
      await TestService.start({ behaviour: { faults: [{ ...fault }] } }),
      paths,
    );
    const same = await statusesOf(
      await TestService.start({ behaviour: { faults: [{ ...fault }] } }),
      paths,
    );
    expect(same).toEqual(one);
    expect(new Set(one)).toEqual(new Set([200, 500]));
  });

  it('can make the token endpoint fail', async () => {
    const service = serviceWith({ kind: 'status', status: 500, path: '/auth/api_keys/jwt' });
    const answer = await sendRequest(`${service.running.authUrl}/api_keys/jwt`, {
      method: 'POST',
      body: { api_token: service.running.refreshToken },
    });
    expect(answer.status).toBe(500);
  });

  it('can delay an answer, and a closing service does not wait for it', async () => {
    const fault = { kind: 'slow', delayMs: 60_000, next: 1, path: '/api/*' } as const;
    const { api, running } = await TestService.start({ behaviour: { faults: [fault] } });
    const answer = api('/projects').then(
      () => 'answered',
      () => 'cut',
    );
    await expect.poll(() => running.behaviour.faults.length).toBe(0);
    await running.close();
    expect(await answer).toBe('cut');
  });

  it('can delay an answer that is then complete', async () => {
    const service = serviceWith({ kind: 'slow', delayMs: 20, path: '/api/*' });
    expect(readEntities(await service.api('/projects')).length).toBeGreaterThan(0);
  });

  it('can close the connection without an answer', async () => {
    const service = serviceWith({ kind: 'disconnect', next: 1, path: '/api/*' });
    await expect(service.api('/projects')).rejects.toThrow('fetch failed');
    expect(await statusesOf(service, ['/projects'])).toEqual([200]);
  });

  it('can cut a body, so that it is no JSON', async () => {
    const service = serviceWith({ kind: 'cut_body', path: '/api/*' });
    const answer = await service.api('/projects');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('X-Count')).not.toBeNull();
    expect(() => readObject(answer)).toThrow(SyntaxError);
  });

  it('can wrap a body, so that it is no array', async () => {
    const service = serviceWith({ kind: 'wrap_body', path: '/api/*' });
    expect(readObject(await service.api('/projects'))).toEqual({
      data: service.running.world.projects.list.all(),
    });
  });

  it('can show an empty list by mistake, and the entities by their ids', async () => {
    const service = serviceWith({ kind: 'empty_list', path: '/api/*' });
    const answer = await service.api('/projects');
    expect(answer.text).toBe('[]');
    expect(
      ['X-Count', 'X-Has-More', 'X-Last-Synced-At'].map((name) => answer.headers.get(name)),
    ).toEqual(['0', 'false', null]);
    const [project] = service.running.world.projects.list.all();
    expect(readObject(await service.api(`/projects/${project?.id}`))).toEqual(project);
  });

  it('can spoil the last entity of a list, and of nothing else', async () => {
    const service = serviceWith({ kind: 'invalid_entity', path: '/api/*' });
    const projects = service.running.world.projects.list.all();
    const [last] = projects.slice(-1);
    const answer = await service.api('/projects');
    expect(readObject(answer)).toEqual([
      ...projects.slice(0, -1),
      { ...last, deleted_at: 'never' },
    ]);
    expect(readObject(await service.api(`/projects/${last?.id}`))).toEqual(last);
    const later = await service.api(`/projects?last_synced_at=${last?.updated_at}`);
    expect(later.text).toBe('[]');
  });

  it.each(['X-Count', 'X-Has-More', 'X-Last-Synced-At', 'Date'] as const)(
    'can remove or change the header %s and nothing else',
    async (name) => {
      const service = serviceWith();
      const plain = await service.api('/projects');
      for (const value of [null, 'perhaps']) {
        service.running.behaviour.faults = [{ kind: 'header', name, value, path: '/api/*' }];
        const answer = await service.api('/projects');
        expect(answer.headers.get(name)).toBe(value);
        expect(answer.text).toBe(plain.text);
        const others = (headers: Headers) =>
          [...headers].filter(
            ([key]) => key !== name.toLowerCase() && !/length|encoding/.test(key),
          );
        expect(others(answer.headers)).toEqual(others(plain.headers));
      }
    },
  );

  it('applies together with other faults', async () => {
    const service = serviceWith(
      { kind: 'header', name: 'X-Has-More', value: null, path: '/api/*' },
      { kind: 'wrap_body', path: '/api/*' },
      { kind: 'slow', delayMs: 1, path: '/api/*' },
    );
    const answer = await service.api('/projects');
    expect(answer.headers.get('X-Has-More')).toBeNull();
    expect(readObject(answer)).toHaveProperty('data');
  });
});
