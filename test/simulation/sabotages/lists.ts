import type { Sabotage } from '../sabotage.ts';
import { LATEST, inside, sabotage } from './make.ts';

/** Faults of reading a list, page by page. */
export const LISTS_SABOTAGES: readonly Sabotage[] = [
  sabotage(
    'the lookback is removed',
    { breaks: [LATEST, 'everyInvalidEntityIsQuarantined'] },
    inside('lists/watermark.ts watermarkOf', { call: 'shiftTimestamp', becomes: 'began.earliest' }),
  ),
  sabotage(
    'no request starts a millisecond early',
    { breaks: [LATEST, 'asMuchAsTheLargestPageShowsAtOneTimestampIsLearned'] },
    inside('lists/read-list.ts ListReader.#advance', { call: 'shiftTimestamp', becomes: 'end' }),
  ),
  sabotage(
    'a page that does not advance never grows',
    { breaks: [LATEST] },
    inside('lists/page-size.ts PageSize.grow', { body: 'return false;' }),
  ),
  sabotage(
    'a Date is believed however far ahead it is',
    { breaks: [LATEST] },
    inside('lists/watermark.ts canBeTrue', { body: 'return true;' }),
    inside('lists/watermark.ts momentOf', { call: 'earlierOf', becomes: 'byService' }),
  ),
  sabotage(
    'pages that are too slow are never smaller',
    { breaks: [LATEST, 'inTheEndARunIsWhole'] },
    inside('lists/page-size.ts sizeAfterFailure', { body: 'return feed;' }),
  ),
  sabotage(
    'a header that runs ahead is believed',
    { breaks: [LATEST] },
    inside('lists/read-list.ts ListReader.#advance', {
      call: 'earlierOf',
      becomes: '(header ?? last)',
    }),
  ),
];
