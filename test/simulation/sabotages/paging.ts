import type { Sabotage } from '../sabotage.ts';
import { LATEST, inside, sabotage } from './make.ts';

/** Faults of reading a list, page by page. */
export const PAGING_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'the lookback is removed',
    { breaks: [LATEST, 'everyInvalidEntityIsQuarantined'], firstSeed: 257 },
    inside('paging/watermark.ts Watermark.constructor', { body: 'this.#lookbackMs = 0;' }),
  ),
  sabotage(
    'a longer lookback begins at the cursor of a shorter one',
    { breaks: [LATEST], firstSeed: 8000235 },
    inside('paging/paginator.ts Paginator.#startFrom', { result: 'cursor' }),
  ),
  sabotage(
    'ties are not handled',
    { breaks: [LATEST, 'asMuchAsTheLargestPageShowsAtOneTimestampIsLearned'], firstSeed: 20 },
    inside('paging/paginator.ts Paginator.#fetchNext', { first: 'this.#tieCheck = undefined;' }),
    inside('paging/paginator.ts Paginator.#advance', {
      call: 'shiftNanoseconds',
      argument: '-this.#unit',
      becomes: 'end',
    }),
  ),
  sabotage(
    'one page that repeats an entity speaks for all',
    { breaks: [LATEST, 'asMuchAsTheLargestPageShowsAtOneTimestampIsLearned'], firstSeed: 417 },
    inside('paging/paginator.ts Paginator.#fetchNext', {
      first: `
      if (this.isInclusive) this.#tieCheck = undefined;
      this.isInclusive ||= this.#tieCheck !== undefined;`,
    }),
  ),
  sabotage(
    'any entity of the time proves that no tie was hidden',
    { breaks: [LATEST], firstSeed: 201 },
    inside('paging/paginator.ts versionOf', { body: 'return updated_at;' }),
  ),
  sabotage(
    'a saturated timestamp is passed by a whole millisecond',
    { breaks: [LATEST, 'inTheEndARunIsWhole'], firstSeed: 1565 },
    inside('paging/time-unit.ts startsBehind', {
      body: 'return [0, 1e6].map((step) => shiftNanoseconds(time, step));',
    }),
  ),
  sabotage(
    'a Date is believed however far ahead it is',
    { breaks: [LATEST], firstSeed: 2284 },
    inside('paging/service-time.ts ServiceTime.date', {
      first: 'return readAfter === undefined ? page : { ...page, readAfter };',
    }),
  ),
  sabotage(
    'without a Date no entity lies in the future',
    { breaks: [LATEST], firstSeed: 1593 },
    inside('paging/service-time.ts ServiceTime.isFuture', {
      body: 'return readAfter !== undefined && isAfter(time, readAfter);',
    }),
  ),
  sabotage(
    'pages that are too slow are never smaller',
    { breaks: [LATEST, 'inTheEndARunIsWhole'], firstSeed: 197 },
    inside('paging/page-size/page-limit.ts PageLimit.shrink', { body: '' }),
    inside('paging/page-size/page-limit.ts PageLimit.constructor', {
      body: 'this.#perPage = perPage; this.#entities = Infinity;',
    }),
  ),
  sabotage(
    'a turn of one page ends where its cursor has not advanced',
    { breaks: [LATEST], firstSeed: 1274 },
    inside('paging/read-ahead.ts readAhead', { call: 'Math.max', becomes: 'pagesPerTurn' }),
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
    { breaks: [LATEST], firstSeed: 498 },
    inside('paging/watermark.ts Watermark.observe', {
      call: 'shiftTimestamp',
      argument: 'readAfter',
      becomes: 'readAfter',
    }),
  ),
  sabotage(
    'a header that runs ahead is believed',
    { breaks: [LATEST], firstSeed: 7 },
    inside('paging/paginator.ts Paginator.#advance', {
      call: 'earlierOf',
      becomes: '(header ?? largest)',
    }),
  ),
  sabotage(
    'an answer without a Date is dated by one that came before it',
    { breaks: [LATEST], firstSeed: 195 },
    inside('paging/service-time.ts ServiceTime.date', { first: 'lastDate = this.lastDate;' }),
  ),
  sabotage(
    'a run does not know the last Date of the one before',
    { breaks: [LATEST], firstSeed: 104 },
    inside('paging/service-time.ts ServiceTime.constructor', { body: 'this.#clock = clock;' }),
  ),
];
