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
        from: '  await save(id, work.announced.parents, context);\n',
        to:
          '  const early = { ...walked, isNews: work.isNews };\n' +
          '  await book.commit(id, (current) => afterPage(current, early, clock.now()));\n' +
          '  await save(id, work.announced.parents, context);\n',
      },
    ],
    breaks: [LATEST],
  },
  {
    name: 'the overlap is removed',
    edits: [
      {
        file: 'paging/paginator.ts',
        from: 'new Frontier(context.walk.overlapMs)',
        to: 'new Frontier(0)',
      },
    ],
    breaks: [LATEST],
  },
  {
    name: 'ties are not handled',
    edits: [
      {
        file: 'paging/cursor-filter.ts',
        from: "filter === 'exclusive' ? shiftTimestamp(time, -1) : time;",
        to: 'time;',
      },
      {
        file: 'paging/paginator.ts',
        from: 'const before = shiftTimestamp(at, -1);',
        to: 'const before = at;',
      },
    ],
    breaks: [LATEST, 'asMuchAsTheLargestPageShowsAtOneTimestampIsLearned'],
  },
  {
    name: 'a feed is called settled too early',
    edits: [
      {
        file: 'paging/watermark.ts',
        from: 'shiftTimestamp(asOf ?? reached, -this.#overlapMs)',
        to: 'shiftTimestamp(asOf ?? reached, -this.#overlapMs / 2)',
      },
    ],
    breaks: [LATEST],
    firstSeed: 1_100,
  },
  {
    name: 'the known state is saved before it is published',
    edits: [
      {
        file: 'run/commit-page.ts',
        from: '  await publish(work, feed, walked, context);\n',
        to: '  await save(id, work.known.own, context);\n  await publish(work, feed, walked, context);\n',
      },
    ],
    breaks: [LATEST, 'everyEventTellsAChangeThatHappened'],
  },
  {
    name: 'a retry has a new id',
    edits: [
      {
        file: 'events/make-event.ts',
        from: 'this.id = eventId(context.source, change);',
        to: 'this.id = eventId(`${context.source}${context.now}`, change);',
      },
    ],
    breaks: ['oneChangeHasOneIdAndOneContent'],
  },
  {
    name: 'nested items are skipped',
    edits: [
      {
        file: 'changes/nested-changes.ts',
        from: 'return !isStale && digest !== list.digest;',
        to: 'return false;',
      },
    ],
    breaks: [LATEST],
  },
  {
    name: 'a parked feed never returns',
    edits: [
      {
        file: 'feeds/feed-lifecycle.ts',
        from: 'return { ...feed, parked, failures: 0, notBefore: now + LONGEST_BACKOFF_MS };',
        to: 'return { ...feed, parked, failures: 0, notBefore: 8e15 };',
      },
    ],
    breaks: [LATEST],
    firstSeed: 80,
  },
  {
    name: 'a page is diffed without what is not saved yet',
    edits: [
      {
        file: 'run/poll-feed.ts',
        from: '  context.paused.delete(id);\n',
        to:
          '  context.paused.delete(id);\n' +
          '  const next = walk.next.bind(walk);\n' +
          '  walk.next = async (signal) => {\n' +
          '    const walked = await next(signal);\n' +
          '    return { ...walked, work: await workOut(walked, context.book.get(id), resource, context) };\n' +
          '  };\n',
      },
      {
        file: 'run/poll-feed.ts',
        from: "import { commitPage } from './commit-page.ts';",
        to: "import { commitPage, workOut } from './commit-page.ts';",
      },
      {
        file: 'run/commit-page.ts',
        from: '  const work = await workOut(walked, feed, resource, context);\n',
        to: '  const { work } = walked as WalkedPage & { work: PageWork };\n',
      },
    ],
    breaks: ['everyEventTellsAChangeThatHappened'],
    firstSeed: 120,
  },
  {
    name: 'an item is published without being announced',
    edits: [
      {
        file: 'run/commit-page.ts',
        from: '  await save(id, work.announced.items, context);\n',
        to: '',
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
        from: 'const end = earlierOf(header, largest);',
        to: 'const end = header ?? largest;',
      },
    ],
    breaks: [LATEST],
  },
  {
    name: 'what was asked for early is taken for what is asked for',
    edits: [
      {
        file: 'paging/page-fetcher.ts',
        from: 'early?.sent !== sent',
        to: 'early === undefined',
      },
    ],
    breaks: [LATEST],
    firstSeed: 250,
  },
  {
    name: 'a run goes on without its lease',
    edits: [
      {
        file: 'run/run.ts',
        from: 'fence(ports, lease.permit)',
        to: 'fence(ports, { ...lease.permit, check: () => undefined })',
      },
    ],
    breaks: ['whatIsSeenAtOnceIsRight'],
    firstSeed: 200,
  },
  ...BASELINE_SABOTAGES,
];
