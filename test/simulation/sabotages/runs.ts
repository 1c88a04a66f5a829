import type { Sabotage } from '../sabotage.ts';
import { DELAYED, LATEST, inside, sabotage } from './make.ts';

/** Faults of runs: outages, leases, the order of publishing and saving. */
export const RUNS_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'the cursor is committed before the page is published',
    { breaks: [LATEST] },
    inside('commit/commit-page.ts commitPage', {
      first: `
      const { ports, registry } = target.run;
      const early = { ...feedPage, isNews: true };
      const now = ports.clock.now();
      await registry.commit(target.feed.id, (current) => afterPage(current, early, now));`,
    }),
  ),
  sabotage(
    'lists wait for an outage as if they were refused',
    { breaks: [DELAYED] },
    inside('feeds/health.ts waitMs', { first: 'hasRead = true; failures += 5;' }),
    inside('feeds/health.ts isRefusal', { body: 'return true;' }),
  ),
  sabotage(
    'an outage is not noticed',
    { breaks: ['anOutageOfTheServiceIsNoticed'] },
    inside('run/service-health.ts ServiceHealth.outage', { body: 'return undefined;' }),
  ),
  sabotage(
    'the entity state is saved before its event is published',
    { breaks: [LATEST, 'everyEventTellsAChangeThatHappened'] },
    inside('commit/publish.ts publishAndSave', {
      call: 'publish',
      becomes:
        'save(detected.map(({ state }) => state), target).then(() => publish(detected, target))',
    }),
  ),
  sabotage(
    'an item is published without being saved ahead',
    { breaks: [LATEST] },
    inside('commit/publish.ts asUnpublished', { body: 'return [];' }),
  ),
  sabotage(
    'a parent is saved before its items',
    { breaks: [LATEST] },
    inside('commit/commit-entities.ts commitEntities', {
      call: 'commitItems',
      becomes: `commitChanges(entities, states, target, found)
        .then(() => commitItems(listsToCompare(entities, states), target, found))`,
    }),
  ),
  sabotage(
    'the state of a project is saved before its feeds are',
    { breaks: [LATEST] },
    inside('commit/commit-entities.ts commitChanges', {
      call: 'syncFeeds',
      becomes: `publishAndSave(changes.detected, target)
        .then(() => syncFeeds(projectStates(entities, states, changes), target))`,
    }),
  ),
  sabotage(
    'a run does not look whether another one has its partitions',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'] },
    inside('run/lease.ts takeLease', { call: 'store.takeLease', becomes: 'true' }),
  ),
  sabotage(
    'jobs wait until nothing is polled',
    { breaks: ['everyReplayIsCarriedOutInTheEnd'] },
    inside('run/poll-until-deadline.ts workOn', {
      first: 'if (run.summary.polled > 0) return [];',
    }),
  ),
];
