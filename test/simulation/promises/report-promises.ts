import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../functions/core/model/entity.ts';
import type { QuarantinedItem } from '../../../functions/core/ports/quarantine.ts';
import type { Chronicle } from '../chronicle.ts';
import { isDeletedLongAgo } from '../gone.ts';
import { latestStates, readableLists } from '../latest.ts';
import { fastPageOf, largestPageOf } from '../memory.ts';
import { placeOf } from '../places.ts';
import type { List, Row } from '../truth.ts';
import type { Outcome } from '../world.ts';
import type { Promised } from './promised.ts';

/** What becomes of that which cannot be published: invalid values, and more at one time than is shown. */
export const REPORT_PROMISES: readonly Promised[] = [
  function* everyInvalidEntityIsQuarantined(outcome) {
    const { chronicle } = outcome;
    for (const state of latestStates(outcome)) {
      if (state.broken === undefined) continue;
      if (timesQuarantined(state.broken, chronicle) === 0)
        yield `${JSON.stringify(state.broken)} of ${state.subject} was not kept`;
    }
  },

  function* anInvalidEntityIsQuarantinedOnce({ chronicle }) {
    const items = chronicle.quarantined.filter(({ kind }) => kind === 'entity');
    const same = Map.groupBy(items, ({ feed, value }) =>
      JSON.stringify([feed, ...identify(value)]),
    );
    for (const [identity, { length }] of same) {
      if (length > 1 + chronicle.retryCount) yield `${identity} was quarantined ${length} times`;
    }
  },

  function* moreThanTheLargestPageAtOneTimestampIsReported(outcome) {
    const { chronicle, history } = outcome;
    const reports = chronicle.runs.filter((run) => run.telemetry.counted('SaturatedTimestamp') > 0);
    for (const { n, telemetry } of reports) {
      const isNamed = telemetry.logs.some(
        ({ fields: { feed, saturatedTimestamp } }) =>
          typeof feed === 'string' && typeof saturatedTimestamp === 'string',
      );
      if (!isNamed) yield `run ${n} stepped over a timestamp without naming it`;
    }
    if (reports.length > 0) return;
    for (const list of readableLists(outcome)) {
      const destroyedCount = list.rows.filter((row) => row.destroyedAt !== undefined).length;
      if (list.mostAtOneStamp - destroyedCount <= largestPageOf(history)) continue;
      // Where times are stored finer than shown, a cursor may point between them.
      const isRead = list.rows.every(
        (row) =>
          row.destroyedAt !== undefined || isLearnedSince(row.newest.stamp, row, list, outcome),
      );
      if (history.service.shown !== 'as stored' && isRead) continue;
      yield `${list.path} has ${list.mostAtOneStamp} entities at one timestamp, and nobody was told`;
    }
  },

  function* asMuchAsTheLargestPageShowsAtOneTimestampIsLearned(outcome) {
    const { history, site } = outcome;
    const foundAtOnce = fastPageOf(history);
    for (const list of readableLists(outcome)) {
      const stamps = new Set(list.rows.flatMap(({ versions }) => versions.map((v) => v.stamp)));
      for (const stamp of stamps) {
        if (!site.isSaturated(list, stamp)) continue;
        // A row that moved on to another such timestamp is counted there.
        const isCountedLater = ({ versions }: Row): boolean =>
          versions.some((v) => v.stamp > stamp && site.isSaturated(list, v.stamp));
        const rows = list.rowsEverAt(stamp);
        const learned = rows.filter(
          (row) =>
            row.destroyedAt !== undefined ||
            isCountedLater(row) ||
            isLostForGood(row, list, outcome) ||
            isLearnedSince(stamp, row, list, outcome),
        );
        const isWhole = learned.length === rows.length;
        if (isWhole || learned.length + justBefore(stamp, list) >= foundAtOnce) continue;
        yield `${list.path}: only ${learned.length} entities of ${stamp} were learned`;
      }
    }
  },
];

/** Rows that share the page: a follow-up of times in whole seconds begins a second earlier. */
function justBefore(stamp: string, list: List): number {
  if (!stamp.endsWith('.000Z')) return 0;
  const time = Date.parse(stamp);
  const isBefore = (other: string): boolean =>
    Date.parse(other) < time && Date.parse(other) >= time - 1000;
  return list.rows.filter(({ versions }) => versions.some((v) => isBefore(v.stamp))).length;
}

/** Whether the table has lost an entity of a deleted project, whose lists are parked: nothing reconciles them. */
function isLostForGood({ id }: Row, list: List, { site, chronicle }: Outcome): boolean {
  const { feedId, key } = placeOf(`${list.path}/${id}`);
  const project = site.all.find((each) => each.list === list)?.project;
  return project?.isDeleted === true && chronicle.lostStates.has(`${feedId} ${key}`);
}

/** Whether an entity was saved as it was at this time or later, or quarantined. */
function isLearnedSince(stamp: string, row: Row, list: List, outcome: Outcome): boolean {
  const { chronicle } = outcome;
  if (row.broken !== undefined) return timesQuarantined(row.broken, chronicle) > 0;
  const { feedId, key } = placeOf(`${list.path}/${row.id}`);
  if (chronicle.lostStates.has(`${feedId} ${key}`)) return true;
  const state = chronicle.state(feedId, key);
  if (state === undefined) return isDeletedLongAgo(row.newest.object, outcome);
  return state.version >= stamp;
}

function timesQuarantined(broken: JsonObject, { quarantined, retried }: Chronicle): number {
  const isKept = ({ value }: QuarantinedItem): boolean =>
    isDeepStrictEqual(identify(value), identify(broken));
  return quarantined.filter((item) => !retried.has(item) && isKept(item)).length;
}

/** What stays the same each time that an invalid value is read, unless it changes. */
function identify(value: unknown): unknown[] {
  const { id, name, updated_at } = (value ?? {}) as JsonObject;
  return id === undefined ? [name] : [id, updated_at];
}
