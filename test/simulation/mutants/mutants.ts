import type { Change, Edit } from './apply-edit.ts';
import type { Mutant } from './bundle-mutants.ts';

/** @param anchor a file below `functions/core`, and a function in it. */
function inside(anchor: string, change: Change): Edit {
  const [file = '', name = ''] = anchor.split(' ');
  return { file, in: name, ...change };
}

function mutant(name: string, ...edits: readonly Edit[]): Mutant {
  return { name, edits };
}

/** Faults of reading a list. */
const LISTS = [
  mutant(
    'the lookback is removed',
    inside('lists/watermark.ts watermarkOf', { call: 'shiftTimestamp', becomes: 'began.earliest' }),
  ),
  mutant(
    'no request starts a millisecond early',
    inside('lists/read-list.ts ListReader.#advance', { call: 'shiftTimestamp', becomes: 'end' }),
  ),
  mutant(
    'a page that does not advance never grows',
    inside('lists/page-size.ts PageSize.grow', { body: 'return false;' }),
  ),
  mutant(
    'a header that runs ahead is believed',
    inside('lists/read-list.ts ListReader.#advance', {
      call: 'earlierOf',
      becomes: '(header ?? last)',
    }),
  ),
];

/** Faults of comparing and of making events. */
const CHANGES = [
  mutant(
    'a retry has a new id',
    inside('events/make-event.ts makeEvent', {
      call: 'eventId',
      becomes: 'eventId(`${context.source}${context.now}`, change)',
    }),
  ),
  mutant(
    'nested items are skipped',
    inside('changes/nested.ts listsToCompare', { body: 'return [];' }),
  ),
  mutant(
    'a baseline leaks',
    inside('changes/detect-changes.ts detectChanges', {
      first: "options = { ...options, feed: { ...options.feed, phase: 'live' } };",
    }),
  ),
  mutant(
    'what changes during a baseline stays silent',
    inside('model/feed.ts isSilent', { body: "return phase === 'baseline';" }),
  ),
  mutant(
    'an error in one entity stops its list',
    inside('events/make-event.ts makeEvent', {
      first: "if (change.id.endsWith('3')) throw new Error('made to fail');",
    }),
  ),
  mutant(
    'a floorplan does not name its current sheet',
    inside('model/nested-entities.ts currentId', { body: 'return [];' }),
  ),
  mutant(
    'an item that its list shows again is not restored',
    inside('changes/diff.ts inferRestore', { body: 'return {};' }),
  ),
];

/** Faults of committing a page. */
const COMMITS = [
  mutant(
    'the cursor is committed before the page is published',
    inside('commit/commit-page.ts commitPage', {
      first: `
      const { ports, registry } = target.run;
      const early = { ...feedPage, isNews: true };
      const now = ports.clock.now();
      await registry.commit(target.feed.id, (current) => afterPage(current, early, now));`,
    }),
  ),
  mutant(
    'a state is saved before its event is published',
    inside('commit/publish.ts publishAndSave', {
      call: 'publish',
      becomes:
        'save(detected.map(({ state }) => state), target).then(() => publish(detected, target))',
    }),
  ),
  mutant(
    'a parent is saved before its items',
    inside('commit/commit-entities.ts commitEntities', {
      call: 'commitItems',
      becomes: `commitChanges(entities, states, target, found)
        .then(() => commitItems(listsToCompare(entities, states), target, found))`,
    }),
  ),
  mutant(
    'a project is saved before its feeds',
    inside('commit/commit-entities.ts commitChanges', {
      call: 'syncProjects',
      becomes: `publishAndSave(changes.detected, target)
        .then(() => syncProjects(projectStates(entities, states, changes), target, run.registry))`,
    }),
  ),
  mutant(
    'an event that the topic refuses is dropped',
    inside('commit/quarantine-entity.ts quarantineEvents', { body: '' }),
  ),
];

/** Faults of feeds and runs. */
const FEEDS = [
  mutant(
    'a baseline ends after its first page',
    inside('feeds/after-page.ts afterPage', { result: "({ ...result, phase: 'live' })" }),
  ),
  mutant(
    'a later project has a baseline',
    inside('feeds/sync-projects.ts newFeedsOf', {
      result: "result.map((feed) => ({ ...feed, phase: 'baseline' }))",
    }),
  ),
  mutant(
    'a first project has no baseline',
    inside('feeds/sync-projects.ts newFeedsOf', {
      result: "result.map((feed) => ({ ...feed, phase: 'live' }))",
    }),
  ),
  mutant(
    'a failed list is polled by each run',
    inside('feeds/health.ts waitMs', { body: 'return 0;' }),
  ),
  mutant(
    'lists wait for an outage as if they were refused',
    inside('feeds/health.ts waitMs', { first: 'hasRead = true; failures += 5;' }),
    inside('feeds/health.ts isRefusal', { body: 'return true;' }),
  ),
  mutant(
    'an outage is not noticed',
    inside('run/service-health.ts ServiceHealth.outage', { body: 'return undefined;' }),
  ),
  mutant(
    'a run takes partitions that another one has',
    inside('run/lease.ts takeLease', { call: 'store.takeLease', becomes: 'true' }),
  ),
];

/** Faults of operators' commands and of jobs. */
const COMMANDS = [
  mutant(
    'a paused list is polled',
    inside('feeds/operator-change.ts afterChange', {
      first: "if (change.command === 'pause') return feed;",
    }),
    inside('feeds/feed-registry.ts FeedRegistry.isPaused', { body: 'return false;' }),
  ),
  mutant(
    'what a list does not show is taken for gone',
    inside('jobs/ask-missing.ts askFor', {
      call: 'fetchEntity',
      becomes: `Promise.resolve({ verdict: 'missing' })`,
    }),
  ),
  mutant(
    'a proven delete is not published',
    inside('commit/commit-entities.ts commitMissing', { body: '' }),
  ),
  mutant(
    'a replay ends with the first part of a list',
    inside('jobs/replay.ts replay', {
      call: 'run.ports.store.loadStatesAfter',
      becomes: `(async () => {
        const { states } = await run.ports.store.loadStatesAfter(id, after);
        return { states };
      })()`,
    }),
  ),
  mutant(
    'a replay publishes events of any time',
    inside('jobs/replay.ts isMeant', { first: 'since = undefined;' }),
  ),
];

/** Faults that a hundred fresh histories must find. */
export const MUTANTS: readonly Mutant[] = [...LISTS, ...CHANGES, ...COMMITS, ...FEEDS, ...COMMANDS];
