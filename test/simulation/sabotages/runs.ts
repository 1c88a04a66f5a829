import type { Sabotage } from '../sabotage.ts';
import { DELAYED, LATEST, inside, sabotage } from './make.ts';

/** Faults of runs: outages, leases, the order of publishing and saving. */
export const RUNS_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'the cursor is committed before the page is published',
    { breaks: [LATEST] },
    inside('run/commit/commit-page.ts commitPage', {
      call: 'publishAndSave',
      becomes: `(async () => {
        const early = { ...feedPage, isNews: changes.isNews };
        const now = run.ports.clock.now();
        await run.registry.commit(feed.id, (current) => afterPage(current, early, now));
        await publishAndSave(changes, origin, run);
      })()`,
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
    inside('run/commit/publish-and-save.ts publishAndSave', {
      first: 'await save(origin.feed, changes.states.own, run);',
    }),
  ),
  sabotage(
    'a page is compared before the page ahead of it is saved',
    { breaks: ['everyEventTellsAChangeThatHappened'] },
    inside('run/poll-feed.ts pollFeed', {
      first: `
      const { detectPageChanges } = await import('./commit/commit-page.ts');
      const compareEarly = (paginator) => {
        const next = paginator.next.bind(paginator);
        paginator.next = async (...given) => {
          const page = await next(...given);
          const { run } = context;
          const changes = [];
          const parts = detectPageChanges(page, run.registry.get(id), resource, run);
          for await (const part of parts) changes.push(part);
          return { ...page, changes };
        };
        return paginator;
      };`,
    }),
    inside('run/poll-feed.ts pollFeed', {
      call: 'readAhead',
      becomes: 'readAhead(compareEarly(paginator), signal, limit)',
    }),
    inside('run/commit/commit-page.ts commitPage', {
      call: 'detectPageChanges',
      becomes: 'feedPage.changes',
    }),
  ),
  sabotage(
    'an item is published without being in the outbox',
    { breaks: [LATEST] },
    inside('run/commit/publish-and-save.ts publishAndSave', {
      call: 'save',
      argument: 'items',
      becomes: 'undefined',
    }),
  ),
  sabotage(
    'a run goes on without its lease',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'] },
    inside('run/run.ts openRun', {
      call: 'fencePorts',
      becomes:
        'fencePorts(unfenced, { ...lease.guard, assertHeld: () => undefined }, stopping.signal)',
    }),
  ),
  sabotage(
    'invalid entities are quarantined after their page is published',
    { breaks: ['anEventIsRepeatedOnlyAfterAFault'] },
    inside('run/commit/publish-and-save.ts publishAndSave', {
      call: 'quarantineEntities',
      becomes: 'Promise.resolve()',
    }),
    inside('run/commit/publish-and-save.ts publishAndSave', {
      call: 'publish',
      becomes: `publish(changes.changes, run).then(async (refused) => {
        await quarantineEntities(changes.invalid, origin, run);
        return refused;
      })`,
    }),
  ),
  sabotage(
    'the state of a project is saved before its order',
    { breaks: [LATEST] },
    inside('run/commit/publish-and-save.ts publishAndSave', {
      first: `
      if (origin.feed.projectId === undefined) await save(origin.feed, changes.states.own, run);`,
    }),
  ),
  sabotage(
    'a run takes the lease of another generation',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'] },
    inside('lease/shard-layout.ts joinLayout', {
      first: 'return { generation: place.shardCount, shardCount: place.shardCount };',
    }),
  ),
  sabotage(
    'the next generation does not wait for leases of the old one',
    { breaks: ['everyCallKeepsTheRulesOfItsPort'] },
    inside('lease/shard-layout.ts changeLayout', { call: 'ended.includes', becomes: 'false' }),
  ),
  sabotage(
    'commands that go on wait until nothing is polled',
    { breaks: ['everyReplayIsCarriedOutInTheEnd'] },
    inside('run/run.ts continueCommands', {
      first: 'if (context.summary.polled > 0) return [];',
    }),
  ),
];
