import type { Sabotage } from '../sabotage.ts';
import { LATEST, LEAK, SILENT, inside, sabotage } from './make.ts';

/** Faults of the lists: which there are, how they begin and wait; and of what expires. */
export const FEEDS_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'a baseline never ends',
    { breaks: [SILENT, LATEST] },
    inside('feeds/after-page.ts afterPage', { result: '({ ...result, phase: feed.phase })' }),
  ),
  sabotage(
    'a baseline ends after its first page',
    { breaks: [LEAK] },
    inside('feeds/after-page.ts afterPage', { result: "({ ...result, phase: 'live' })" }),
  ),
  sabotage(
    'a later project has a baseline',
    { breaks: [SILENT, LATEST] },
    inside('feeds/sync-projects.ts beginningOf', { result: "({ phase: 'baseline' })" }),
  ),
  sabotage(
    'a first project has no baseline',
    { breaks: [LEAK] },
    inside('feeds/sync-projects.ts beginningOf', { result: "({ phase: 'live' })" }),
  ),
  sabotage(
    'a silent baseline is not silent',
    { breaks: [LEAK] },
    inside('feeds/load-feeds.ts openRegistry', {
      first: "baseline = 'emit';",
    }),
  ),
  sabotage(
    'a baseline that is to emit is silent',
    { breaks: [SILENT, LATEST] },
    inside('feeds/load-feeds.ts openRegistry', {
      first: "baseline = 'silent';",
    }),
  ),
  sabotage(
    'a list that failed is polled by each run',
    { breaks: ['anEventIsRepeatedOnlyAfterAFault'] },
    inside('feeds/health.ts waitMs', { body: 'return 0;' }),
  ),
  sabotage(
    'what changes while a baseline is under way stays silent',
    { breaks: [SILENT, LATEST] },
    inside('model/feed.ts isSilent', { body: "return phase === 'baseline';" }),
  ),
  sabotage(
    'the content of a project that was deleted before the first run leaks',
    { breaks: [LEAK] },
    inside('feeds/sync-projects.ts beginningOf', { result: "({ ...result, phase: 'live' })" }),
  ),
  sabotage(
    'an entity that is shown expires, too',
    { breaks: ['everyEventHasTheRightActionFieldsAndOldValues', LATEST] },
    inside('model/entity-state.ts withExpiry', {
      result: '({ ...result, expiresAt: now + retentionMs })',
    }),
  ),
];
