import type { Sabotage } from '../sabotage.ts';
import { DELAYED, LATEST, inside, sabotage } from './make.ts';

/** Faults of runs: outages, leases, the order of publishing and saving. */
export const RUNS_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'the cursor is committed before the page is published',
    { breaks: [LATEST] },
    inside('commit/commit-page.ts commitPage', {
      first: `
      const { lookbackMs } = context.paging.options;
      const early = { ...feedPage, isNews: true, lookbackMs };
      const now = context.ports.clock.now();
      await context.registry.commit(target.feed.id, (current) => afterPage(current, early, now));`,
    }),
  ),
  sabotage(
    'every list backs off for an outage of the whole service',
    { breaks: [DELAYED] },
    inside('run/breaker.ts Breaker.isDoubtful', { body: 'return false;' }),
  ),
  sabotage(
    'one list that fails speaks for all, though others are read',
    { breaks: ['aListIsPolledWhenItIsDueWhateverOthersDo'] },
    inside('run/breaker.ts Breaker.canaries', { result: '[result[0].slice(0, 1)]' }),
    inside('run/sweep.ts newProgress', { result: '({ ...result, hasRead: () => false })' }),
  ),
  sabotage(
    'a list that fails slowly keeps an outage open',
    { breaks: ['aListIsPolledWhenItIsDueWhateverOthersDo'] },
    inside('run/breaker.ts Breaker.canaries', { result: 'result.flat().map((feed) => [feed])' }),
  ),
  sabotage(
    'lists that are refused never end an outage',
    { breaks: ['aListIsPolledWhenItIsDueWhateverOthersDo'] },
    inside('run/breaker.ts Breaker.canaries', {
      first: 'feeds = feeds.filter(({ parked }) => parked === undefined);',
    }),
  ),
  sabotage(
    'an outage forgets that pages were too slow',
    { breaks: [LATEST, 'inTheEndARunIsWhole'] },
    inside('run/back-off.ts dropHeld', { body: 'run.breaker.takeHeld(); return [];' }),
  ),
  sabotage(
    'the entity state is saved before its event is published',
    { breaks: [LATEST, 'everyEventTellsAChangeThatHappened'] },
    inside('commit/commit-entities.ts commitGroup', {
      call: 'publish',
      becomes:
        'save(statesOf(found), target, context).then(() => publish(found.detected, target, context))',
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
    inside('commit/commit-entities.ts commitGroup', {
      call: 'commitItems',
      becomes: `save(statesOf(detectChanges(entities, states, compare)), target, context)
        .then(() => commitItems(lists, work))`,
    }),
  ),
  sabotage(
    'the state of a project is saved before its feeds are',
    { breaks: [LATEST] },
    inside('commit/commit-entities.ts commitGroup', {
      call: 'syncFeeds',
      becomes: `save(statesOf(found), target, context)
        .then(() => syncFeeds(projectStates(entities, states, found), target, context))`,
    }),
  ),
  sabotage(
    'a run does not look whether another one has its partitions',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'] },
    inside('run/lease.ts takeLease', { call: 'store.takeLease', becomes: 'true' }),
  ),
  sabotage(
    'commands that go on wait until nothing is polled',
    { breaks: ['everyReplayIsCarriedOutInTheEnd'] },
    inside('run/run.ts continueCommands', {
      first: 'if (context.summary.polled > 0) return [];',
    }),
  ),
];
