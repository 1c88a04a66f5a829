import type { Entity, JsonObject } from './entity.ts';
import { ExactNumber } from './json.ts';

/** The state of a project after a page of the projects' list. */
export interface ProjectState {
  readonly entity: Entity;
  readonly deleted: boolean;
  /** True when its stored state is deleted. */
  readonly wasDeleted: boolean;
  /** True when the page showed a change of the project. */
  readonly changed: boolean;
}

/** The account that a project names, as text. */
export function accountOf(project: JsonObject): { readonly accountId?: string } {
  const account = project['account_id'];
  const hasAccount =
    typeof account === 'number' || typeof account === 'string' || account instanceof ExactNumber;
  return hasAccount ? { accountId: String(account) } : {};
}
