import { onTestFinished } from 'vitest';
import { AccessTokenSource } from '../../functions/adapters/auth/access-token.ts';
import { systemClock } from '../../functions/adapters/clock/system-clock.ts';
import { ServiceApiClient } from '../../functions/adapters/service-api/service-client.ts';
import { startSimulator } from '../../infra/local/simulator/simulator.ts';
import { timeAt, ListService } from '../support/list-service.ts';
import { describeServiceApi } from './service-api.ts';

describeServiceApi('ListService', () => {
  const api = new ListService();
  api.clear('/projects');
  let made = 0;
  return Promise.resolve({
    api,
    makeProject: (name) => {
      made += 1;
      const id = `project-${made}`;
      api.put('/projects', { id, name, updated_at: timeAt(made), deleted_at: null });
      return id;
    },
  });
});

describeServiceApi('ServiceApiClient', async () => {
  let now = Date.parse(timeAt(0));
  const service = await startSimulator({ size: { projects: 0, shortProjects: 0 }, now: () => now });
  onTestFinished(() => service.close());
  const { baseUrl, authUrl, refreshToken, world } = service;
  const secret = { name: 'refresh-token', read: () => Promise.resolve(refreshToken) };
  return {
    api: new ServiceApiClient({
      baseUrl,
      accessTokens: new AccessTokenSource({ authUrl, secret }),
      requestsPerMinute: 10_000,
      clock: systemClock,
    }),
    makeProject: (name) => {
      now += 1000;
      return world.projects.create({ name }).id;
    },
  };
});
