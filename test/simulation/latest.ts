import type { JsonObject } from '../../functions/core/model/entity.ts';
import { itemsShown } from './nested-truth.ts';
import type { Outcome } from './simulation.ts';
import type { List, Row } from './truth.ts';

/** Where an entity stands in the end. */
export interface ProjectState {
  readonly subject: string;
  /** As the service shows it; undefined when it is gone from the list it was nested in. */
  readonly object?: JsonObject;
  /** Shown in the place of an entity. */
  readonly broken?: unknown;
  /** Of what is nested: the entity around it, and whether a version of that showed it. */
  readonly parent?: {
    readonly subject: string;
    readonly showsAt: (version: string) => boolean;
  };
}

/** Where everything stands that the service lets us see, and that we promise to tell. */
export function* latestStates(outcome: Outcome): Iterable<ProjectState> {
  const { site } = outcome;
  for (const row of site.projects.rows) {
    if (!row.hidden && row.beyondPromise !== row.newest.stamp) {
      yield { subject: `/projects/${row.id}`, object: row.newest.object };
    }
  }
  for (const list of readableLists(outcome)) yield* statesIn(list, outcome);
}

/** The lists below projects that the service lets us read, and that we promise to follow. */
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

function* statesIn(list: List, { site, history }: Outcome): Iterable<ProjectState> {
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

function* itemsOf(row: Row, subject: string): Iterable<ProjectState> {
  const shownAt = (version: string) => itemsShown(row.versions.find((v) => v.stamp === version));
  for (const id of row.items.keys()) {
    const object = itemsShown(row.newest).get(id);
    const parent = { subject, showsAt: (version: string) => shownAt(version).has(id) };
    yield { subject: `${subject}/template_check_items/${id}`, parent, ...(object && { object }) };
  }
}
