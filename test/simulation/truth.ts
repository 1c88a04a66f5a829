import type { JsonObject } from '../../functions/core/model/entity.ts';

/** A field whose value is nested so deeply that recursion fails. */
export const NESTED_DEEPLY = 'outline';

/** One state of an entity of a list. */
export interface Version {
  /** `updated_at`. */
  readonly stamp: string;
  /** The time by which the service filters and orders, with nine digits of a second. */
  readonly stored: string;
  /** When readers begin to see it, in milliseconds of virtual time. */
  readonly visibleAt: number;
  /** True when the change of an item did not move its checklist's `updated_at`. */
  readonly isUnmoved: boolean;
  /** All fields, nested entities included, without those that differ on every read. */
  readonly object: JsonObject;
}

/** An item of a checklist: its checklist's versions hold copies of it. */
export interface Item {
  object: JsonObject;
  /** Left out of its list without being deleted. */
  hidden: boolean;
}

/** An entity of a list, with all it ever was. */
export class Row {
  readonly id: string;
  readonly versions: Version[] = [];
  /** Of a checklist. */
  readonly items = new Map<string, Item>();
  /** Identifies the invalid value that is shown in place of the entity. */
  readonly broken?: JsonObject;
  /** Of a checklist: identifies the invalid value that some versions show among its items. */
  brokenItem?: JsonObject;
  /** Not shown at all. */
  hidden = false;
  /** When it went without a trace, in milliseconds of virtual time. */
  destroyedAt?: number;
  /** When it was back as it had been. */
  returnedAt?: number;
  /** Whether an answer has shown it since. */
  isShownAgain = false;
  /** The version that the service gives no way to see, if there is one: see the guarantees. */
  beyondPromise?: string;

  constructor(id: string, broken?: JsonObject) {
    this.id = id;
    if (broken !== undefined) this.broken = broken;
  }

  /** The latest version, seen by readers or not. */
  get newest(): Version {
    const version = this.versions.at(-1);
    if (version === undefined) throw new RangeError(`${this.id} has no version yet`);
    return version;
  }

  /** The versions that share the latest `updated_at`: readers cannot tell which is the latest. */
  get latest(): readonly Version[] {
    return this.versions.filter(({ stamp }) => stamp === this.newest.stamp);
  }

  /** Whether it is gone without a trace at a time. */
  isGoneAt(now: number): boolean {
    const { destroyedAt = Infinity, returnedAt = Infinity } = this;
    return destroyedAt <= now && now < returnedAt;
  }

  /** What readers see. */
  visible(now: number): Version | undefined {
    if (this.isGoneAt(now)) return undefined;
    return this.versions.findLast(({ visibleAt }) => visibleAt <= now);
  }

  /** Whether a version shows the invalid item: then a missing one says nothing. */
  showsBrokenItem({ object }: Version): boolean {
    const items = object['template_check_items'] as readonly JsonObject[] | undefined;
    return items?.some((item) => item === this.brokenItem) === true;
  }

  /** Whether it went, and is not back. */
  get isGone(): boolean {
    return this.destroyedAt !== undefined && this.returnedAt === undefined;
  }

  get isDeleted(): boolean {
    return this.newest.object['deleted_at'] !== null;
  }
}

/** A project with its lists. */
export interface ProjectRows {
  readonly project: Row;
  readonly floorplans: List;
  readonly checklists: List;
}

/** A list of the service, and what has ever been in it. */
export class List {
  /** Path below `/api/v3`. */
  readonly path: string;
  readonly entity: 'project' | 'floorplan' | 'template_checklist';
  readonly rows: Row[] = [];
  /** Which of its entities it hides by mistake. */
  hides: 'none' | 'all' | 'some' = 'none';
  /** Whether it ever did: polling has passed over what it hid. */
  hasHidden = false;

  constructor(path: string, entity: List['entity']) {
    this.path = path;
    this.entity = entity;
  }

  /** What readers see. */
  visible(now: number): { readonly row: Row; readonly version: Version }[] {
    const shown = [];
    for (const row of this.rows) {
      const version = row.hidden ? undefined : row.visible(now);
      if (version !== undefined) shown.push({ row, version });
    }
    return shown;
  }

  /** Entities that it still has. */
  get kept(): Row[] {
    return this.rows.filter(({ isGone }) => !isGone);
  }

  /** The one of them that changed last. */
  get last(): Row | undefined {
    return this.kept.toSorted((a, b) => (a.newest.stored < b.newest.stored ? -1 : 1)).at(-1);
  }

  /** How many rows have their latest version at one timestamp, at the most. */
  get mostAtOneStamp(): number {
    const counts = new Map<string, number>();
    for (const { newest } of this.kept) {
      counts.set(newest.stamp, (counts.get(newest.stamp) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  }

  /** How many rows have their latest version within two milliseconds, at the most. */
  get mostNearOneStamp(): number {
    const times = this.kept.map(({ newest }) => Date.parse(newest.stamp));
    const nearTo = (time: number) => times.filter((other) => Math.abs(other - time) <= 1).length;
    return Math.max(0, ...times.map(nearTo));
  }

  /** The rows that ever had this timestamp. */
  rowsEverAt(stamp: string): Row[] {
    return this.rows.filter(({ versions }) => versions.some((v) => v.stamp === stamp));
  }

  /** The rows that ever had a timestamp within a millisecond of this one. */
  rowsEverNear(stamp: string): Row[] {
    const isNear = (version: Version): boolean =>
      Math.abs(Date.parse(version.stamp) - Date.parse(stamp)) <= 1;
    return this.rows.filter(({ versions }) => versions.some(isNear));
  }

  /** Whether a row's latest version is of a later time. */
  hasStampAfter(time: string): boolean {
    return this.rows.some((row) => row.newest.stamp > time);
  }
}
