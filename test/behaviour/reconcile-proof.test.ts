import { describe, expect, it } from 'vitest';
import { FeedRefusedError } from '../../functions/core/model/errors.ts';
import { timeAt, type PageAnswer } from '../support/list-service.ts';
import { FLOORPLANS, knownSite, runReconciliation } from '../support/reconciled-site.ts';
import { FEED, PROJECTS, serviceFailure, type Site } from '../support/site.ts';

const whole: PageAnswer = (page) => page;
const fail: PageAnswer = () => Promise.reject(serviceFailure);

describe('a list that is wrong', () => {
  it('is not asked about when more is missing than may be, unless that is forced', async () => {
    const site = await knownSite();
    for (const id of ['f2', 'f3', 'f4']) site.api.destroy(FLOORPLANS, id);
    const { told, counts, problems } = await runReconciliation(site);
    expect(told).toEqual([]);
    expect(counts).toMatchObject({ stopped: 1, read: 2, deleted: 0 });
    const cause = '3 of 4 known entities are missing from it at once.';
    expect(problems).toEqual([{ list: FEED, outcome: 'stopped', cause }]);
    const asked = site.api.takePaths().filter((path) => path.startsWith(`${FLOORPLANS}/`));
    expect(asked).toEqual([]);
    expect(site.telemetry.counted('ReconcileListsFailed')).toBe(1);
    const forced = await runReconciliation(site, { id: '2', force: true });
    expect(forced.told).toEqual(['f2', 'f3', 'f4'].map((id) => `floorplan.deleted ${id}`));
  });

  it('deletes nothing if it is empty by mistake, with force neither', async () => {
    const site = await knownSite();
    for (const id of ['f2', 'f3', 'f4', 'f5']) site.api.hidden.add(id);
    const { told, counts } = await runReconciliation(site);
    expect([told, counts.stopped]).toEqual([[], 1]);
    const forced = await runReconciliation(site, { id: '2', force: true });
    expect([forced.told, forced.counts.listWrong]).toEqual([[], 4]);
  });

  it('deletes no project if no project is shown, with force neither: the permission may be gone', async () => {
    const site = await knownSite();
    site.api.destroy(PROJECTS, 'p');
    const { told, problems } = await runReconciliation(site, { force: true });
    expect(told).toEqual([]);
    expect(problems).toMatchObject([{ list: 'projects', outcome: 'failed' }]);
  });

  it.each<[string, Error, object]>([
    ['is refused', new FeedRefusedError('403', { status: 403, hint: 'Wait.' }), { failed: 1 }],
    ['fails in every run', serviceFailure, { failed: 1 }],
  ])('deletes nothing if it %s', async (_, error, counts) => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    const refuse = () => Promise.reject(error);
    site.api.answerNext(FLOORPLANS, ...Array.from({ length: 20 }, () => refuse));
    const found = await runReconciliation(site);
    expect(found.told).toEqual([]);
    expect(found.counts).toMatchObject({ deleted: 0, ...counts });
  });

  it('deletes nothing if it breaks off between two pages', async () => {
    const site = await knownSite(8);
    site.api.destroy(FLOORPLANS, 'f2');
    // Each run polls it once; then the reconciliation reads a page, and fails with the next.
    const answers = [whole, whole, fail];
    site.api.answerNext(FLOORPLANS, ...answers, ...answers, ...answers);
    const { told, problems } = await runReconciliation(site);
    expect(told).toEqual([]);
    expect(problems).toEqual([{ list: FEED, outcome: 'failed', cause: 'GET: 500' }]);
    expect(site.telemetry.logs).toContainEqual({
      level: 'warn',
      message: 'A list was not reconciled: GET: 500',
      fields: { feed: FEED, outcome: 'failed' },
    });
  });
});

describe('a 404 proves nothing', () => {
  const deletedProject = {
    ...{ id: 'p', updated_at: timeAt(900), deleted_at: timeAt(900) },
  };

  it.each<[string, (site: Site) => unknown, string]>([
    [
      'if the project is deleted meanwhile',
      ({ api }) =>
        api.entityAnswers.set('/projects/p', { verdict: 'found', entity: deletedProject }),
      'Its project is deleted.',
    ],
    [
      'if the project may not be seen',
      ({ api }) => api.entityAnswers.set('/projects/p', { verdict: 'forbidden' }),
      'Its project is forbidden.',
    ],
    [
      'if it comes for an entity that the list shows, too',
      ({ api }) => api.entityAnswers.set(`${FLOORPLANS}/f2`, { verdict: 'missing' }),
      'The service does not answer for f2, which the list shows, by its id.',
    ],
  ])('%s', async (_, arrange, cause) => {
    const site = await knownSite();
    site.api.destroy(FLOORPLANS, 'f3');
    arrange(site);
    const { told, problems } = await runReconciliation(site);
    expect(told).toEqual([]);
    expect(problems).toEqual([{ list: FEED, outcome: 'failed', cause }]);
  });

  it('of what changed less than the lookback ago: a copy may lag', async () => {
    const site = await knownSite(4, { lookbackMs: 60_000 });
    site.floorplan('p', 'fresh', 950);
    await site.catchUp();
    site.api.destroy(FLOORPLANS, 'fresh');
    expect((await runReconciliation(site)).told).toEqual([]);
  });
});
