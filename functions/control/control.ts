import { TableFormatError } from '../core/model/errors.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import type { StateStore } from '../core/ports/state-store.ts';
import { RequestRefusedError } from './control-error.ts';
import { feedsInScope } from './in-scope.ts';
import { parseRequest } from './parse-request.ts';
import { commandId, placeCommand } from './place-command.ts';
import type { ControlAnswer } from './protocol.ts';
import { refuseReconcile } from './refuse-reconcile.ts';
import { loadAccount, reportStatus, type StatusStore } from './report-status.ts';

export interface ControlContext {
  readonly store: StatusStore & Pick<StateStore, 'checkFormat' | 'saveCommands'>;
  readonly catalog: Catalog;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1), as `Math.random`. */
  readonly random: () => number;
}

/**
 * Answers a request of an operator. It holds no lease, and changes no feed: what is to change is left in the
 * table as a command, and the shard that owns the lists carries it out.
 *
 * @returns a refusal for what the operator can mend.
 * @throws other errors: of the table, or of the code.
 */
export async function control(input: unknown, context: ControlContext): Promise<ControlAnswer> {
  const { store, catalog, now, random } = context;
  try {
    const request = parseRequest(input, now());
    await store.checkFormat();
    const account = await loadAccount(store, now());
    const feeds = feedsInScope(account.feeds, catalog, request.scope ?? {});
    if (request.command === 'status') {
      return reportStatus(account, feeds, catalog, now());
    }
    if (request.command === 'reconcile') refuseReconcile(account.commands, feeds, catalog);
    return await placeCommand(request, feeds, commandId(now(), random), store);
  } catch (error) {
    // Of any other error nobody knows whether something was changed.
    const isRefusal = error instanceof RequestRefusedError || error instanceof TableFormatError;
    if (!isRefusal) throw error;
    const { name, message, hint } = error;
    return { error: { name, message, hint } };
  }
}
