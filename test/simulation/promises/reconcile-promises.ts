import { toFixedWidth } from '../../../functions/core/model/timestamp.ts';
import { hasLosses } from '../history/history.ts';
import { readableLists } from '../latest.ts';
import { rowsBySubject } from '../nested-truth.ts';
import { placeOf } from '../places.ts';
import type { List, Row } from '../truth.ts';
import type { Outcome } from '../world.ts';
import type { Promised } from './promised.ts';

/** What a reconciliation finds, and what it must not take for gone. */
export const RECONCILE_PROMISES: readonly Promised[] = [
  function* noEntityIsDeletedThatTheServiceHas({ chronicle, site, history }) {
    const rows = rowsBySubject(site);
    // A copy that lags may vouch for the project: see the guarantees.
    const mayBeOfGone = (projectId?: string): boolean =>
      history.service.lagMs > 0 &&
      site.projects.rows.some(
        ({ id, destroyedAt, versions }) =>
          id === projectId &&
          (destroyedAt !== undefined || versions.some(({ object }) => object['deleted_at'])),
      );
    for (const { event, run } of chronicle.deliveries) {
      const { subject, type, cause, data, projectid } = event;
      const row = rows.get(subject);
      const isOfGone = type.endsWith('.deleted') && !data.object.deleted_at;
      if (cause !== 'reconcile' || !isOfGone || row === undefined) continue;
      const { destroyedAt = Infinity } = row;
      const { endedAt = Infinity } = chronicle.runs[run] ?? {};
      if (destroyedAt >= endedAt && !mayBeOfGone(projectid))
        yield `${subject} was told as deleted, and is there`;
    }
  },

  function* whatIsGoneIsNotRestored({ chronicle, site }) {
    const rows = rowsBySubject(site);
    for (const { event, prior, run } of chronicle.sound) {
      const row = rows.get(event.subject);
      const { endedAt = Infinity } = chronicle.runs[run] ?? {};
      const isGone = row !== undefined && endedAt < (row.returnedAt ?? Infinity);
      if (isGone && prior?.inferred !== undefined && event.type.endsWith('.restored'))
        yield `${event.subject} was told as restored, and is gone`;
    }
  },

  function* aWholeReconciliationHealsWhatWasLost(outcome) {
    const { chronicle, history } = outcome;
    if (!hasLosses(history)) return;
    const { lastJobs } = chronicle;
    if (lastJobs === undefined) yield 'the last reconcile did not end';
    const failed = new Set<string>();
    for (const [list, { outcome }] of lastJobs ?? []) if (outcome !== 'compared') failed.add(list);
    for (const list of reconciledLists(outcome)) {
      if (failed.has(list.path.slice(1))) continue;
      for (const row of list.rows) yield* unhealed(row, list, outcome);
    }
    // That no project is shown may be the token's fault.
    const { projects } = outcome.site;
    if (failed.has('projects') || projects.visible(outcome.endedAt).length === 0) return;
    for (const row of projects.rows)
      if (row.isGone && !row.hidden) yield* unhealed(row, projects, outcome);
  },
];

/** The lists that the last reconciliation had to compare. */
function reconciledLists(outcome: Outcome): List[] {
  const live = new Set(
    outcome.site.all.filter(({ project }) => !project.isDeleted).map(({ list }) => list),
  );
  return readableLists(outcome).filter((list) => live.has(list));
}

function* unhealed(row: Row, list: List, { chronicle, history, service, site }: Outcome) {
  const subject = `${list.path}/${row.id}`;
  const { feedId, key } = placeOf(subject);
  const state = chronicle.state(feedId, key);
  if (row.broken !== undefined || site.isSaturated(list, row.newest.stamp)) return;
  if (!row.isGone) {
    if (state?.deleted && state.inferred !== undefined)
      yield `${subject} is back, and nobody was told`;
    const isLost = chronicle.lostStates.has(`${feedId} ${key}`);
    if (isLost && state === undefined && !row.isDeleted) yield `${subject} is still lost`;
    return;
  }
  // What is dated ahead may appear on no copy yet, and without a clock nobody knows what is.
  const endedAt = Math.max(
    ...[...(chronicle.lastJobs ?? [])].map(([, { finishedAt }]) => Date.parse(finishedAt ?? '')),
  );
  const isAhead =
    Date.parse(row.newest.stamp) > service.clockAt(endedAt) - 2 * history.notifier.lookbackMs;
  if (isAhead || history.service.dates === 'never') return;
  if (state !== undefined && !state.deleted) {
    yield `${subject} of ${toFixedWidth(state.version)} is gone, and nobody was told`;
  }
}
