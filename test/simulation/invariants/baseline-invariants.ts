import { toFixedWidth } from '../../../functions/core/model/timestamp.ts';
import type { History } from '../history/history.ts';
import { placeOf } from '../trace/place-of.ts';
import type { Outcome } from '../world/world.ts';
import { truthOf } from './truth-of.ts';

/** Longer than a request takes that is not slow, and than `Date` may be rounded. */
const READ_MS = 10_000;

/** Promise 5: nothing that was there at first is published before it changes. */
export function* baselineIsSilent({ trace, site, service, history }: Outcome) {
  const { askedAt } = trace.firstPass;
  // By a `Date` that jumps back, the pass began long before.
  if (history.notifier.baseline === 'emit' || history.service.dates === 'jumping') return;
  const seenBy = askedAt - history.service.lagMs;
  const slackMs = history.notifier.lookbackMs + 2 * READ_MS + longestFreezeOf(history);
  const before = toFixedWidth(new Date(service.clockAt(askedAt) - slackMs).toISOString());
  const found = new Set(trace.silentSaves.map(({ feedId, key }) => `${feedId} ${key}`));
  for (const { event, run } of trace.deliveries) {
    const { subject, sequence, type } = event;
    if (sequence >= before) continue;
    const { row, project, list, objects } = truthOf(subject, site);
    const { key } = placeOf(`/projects/${project?.id ?? ''}`);
    const isProject = row === project;
    const isOpen = project?.hidden === false && project.grantedAt === 0 && !list.wasThin;
    // The lists of a project that the first pass saw deleted begin when it is restored.
    const mayBeginLater = project?.versions.some(({ object }) => object['deleted_at'] !== null);
    if (!isProject && mayBeginLater) continue;
    const isThroughout = isOpen && !project.isGone && !row.isGone;
    if (!isThroughout || !(isProject || found.has(`projects ${key}`))) continue;
    const current = row.versions.findLastIndex(({ visibleAt }) => visibleAt <= seenBy);
    const since = current < 0 ? [undefined] : objects.slice(current);
    // Copies that lag may hide changes from the first pass: limit 10.
    const { startedAt = 0 } = trace.runs[run] ?? {};
    const isMoved = row.versions.some(
      ({ stamp, visibleAt }) => visibleAt <= startedAt && toFixedWidth(stamp) > sequence,
    );
    if (history.service.lagMs > 0 && isMoved) continue;
    const isThere = since.every((each) => each !== undefined);
    const [first] = since;
    if (isThere && toFixedWidth(String(first?.['updated_at'])) === sequence)
      yield `${subject}: ${type} of ${sequence} was there in the baseline`;
  }
}

/** Promise 5: later entities are published in full. */
export function* restIsPublished({ trace, site, service, history }: Outcome) {
  const { begunBy, endedBy } = trace.firstPass;
  const after = new Date(service.clockAt(begunBy) + 2 * READ_MS).toISOString();
  const found = new Set(trace.silentSaves.map(({ key }) => key));
  for (const { feedId, key, version, isFirst } of trace.silentSaves) {
    const projectId = feedId.split('/')[1] ?? '';
    const { grantedAt = 0 } = site.byProject.get(projectId)?.project ?? {};
    const isLaterProject =
      Math.min(grantedAt, trace.addedAt(feedId)) > endedBy && !found.has(`project#${projectId}`);
    const isLater = version > after || (isFirst && endedBy > 0 && isLaterProject);
    if (history.notifier.baseline === 'emit' || isLater)
      yield `${feedId} ${key} of ${version} was saved without an event`;
  }
}

function longestFreezeOf({ steps }: History): number {
  return Math.max(0, ...steps.map(({ act }) => (act.kind === 'freeze' ? act.ms : 0)));
}
