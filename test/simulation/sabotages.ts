import { BASELINE_SABOTAGES } from './baseline-sabotages.ts';
import type { Sabotage } from './sabotage.ts';

const LATEST = 'everyEntitysLatestStateWasPublished';

/** Faults that the simulation must find. */
export const SABOTAGES: readonly Sabotage[] = [
  {
    name: 'the cursor is committed before the page is published',
    edits: [
      {
        file: 'run/commit-page.ts',
        in: 'publishAndSave',
        first:
          'const early = { ...feedPage, isNews: changes.isNews };' +
          'const now = context.run.ports.clock.now();' +
          'await context.run.registry.commit(feed.id, (current) => afterPage(current, early, now));',
      },
    ],
    breaks: [LATEST],
  },
  {
    name: 'the lookback is removed',
    edits: [
      { file: 'paging/watermark.ts', in: 'Watermark.constructor', body: 'this.#lookbackMs = 0;' },
    ],
    breaks: [LATEST],
  },
  {
    name: 'ties are not handled',
    edits: [
      { file: 'paging/cursor-filter.ts', in: 'startAfter', body: 'return time;' },
      {
        file: 'paging/paginator.ts',
        in: 'Paginator.#advance',
        call: 'shiftTimestamp',
        argument: 'end',
        becomes: 'end',
      },
    ],
    breaks: [LATEST, 'asMuchAsTheLargestPageShowsAtOneTimestampIsLearned'],
  },
  {
    name: 'a feed is called caught up too early',
    edits: [
      {
        file: 'paging/watermark.ts',
        in: 'Watermark.observe',
        call: 'shiftTimestamp',
        argument: 'readAfter',
        becomes: 'shiftTimestamp(readAfter ?? coveredUntil, -this.#lookbackMs / 2)',
      },
    ],
    breaks: [LATEST],
    firstSeed: 1_100,
  },
  {
    name: 'the entity state is saved before its event is published',
    edits: [
      {
        file: 'run/commit-page.ts',
        in: 'publishAndSave',
        first: 'await save(feed, changes.states.own, context.run);',
      },
    ],
    breaks: [LATEST, 'everyEventTellsAChangeThatHappened'],
  },
  {
    name: 'a retry has a new id',
    edits: [
      {
        file: 'events/make-event.ts',
        in: 'makeEvent',
        call: 'eventId',
        becomes: 'eventId(`${context.source}${context.now}`, change)',
      },
    ],
    breaks: ['oneChangeHasOneIdAndOneContent'],
  },
  {
    name: 'nested items are skipped',
    edits: [{ file: 'changes/nested-changes.ts', in: 'differs', body: 'return false;' }],
    breaks: [LATEST],
  },
  {
    name: 'a parked feed never returns',
    edits: [
      {
        file: 'feeds/feed-lifecycle.ts',
        in: 'afterRefusal',
        result: 'result.parked ? { ...result, notBefore: 8e15 } : result',
      },
    ],
    breaks: [LATEST],
    firstSeed: 80,
  },
  {
    name: 'a page is compared before the page ahead of it is saved',
    edits: [
      {
        file: 'run/poll-feed.ts',
        in: 'pollFeed',
        first:
          "const { detectPageChanges } = await import('./commit-page.ts');" +
          'const compareEarly = (paginator) => {' +
          '  const next = paginator.next.bind(paginator);' +
          '  paginator.next = async (...given) => {' +
          '    const page = await next(...given);' +
          '    const { run } = context;' +
          '    const changes = await detectPageChanges(page, run.registry.get(id), resource, run);' +
          '    return { ...page, changes };' +
          '  };' +
          '  return paginator;' +
          '};',
      },
      {
        file: 'run/poll-feed.ts',
        in: 'pollFeed',
        call: 'readAhead',
        becomes: 'readAhead(compareEarly(paginator), signal, limit)',
      },
      {
        file: 'run/commit-page.ts',
        in: 'commitPage',
        call: 'detectPageChanges',
        becomes: 'feedPage.changes',
      },
    ],
    breaks: ['everyEventTellsAChangeThatHappened'],
    firstSeed: 120,
  },
  {
    name: 'an item is published without being in the outbox',
    edits: [
      {
        file: 'run/commit-page.ts',
        in: 'publishAndSave',
        call: 'save',
        argument: 'items',
        becomes: 'undefined',
      },
    ],
    breaks: [LATEST],
    firstSeed: 92,
  },
  {
    name: 'a header that runs ahead is believed',
    edits: [
      {
        file: 'paging/paginator.ts',
        in: 'Paginator.#advance',
        call: 'earlierOf',
        becomes: '(header ?? largest)',
      },
    ],
    breaks: [LATEST],
  },
  {
    name: 'a run goes on without its lease',
    edits: [
      {
        file: 'run/run.ts',
        in: 'openRun',
        call: 'fencePorts',
        becomes: 'fencePorts(unfenced, { ...guard, assertHeld: () => undefined })',
      },
    ],
    breaks: ['whatIsSeenAtOnceIsRight'],
    firstSeed: 200,
  },
  ...BASELINE_SABOTAGES,
];
