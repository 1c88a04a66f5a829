import type { JsonObject } from '../../functions/core/model/entity.ts';
import type { Chronicle } from './chronicle.ts';
import { itemsShown } from './nested-truth.ts';
import type { List, Row, Version } from './truth.ts';
import type { Outcome } from './world.ts';

/** The state of an entity at the end. */
export interface FinalState {
  readonly subject: string;
  /**
   * As the service shows it; undefined when its parent's list lacks it. More than one where readers
   * cannot tell which is the latest: see the guarantees.
   */
  readonly objects: readonly (JsonObject | undefined)[];
  /** The invalid value that the list shows instead. */
  readonly broken?: JsonObject;
  /** True when the last changes did not move the parent's `updated_at`: see the guarantees. */
  readonly mayBeUnseen?: boolean;
  /** True when it is missing beside an invalid item: then its delete may be untold. */
  readonly isUntold?: boolean;
  /** Of a nested entity. */
  readonly parent?: ParentOfItem;
}

/** The entity whose list a nested entity is in. */
export interface ParentOfItem {
  readonly subject: string;
  /** Its latest `updated_at`. */
  readonly stamp: string;
  /** Whether all contents of a version of it show the nested entity. */
  readonly showsAt: (version: string) => boolean;
}

/** The states of all entities that the service shows and the promises cover. */
export function* latestStates(outcome: Outcome): Iterable<FinalState> {
  const { site, chronicle } = outcome;
  for (const row of site.projects.rows) {
    if (!row.hidden && !row.isGone && isPromised(row, chronicle)) {
      yield { subject: `/projects/${row.id}`, objects: row.latest.map(({ object }) => object) };
    }
  }
  for (const list of readableLists(outcome)) yield* statesIn(list, outcome);
}

/** Whether a project is shown: one that is back is if all are compared. */
function isPromised({ newest, beyondPromise, returnedAt }: Row, chronicle: Chronicle): boolean {
  if (returnedAt !== undefined && failedLists(chronicle).has('projects')) return false;
  return beyondPromise !== newest.stamp;
}

/** Ids of the lists that the last reconciliation could not compare. */
function failedLists({ lastJobs = new Map() }: Chronicle): Set<string> {
  const failed = [...lastJobs].filter(([, { cause }]) => cause !== undefined);
  return new Set(failed.map(([list]) => list));
}

/** The lists below projects that the service shows and the promises cover. */
export function readableLists({ site, history, chronicle }: Outcome): List[] {
  const failed = failedLists(chronicle);
  return site.all
    .filter(({ project, list }) => {
      const isClosed = project.isDeleted && history.service.deletedProjectLists === 'not_found';
      if (project.hidden || project.isGone || isClosed) return false;
      // Only a reconciliation finds what was hidden, and it passes over parked lists.
      if (list.hasHidden && (project.isDeleted || failed.has(list.path.slice(1)))) return false;
      if (chronicle.feed(list.path.slice(1)) !== undefined) return true;
      // A project that was never seen alive, or that no list shows, has no feeds. Of two versions
      // with one time either may have been seen.
      const isAlive = project.latest.every(({ object }) => object['deleted_at'] === null);
      return isAlive && isPromised(project, chronicle);
    })
    .map(({ list }) => list);
}

function* statesIn(list: List, outcome: Outcome): Iterable<FinalState> {
  const { site } = outcome;
  for (const row of list.rows) {
    const subject = `${list.path}/${row.id}`;
    if (row.isGone || site.isSaturated(list, row.newest.stamp)) continue;
    if (row.broken !== undefined) {
      yield { subject: list.path, objects: [], broken: row.broken };
      continue;
    }
    const objects = row.latest.map(({ object }) => object);
    yield { subject, objects };
    const promised = promisedOf(row);
    yield* itemsOf(row, promised, subject);
    if (row.brokenItem && promised.every((version) => row.showsBrokenItem(version))) {
      yield { subject, objects: [], broken: row.brokenItem };
    }
    // A sheet that another one replaced in the same version may have been unseen.
    for (const object of row.latest.length === 1 ? objects : []) {
      const sheet = object['current_sheet'] as (JsonObject & { id: string }) | null | undefined;
      if (sheet) yield { subject: `${subject}/sheets/${sheet.id}`, objects: [sheet] };
    }
  }
}

/** The latest versions of a checklist: changes of items that did not move it may be unseen. */
function promisedOf({ versions }: Row): readonly Version[] {
  const newest = versions.at(-1)?.stamp;
  const moved = versions.findLastIndex(({ isUnmoved }) => !isUnmoved);
  const same = versions.findIndex(({ stamp }) => stamp === newest);
  return versions.slice(Math.min(moved, same));
}

function* itemsOf(row: Row, promised: readonly Version[], subject: string): Iterable<FinalState> {
  const { versions } = row;
  for (const id of row.items.keys()) {
    const shown = promised.map((version) => itemsShown(version).get(id));
    const stamps = new Set(shown.map((object) => object?.['updated_at']));
    const ever = versions.map((version) => itemsShown(version).get(id));
    // Beside an invalid item a missing one may be untold.
    const isUntold = promised.some(
      (version) => row.showsBrokenItem(version) && !itemsShown(version).has(id),
    );
    const objects = [
      ...shown,
      ...ever.filter((object) => object && (isUntold || stamps.has(object['updated_at']))),
    ];
    // Versions share a stamp when the item changes without its checklist.
    const showsAt = (stamp: string) =>
      versions.every((version) => version.stamp !== stamp || itemsShown(version).has(id));
    const parent = { subject, stamp: row.newest.stamp, showsAt };
    const mayBeUnseen = promised.length > 1;
    yield {
      subject: `${subject}/template_check_items/${id}`,
      parent,
      objects,
      mayBeUnseen,
      isUntold,
    };
  }
}
