import type { EntityState } from './entity-state.ts';
import type { Entity, JsonObject } from './entity.ts';
import type { Feed } from './feed.ts';
import { ExactNumber } from './json/json.ts';
import type { Timestamp } from './timestamp.ts';

/** The state of a project after a page of the projects' list. */
export interface ProjectState {
  readonly entity: Entity;
  readonly deleted: boolean;
  /** The stored state; absent if there is none. Its feeds were synced before it was stored. */
  readonly saved?: Pick<EntityState, 'version' | 'deleted'>;
  /** True when the page showed a change of the project. */
  readonly changed: boolean;
}

/** How the feeds of a project begin. */
export type Birth = Pick<Feed, 'phase' | 'silentUntil'>;

/**
 * What the feeds of a project are to follow: the state that the projects' list shows.
 *
 * The shard that polls that list carries it out at once for feeds of its own. For others it leaves the
 * order in the table, before it saves the project's state, and the next run of the shard that owns them carries
 * it out.
 */
export interface ProjectOrder {
  readonly projectId: string;
  readonly accountId?: string;
  /** `updated_at` of the project. */
  readonly version: Timestamp;
  readonly deleted: boolean;
  /** True when the page showed a change of the project. */
  readonly changed: boolean;
  /** Absent if the project has its feeds already, or was only seen deleted, and needs none. */
  readonly birth?: Birth;
}

/** Orders and lists have the account of a project, and the table refuses items above 400 KB. */
const MAX_ACCOUNT_LENGTH = 256;

/** The account that a project names, as text; none that is too long for one. */
export function accountOf(project: JsonObject): { readonly accountId?: string } {
  const account = project['account_id'];
  const hasAccount =
    typeof account === 'number' || typeof account === 'string' || account instanceof ExactNumber;
  const accountId = hasAccount ? String(account) : undefined;
  return accountId === undefined || accountId.length > MAX_ACCOUNT_LENGTH ? {} : { accountId };
}
