import { detectMissing, idIn } from '../../changes/missing/detect-missing.ts';
import type { EntityKey } from '../../model/entity-state.ts';
import type { Entity } from '../../model/entity.ts';
import { FeedError } from '../../model/errors.ts';
import { feedPath } from '../../model/feed.ts';
import { isBuiltIn } from '../../model/resource-catalog.ts';
import { laterOf, toTimestamp, type Timestamp } from '../../model/timestamp.ts';
import type { EntityAnswer, Page } from '../../ports/service-api.ts';
import { eventMakerOf } from '../commit/event-maker.ts';
import { heal, healPage, type Shown } from './heal.ts';
import type { ReadWindow } from './read-window.ts';
import { NoVerdictError, type ReconcileContext, type ReconciledList } from './reconcile-context.ts';

/** What the service says of an entity by its id; undefined if it gives no usable answer. */
type Verdict = EntityAnswer | undefined;

/** Asks for entities that their list did not show, one by one, and tells those that are gone. */
export class MissingEntities {
  readonly #list: ReconciledList;
  readonly #read: ReadWindow;
  readonly #context: ReconcileContext;
  /** False until a failed request is worth no further try. */
  readonly #isLastTry: boolean;
  #hasProof = false;

  constructor(
    list: ReconciledList,
    read: ReadWindow,
    context: ReconcileContext,
    isLastTry: boolean,
  ) {
    this.#list = list;
    this.#read = read;
    this.#context = context;
    this.#isLastTry = isLastTry;
  }

  /**
   * Asks for some entities, tells those that are gone, and compares those that are there.
   *
   * @throws NoVerdictError when a 404 proves nothing here.
   * @throws FeedError when the service fails, unless it is the last try.
   */
  async ask(keys: readonly EntityKey[]): Promise<void> {
    const { counts } = this.#context;
    const requestedAt = this.#now;
    const verdicts = await Promise.all(keys.map((key) => this.#askFor(idIn(key))));
    const gone = keys.filter((_, i) => verdicts[i]?.verdict === 'missing');
    const found = verdicts.filter((each) => each?.verdict === 'found');
    counts.unanswered += verdicts.filter((each) => each === undefined).length;
    counts.forbidden += verdicts.filter((each) => each?.verdict === 'forbidden').length;
    counts.listWrong += found.length;
    for (const { verdict: _, entity, ...dated } of found) {
      await healPage(pageOf([entity], { ...dated, requestedAt }), this.#list, this.#context);
    }
    if (gone.length === 0) return;
    if (!this.#hasProof) await this.#proveList();
    this.#hasProof = true;
    // After the answers: a project that was deleted meanwhile has taken its content along.
    await this.#proveProject();
    await this.#tellGone(gone);
  }

  async #askFor(id: string): Promise<Verdict> {
    const { resource, feed } = this.#list;
    try {
      const answer = await this.#fetch(
        `${feedPath(resource, feed.projectId)}/${encodeURIComponent(id)}`,
      );
      return answer.verdict === 'found' && answer.entity.id !== id ? undefined : answer;
    } catch (error) {
      if (error instanceof FeedError && this.#isLastTry) return undefined;
      throw error;
    }
  }

  async #fetch(path: string): Promise<EntityAnswer> {
    const { run, counts } = this.#context;
    const { query } = this.#list.resource;
    const { api } = run.ports;
    if (api.fetchEntity === undefined) throw new NoVerdictError('Entities cannot be asked for.');
    counts.requests += 1;
    return api.fetchEntity({ path, ...(query && { query }) }, run.stopping.signal);
  }

  /** A 404 says something only where an entity that is there, valid and not deleted, is answered. */
  async #proveList(): Promise<void> {
    const { validId } = this.#read;
    const { resource, feed } = this.#list;
    // Its project is asked for all the same. Nothing else vouches for the list of projects.
    if (validId === undefined && isBuiltIn(resource) && feed.projectId !== undefined) return;
    const answer = validId === undefined ? undefined : await this.#askFor(validId);
    if (answer?.verdict === 'found') return;
    throw new NoVerdictError(
      validId === undefined
        ? 'Entities are missing, and none is shown that would prove that they can be asked for by id.'
        : `The service does not answer for ${validId}, which the list shows, by its id.`,
    );
  }

  /** Without its project, or the permission for it, nothing of a list can be found. */
  async #proveProject(): Promise<void> {
    const { projectId } = this.#list.feed;
    if (projectId === undefined) return;
    const { projects } = this.#context.run.options.catalog;
    const answer = await this.#fetch(`${projects.path}/${encodeURIComponent(projectId)}`);
    if (answer.verdict === 'found' && !answer.entity.deleted_at) return;
    throw new NoVerdictError(
      `Its project is ${answer.verdict === 'found' ? 'deleted' : answer.verdict}.`,
    );
  }

  async #tellGone(keys: readonly EntityKey[]): Promise<void> {
    const { feed, resource } = this.#list;
    const { run } = this.#context;
    const states = await run.ports.store.loadStates(feed.id, keys);
    const changes = detectMissing([...states.values()], {
      // Some may have gone after their list was read. A copy that lags may show them the lookback longer.
      ...{ feed, resource, goneBy: this.#goneBy },
      toEvent: eventMakerOf(feed, 'reconcile', run),
    });
    await heal(changes, pageOf([]), this.#list, this.#context);
  }

  /** When all that were asked for were gone, by the service's clock, or by ours if it sends no `Date`. */
  get #goneBy(): Timestamp | undefined {
    const { readAt } = this.#read;
    const { serviceTime } = this.#context.run.paging;
    return readAt === undefined ? this.#now : laterOf(readAt, serviceTime.now);
  }

  /** By our own clock. */
  get #now(): Timestamp | undefined {
    return toTimestamp(this.#context.run.ports.clock.now());
  }
}

/** Entities as if a page had shown them. */
function pageOf(
  entities: readonly Entity[],
  dated: Pick<Page, 'readAfter' | 'requestedAt'> = {},
): Shown {
  return { page: { entities, invalid: [], hasMore: false, ...dated } };
}
