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
        in: 'detectChanges',
        first: "feed = { ...feed, phase: 'live' };",
      },
    ],
    breaks: [LEAK],
  },
  {
    name: 'a baseline never ends',
    edits: [
      {
        file: 'feeds/feed-lifecycle.ts',
        in: 'afterPage',
        result: '({ ...result, phase: feed.phase })',
      },
    ],
    breaks: [SILENT, LATEST],
  },
  {
    name: 'a baseline ends after its first page',
    edits: [
      {
        file: 'feeds/feed-lifecycle.ts',
        in: 'afterPage',
        result: "({ ...result, phase: 'live' })",
      },
    ],
    breaks: [LEAK],
  },
  {
    name: 'a later project has a baseline',
    edits: [
      {
        file: 'feeds/sync-projects.ts',
        in: 'syncProjects',
        call: 'newFeed',
        becomes: "newFeed(resource, 'baseline', projectOf(project))",
      },
    ],
    breaks: [SILENT, LATEST],
  },
  {
    name: 'a first project has no baseline',
    edits: [
      {
        file: 'feeds/sync-projects.ts',
        in: 'syncProjects',
        call: 'newFeed',
        becomes: "newFeed(resource, 'live', projectOf(project))",
      },
    ],
    breaks: [LEAK],
  },
  {
    name: 'a silent baseline is not silent',
    edits: [
      {
        file: 'feeds/load-shard.ts',
        in: 'openRegistry',
        first: "options = { ...options, baseline: 'emit' };",
      },
    ],
    breaks: [LEAK],
  },
  {
    name: 'a baseline that is to emit is silent',
    edits: [
      {
        file: 'feeds/load-shard.ts',
        in: 'openRegistry',
        first: "options = { ...options, baseline: 'silent' };",
      },
    ],
    breaks: [SILENT, LATEST],
  },
  {
    name: 'a feed is taken for silent from a view that is behind',
    edits: [
      { file: 'feeds/load-shard.ts', in: 'loadShard', call: 'view.feeds.every', becomes: 'true' },
    ],
    breaks: [LATEST, SILENT],
    firstSeed: 560,
  },
];
