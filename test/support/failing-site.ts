import { ServiceError } from '../../functions/core/model/errors.ts';
import type { Page } from '../../functions/core/ports/service-api.ts';
import type { PartialApi } from './complete-api.ts';
import { Site } from './site.ts';

/** An error of the service that is busy, and may say for how long. */
export const serviceBusy = (retryAfterMs = 0) =>
  new ServiceError('GET: 503', { status: 503, hint: 'Wait.', retryAfterMs });

/** A live site of seven lists, whose service fails while `isDown` says so. */
export async function failingSite() {
  const site = new Site();
  for (const id of ['p', 'q', 'r']) site.project(id, 1);
  await site.poll();
  site.api.takePaths();
  const state = {
    isDown: (() => false) as (path: string) => boolean,
    error: serviceBusy() as Error,
  };
  const api: PartialApi = {
    async fetchPage(request, signal): Promise<Page> {
      const page = await site.api.fetchPage(request, signal);
      if (state.isDown(request.path)) throw state.error;
      return page;
    },
  };
  const poll = async (minutes = 1) => {
    const summary = await site.poll({}, { api });
    const paths = site.api.takePaths();
    const logs = site.telemetry.logs.splice(0).map(({ level, message }) => `${level} ${message}`);
    site.clock.advance(minutes * 60_000);
    return { summary, paths, logs };
  };
  return { site, state, poll, api };
}
