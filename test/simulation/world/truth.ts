import type { JsonObject } from '../../../functions/core/model/entity.ts';

/** One state of an entity of a list. */
export interface Version {
  /** `updated_at`. */
  readonly stamp: string;
  /** The time by which the service filters and orders, with nine digits of a second. */
  readonly stored: string;
  /** When readers begin to see it, in milliseconds of virtual time. */
  readonly visibleAt: number;
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
  /** The items of a checklist. */
  readonly items = new Map<string, Item>();
  /** Identifies the invalid value that is shown in place of the entity. */
  readonly broken?: JsonObject;
  /** For a project: nobody may read it. */
  hidden = false;
  /** When a project could be read again, in milliseconds of virtual time; 0: never hidden. */
  grantedAt = 0;
  /** When it went without a trace, in milliseconds of virtual time. */
  destroyedAt = Infinity;
  /** The version that became visible later than the lookback: limit 5. */
  unseen?: string;

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

  /** What readers see. */
  visible(now: number): Version | undefined {
    if (this.destroyedAt <= now) return undefined;
    return this.versions.findLast(({ visibleAt }) => visibleAt <= now);
  }

  get isGone(): boolean {
    return this.destroyedAt < Infinity;
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

/** The entity as readers see it. */
export interface Shown {
  readonly row: Row;
  readonly version: Version;
}

/** A list of the service, and all that has ever been in it. */
export class List {
  /** Path below `/api/v3`. */
  readonly path: string;
  readonly rows: Row[] = [];
  /** Whether it hides every second entity by mistake. */
  isThin = false;
  /** Whether it ever did: polling has passed over what it hid. */
  wasThin = false;

  constructor(path: string) {
    this.path = path;
  }

  /** The id of its feed. */
  get feedId(): string {
    return this.path.slice(1);
  }

  /** What readers see. */
  visible(now: number): Shown[] {
    return this.rows.flatMap((row) => {
      const version = row.hidden ? undefined : row.visible(now);
      return version === undefined ? [] : [{ row, version }];
    });
  }

  /** Entities that it still has. */
  get kept(): Row[] {
    return this.rows.filter(({ isGone }) => !isGone);
  }
}

/** The items of a checklist that a version of it shows, by id. */
export function itemsShown({ object }: Version): ReadonlyMap<string, JsonObject> {
  const items = (object['template_check_items'] ?? []) as (JsonObject & { id: string })[];
  return new Map(items.map((item) => [item.id, item]));
}

/** The current sheet that a version of a floorplan shows. */
export function sheetShown({ object }: Version): (JsonObject & { id: string }) | null {
  return (object['current_sheet'] ?? null) as (JsonObject & { id: string }) | null;
}
