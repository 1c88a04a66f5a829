import type { JsonObject } from '../../../functions/core/model/entity.ts';
import { itemsShown, sheetShown, type List, type Row } from '../world/truth.ts';
import type { Outcome } from '../world/world.ts';

/** The state of an entity at the end. */
export interface FinalState {
  readonly subject: string;
  /** As the service shows it; undefined when its parent's list lacks it. */
  readonly object: JsonObject | undefined;
}

/** The states of all valid entities that the service shows. */
export function* latestStates(outcome: Outcome): Iterable<FinalState> {
  for (const row of outcome.site.projects.rows)
    if (!row.hidden && !row.isGone && isSeen(row))
      yield { subject: `/projects/${row.id}`, object: row.newest.object };
  for (const list of readableLists(outcome))
    for (const row of list.kept) if (row.broken === undefined) yield* statesOf(row, list);
}

/** The lists below projects that the service shows. */
export function readableLists({ site, history, trace }: Outcome): List[] {
  return site.all
    .filter(({ project, list }) => {
      const isClosed = project.isDeleted && history.service.deletedProjectLists === 'not_found';
      if (project.hidden || project.isGone || isClosed) return false;
      // Only a reconcile finds hidden entities, and it skips parked lists: limit 5.
      if (list.wasThin && project.isDeleted) return false;
      if (trace.feed(list.feedId) !== undefined) return true;
      // A project that was never seen alive has no feeds.
      return !project.isDeleted && isSeen(project);
    })
    .map(({ list }) => list);
}

/** Commits later than the lookback are not found: limit 5. */
export function isSeen({ newest, unseen }: Row): boolean {
  return unseen !== newest.stamp;
}

function* statesOf(row: Row, list: List): Iterable<FinalState> {
  const subject = `${list.path}/${row.id}`;
  const { newest } = row;
  yield { subject, object: newest.object };
  for (const id of row.items.keys())
    yield { subject: `${subject}/template_check_items/${id}`, object: itemsShown(newest).get(id) };
  const sheet = sheetShown(newest);
  if (sheet) yield { subject: `${subject}/sheets/${sheet.id}`, object: sheet };
}
