import type { JsonObject } from '../../functions/core/model/entity.ts';
import { itemsShown } from './nested-truth.ts';
import type { Outcome } from './simulation.ts';
import type { List, Row } from './truth.ts';

/** The state of an entity at the end. */
export interface FinalState {
  readonly subject: string;
  /** As the service shows it; undefined when its parent's list lacks it. */
  readonly object?: JsonObject;
  /** The invalid value that the list shows instead. */
  readonly broken?: unknown;
  /** Of a nested entity: its parent, and whether a version of the parent showed it. */
  readonly parent?: { readonly subject: string; readonly showsAt: (version: string) => boolean };
}

/** The states of all entities that the service shows and the promises cover. */
export function* latestStates(outcome: Outcome): Iterable<FinalState> {
  const { site } = outcome;
  for (const row of site.projects.rows) {
    if (!row.hidden && row.beyondPromise !== row.newest.stamp) {
      yield { subject: `/projects/${row.id}`, object: row.newest.object };
    }
  }
  for (const list of readableLists(outcome)) yield* statesIn(list, outcome);
}

/** The lists below projects that the service shows and the promises cover. */
export function readableLists({ site, history, chronicle }: Outcome): List[] {
  return site.all
    .filter(({ project, list }) => {
      const isClosed = project.isDeleted && history.service.deletedProjectLists === 'not_found';
      if (project.hidden || isClosed) return false;
      if (chronicle.feed(list.path.slice(1)) !== undefined) return true;
      // A project that was never seen alive, or that no list shows, has no feeds.
      return !project.isDeleted && project.beyondPromise !== project.newest.stamp;
    })
    .map(({ list }) => list);
}

function* statesIn(list: List, { site, history }: Outcome): Iterable<FinalState> {
  for (const row of list.rows) {
    const subject = `${list.path}/${row.id}`;
    if (site.isSaturated(list, row.newest.stamp)) continue;
    if (row.broken !== undefined) {
      yield { subject: list.path, broken: row.broken };
      continue;
    }
    yield { subject, object: row.newest.object };
    yield* itemsOf(row, subject);
    const sheet = row.newest.object['current_sheet'] as (JsonObject & { id: string }) | null;
    if (history.notifier.sheets && sheet) {
      yield { subject: `${subject}/sheets/${sheet.id}`, object: sheet };
    }
  }
}

function* itemsOf(row: Row, subject: string): Iterable<FinalState> {
  const shownAt = (version: string) => itemsShown(row.versions.find((v) => v.stamp === version));
  for (const id of row.items.keys()) {
    const object = itemsShown(row.newest).get(id);
    const parent = { subject, showsAt: (version: string) => shownAt(version).has(id) };
    yield { subject: `${subject}/template_check_items/${id}`, parent, ...(object && { object }) };
  }
}
