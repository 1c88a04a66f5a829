import type { Sabotage } from '../sabotage.ts';
import { LATEST, inside, sabotage } from './make.ts';

/** Faults of reading a list, page by page. */
export const PAGING_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'the lookback is removed',
    { breaks: [LATEST, 'everyInvalidEntityIsQuarantined'] },
    inside('paging/watermark.ts Watermark.constructor', { body: 'this.#lookbackMs = 0;' }),
  ),
  sabotage(
    'ties are not handled',
    { breaks: [LATEST, 'asMuchAsTheLargestPageShowsAtOneTimestampIsLearned'] },
    inside('paging/paginator.ts Paginator.#fetchNext', { first: 'this.#tieCheck = undefined;' }),
    inside('paging/paginator.ts Paginator.#advance', {
      call: 'shiftNanoseconds',
      argument: '-this.#unit',
      becomes: 'end',
    }),
  ),
  sabotage(
    'any entity of the time proves that no tie was hidden',
    { breaks: [LATEST] },
    inside('paging/paginator.ts versionOf', { body: 'return updated_at;' }),
  ),
  sabotage(
    'a Date is believed however far ahead it is',
    { breaks: [LATEST] },
    inside('paging/service-time.ts ServiceTime.date', {
      first: 'return readAfter === undefined ? page : { ...page, readAfter };',
    }),
  ),
  sabotage(
    'pages that are too slow are never smaller',
    { breaks: [LATEST, 'inTheEndARunIsWhole'] },
    inside('paging/page-size/page-limit.ts PageLimit.shrink', { body: '' }),
    inside('paging/page-size/page-limit.ts PageLimit.constructor', {
      body: 'this.#perPage = perPage; this.#entities = Infinity;',
    }),
  ),
  sabotage(
    'ten empty pages are a loop',
    { breaks: ['noListThatGoesOnIsTakenForALoop'] },
    inside('paging/paginator.ts Paginator.#advance', {
      call: 'serviceTime.isFuture',
      becomes: 'true',
    }),
    inside('paging/paginator.ts Paginator.#advance', {
      call: 'serviceTime.isAhead',
      becomes: 'true',
    }),
  ),
  sabotage(
    'a feed is called caught up too early',
    { breaks: [LATEST] },
    inside('paging/watermark.ts Watermark.observe', {
      call: 'shiftTimestamp',
      argument: 'readAfter',
      becomes: 'readAfter',
    }),
  ),
  sabotage(
    'a header that runs ahead is believed',
    { breaks: [LATEST] },
    inside('paging/paginator.ts Paginator.#advance', {
      call: 'earlierOf',
      becomes: '(header ?? largest)',
    }),
  ),
];
