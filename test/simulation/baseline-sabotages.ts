import type { Sabotage } from './sabotage.ts';

const LATEST = 'everyEntitysLatestStateWasPublished';
const LEAK = 'nothingOfTheBaselineLeaks';
const SILENT = 'nothingElseIsLearnedInSilence';

/** Faults that make feeds silent, or not, at the wrong time. */
export const BASELINE_SABOTAGES: readonly Sabotage[] = [
  {
    name: 'a baseline leaks',
    edits: [
      {
        file: 'changes/detect-changes.ts',
        from: "const silent = feed.phase === 'baseline';",
        to: 'const silent = false;',
      },
    ],
    breaks: [LEAK],
  },
  {
    name: 'a baseline never ends',
    edits: [
      {
        file: 'feeds/feed-lifecycle.ts',
        from: "phase: page.isLast ? 'live' : feed.phase,",
        to: 'phase: feed.phase,',
      },
    ],
    breaks: [SILENT, LATEST],
  },
  {
    name: 'a baseline ends after its first page',
    edits: [
      {
        file: 'feeds/feed-lifecycle.ts',
        from: "phase: page.isLast ? 'live' : feed.phase,",
        to: "phase: 'live',",
      },
    ],
    breaks: [LEAK],
  },
  {
    name: 'a later project has a baseline',
    edits: [
      {
        file: 'feeds/sync-projects.ts',
        from: 'newFeed(resource, projectsFeed.phase, ',
        to: "newFeed(resource, 'baseline', ",
      },
    ],
    breaks: [SILENT, LATEST],
  },
  {
    name: 'a first project has no baseline',
    edits: [
      {
        file: 'feeds/sync-projects.ts',
        from: 'newFeed(resource, projectsFeed.phase, ',
        to: "newFeed(resource, 'live', ",
      },
    ],
    breaks: [LEAK],
  },
  {
    name: 'a silent first run is not silent',
    edits: [
      {
        file: 'feeds/load-shard.ts',
        from: "options.firstRun === 'emit' ? 'live' : 'baseline'",
        to: "'live'",
      },
    ],
    breaks: [LEAK],
  },
  {
    name: 'a first run that is to emit is silent',
    edits: [
      {
        file: 'feeds/load-shard.ts',
        from: "options.firstRun === 'emit' ? 'live' : 'baseline'",
        to: "'baseline'",
      },
    ],
    breaks: [SILENT, LATEST],
  },
  {
    name: 'a feed is taken for silent from a view that is behind',
    edits: [
      {
        file: 'feeds/load-shard.ts',
        from: "view.feeds.every(({ phase, notBefore }) => phase === 'live' || notBefore > now)",
        to: 'true',
      },
    ],
    breaks: [LATEST, SILENT],
    firstSeed: 560,
  },
];
