import { isDeepStrictEqual } from 'node:util';
import type { ChangeEvent } from '../../../functions/core/contract/events.ts';
import { toFixedWidth } from '../../../functions/core/model/timestamp.ts';
import { hasLosses } from '../history/history.ts';
import { placeOf } from '../trace/place-of.ts';
import { concerns } from '../trace/replays.ts';
import type { Outcome } from '../world/world.ts';
import { contentOf } from './expected.ts';
import { isSeen } from './latest-states.ts';
import { isInferredDelete, truthOf } from './truth-of.ts';

/** A replay repeats the last events of the lists and the time that were ordered. */
export function* replayRepeatsEvents({ trace }: Outcome) {
  const { deliveries, orders } = trace.replays;
  const published = Map.groupBy(trace.deliveries.entries(), ([, { event }]) => event.id);
  for (const { event, prior, publishedCount } of deliveries) {
    const { id, subject, sequence, type } = event;
    const content = withoutPrevious(event);
    const isRepeat = (published.get(id) ?? []).some(
      ([n, before]) =>
        n < publishedCount && isDeepStrictEqual(withoutPrevious(before.event), content),
    );
    if (!isRepeat) yield `${subject}: ${id} was never ${JSON.stringify(content)}`;
    if (prior === undefined || toFixedWidth(prior.sequence) !== sequence)
      yield `${subject}: ${type} of ${sequence} was replayed, known is ${prior?.sequence}`;
    if (!orders.some((order) => concerns(order, placeOf(subject).feedId, prior ?? event)))
      yield `${subject}: nobody ordered ${type} of ${sequence} again`;
  }
}

export function* replayIsComplete({ trace, history }: Outcome) {
  // A view that is behind may lack a new list.
  if (history.notifier.staleMs === 0) yield* trace.replays.omitted;
  for (const [list] of trace.replays.open) yield `the replay of ${list} is not done`;
}

/** A reconcile deletes only entities that the service has no more. */
export function* reconcileDeletesOnlyGone({ trace, site }: Outcome) {
  for (const delivery of trace.deliveries) {
    const { event, run } = delivery;
    if (event.cause !== 'reconcile' || !isInferredDelete(delivery)) continue;
    const { row, project, isNested } = truthOf(event.subject, site);
    const { endedAt = Infinity } = trace.runs[run] ?? {};
    // What is in a project that is deleted or gone may have gone with it.
    const isOpen =
      project?.isGone === false && !project.versions.some(({ object }) => object['deleted_at']);
    if (!isNested && row.destroyedAt >= endedAt && isOpen)
      yield `${event.subject} was published as deleted, and is there`;
  }
}

/** A reconcile of all lists ends, compares each, and finds removals without a trace. */
export function* reconcileHeals(outcome: Outcome) {
  const { trace, history, site } = outcome;
  if (!hasLosses(history)) return;
  const { lastJobs } = trace;
  if (lastJobs === undefined) yield 'the last reconcile did not end';
  for (const list of site.lists) {
    const job = lastJobs?.get(list.feedId);
    const project = site.all.find((each) => each.list === list)?.project;
    const isClosed =
      project && (project.hidden || project.isGone || project.isDeleted || !isSeen(project));
    // A list that shows nothing live may hide it: then nothing can be proven.
    const proof = list.visible(outcome.endedAt).find(({ row }) => !row.isDeleted && !row.broken);
    // A list that was parked when its turn came is skipped: its project was seen restored later.
    const isSkipped = job?.outcome === 'skipped';
    if (isClosed || !proof || job === undefined || isSkipped) continue;
    if (job.outcome !== 'compared') yield `${list.feedId} was not compared: ${job.outcome}`;
    for (const row of list.rows.filter(({ isGone, hidden }) => isGone && !hidden)) {
      const { feedId, key } = placeOf(`${list.path}/${row.id}`);
      const state = trace.state(feedId, key);
      if (state?.deleted === false && !isAhead(row.newest.stamp, outcome))
        yield `${list.path}/${row.id} is deleted, and has no event`;
    }
  }
}

/** An entity dated ahead may be on no copy yet; without a clock nobody knows which are. */
function isAhead(stamp: string, { history, service, endedAt }: Outcome): boolean {
  return history.service.dates === 'never' || Date.parse(stamp) > service.clockAt(endedAt);
}

/** The event in a replay: all but the old values. */
function withoutPrevious(event: ChangeEvent) {
  const { previous: _, ...content } = contentOf(event);
  return content;
}
