import type { EntityState } from './entity-state.ts';
import type { Entity, JsonObject } from './entity.ts';
import { ExactNumber } from './json/json.ts';

/** The state of a project after a page of the projects' list. */
export interface ProjectState {
  /** Its id alone, if the service does not show it any more. */
  readonly entity: Pick<Entity, 'id'> & JsonObject;
  /** As the mirror has it after the page: an older version on the page changes nothing. */
  readonly deleted: boolean;
  /** The stored state; absent if there is none. Its feeds were synced before it was stored. */
  readonly saved?: Pick<EntityState, 'version' | 'deleted'>;
  /** True when the page showed a change of the project. */
  readonly changed: boolean;
}

/** Feeds have the account of a project, and the table refuses items above 400 KB. */
const MAX_ACCOUNT_LENGTH = 256;

/** The account that a project names, as text; none that is too long for one. */
export function accountOf(project: JsonObject): { readonly accountId?: string } {
  const account = project['account_id'];
  const isId = ['number', 'string'].includes(typeof account) || account instanceof ExactNumber;
  const accountId = isId ? String(account) : undefined;
  return accountId === undefined || accountId.length > MAX_ACCOUNT_LENGTH ? {} : { accountId };
}
