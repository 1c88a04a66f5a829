import { idIn, type EntityKey } from '../../model/entity-state.ts';
import { idOf, type Entity } from '../../model/entity.ts';
import { FeedError, PageTooLargeError } from '../../model/errors.ts';
import { feedPath } from '../../model/feed.ts';
import { omitFields } from '../../model/omit-fields.ts';
import { isBuiltIn, type Resource } from '../../model/resource-catalog.ts';
import type { EntityAnswer, Page } from '../../ports/service-api.ts';
import { healDeletes, healPage, type Shown } from './heal.ts';
import type { ReadWindow } from './read-window.ts';
import { NoVerdictError, type ReconcileContext, type ReconciledList } from './reconcile-context.ts';

/** What the service says of an entity by its id; undefined if it gives no usable answer. */
type Verdict = EntityAnswer['verdict'] | undefined;

/** The answer shows another entity than the one that was asked for. */
class WrongEntityError extends Error {
  override readonly name = 'WrongEntityError';
}

/** Asks for entities that their list did not show, one by one, and tells those that are gone. */
export class MissingEntities {
  readonly #list: ReconciledList;
  readonly #read: ReadWindow;
  readonly #context: ReconcileContext;
  /** False until a failed request is worth no further try. */
  readonly #isLastTry: boolean;
  #hasProof = false;
  /** Done with the last entity that was found. */
  #healed = Promise.resolve();

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
    const verdicts = await settleAll(keys.map((key) => this.#askFor(idIn(key), true)));
    const gone = keys.filter((_, i) => verdicts[i] === 'missing');
    counts.unanswered += verdicts.filter((each) => each === undefined).length;
    counts.forbidden += verdicts.filter((each) => each === 'forbidden').length;
    counts.listWrong += verdicts.filter((each) => each === 'found').length;
    if (gone.length === 0) return;
    if (!this.#hasProof) await this.#proveList();
    this.#hasProof = true;
    // After the answers: a project that was deleted meanwhile has taken its content along.
    await this.#proveProject();
    await this.#tellGone(gone);
  }

  /** @param heals whether an entity that is found is told, if polling has missed that. */
  async #askFor(id: string, heals: boolean): Promise<Verdict> {
    const { resource, feed } = this.#list;
    try {
      return await this.#fetch(
        `${feedPath(resource, feed.projectId)}/${encodeURIComponent(id)}`,
        resource,
        async (answer) => {
          if (answer.verdict !== 'found') return answer.verdict;
          const { verdict, entity } = answer;
          if (idOf(entity) !== id) throw new WrongEntityError(`It has the id ${entity.id}.`);
          const page = omitFields(pageOf([entity]), resource);
          if (heals) await this.#healNext({ page, beganAt: this.#read.readAt });
          return verdict;
        },
      );
    } catch (error) {
      const isUnanswered = error instanceof FeedError && this.#isLastTry;
      if (!isUnanswered && !(error instanceof WrongEntityError)) throw error;
      const message = `The service gives no usable answer for an entity: ${error.message}`;
      this.#context.run.ports.telemetry.warn(message, { feed: feed.id, entity: id });
      return undefined;
    }
  }

  /** Heals one page at a time: {@link heal} counts events by the difference of the run's own counts. */
  #healNext(page: Shown): Promise<void> {
    this.#healed = this.#healed.then(() => healPage(page, this.#list, this.#context));
    return this.#healed;
  }

  /**
   * Requests an entity.
   *
   * @throws FeedError when it is too large for the memory.
   */
  async #fetch<T>(
    path: string,
    { query }: Resource,
    use: (answer: EntityAnswer) => T | Promise<T>,
  ): Promise<T> {
    const { run, counts } = this.#context;
    const { api } = run.ports;
    if (api.fetchEntity === undefined) throw new NoVerdictError('Entities cannot be asked for.');
    counts.requests += 1;
    const request = { path, ...(query && { query }) };
    try {
      return await use(await api.fetchEntity(request, run.stopping.signal));
    } catch (error) {
      if (!(error instanceof PageTooLargeError)) throw error;
      throw new FeedError(`GET ${path}: it has ${error.size}, more than the memory allows`, {
        hint: 'Raise memoryMb, or make the entity smaller.',
      });
    }
  }

  /** A 404 says something only where an entity that is there, valid and not deleted, is answered. */
  async #proveList(): Promise<void> {
    const { validId } = this.#read;
    const { resource, feed } = this.#list;
    // Its project is asked for all the same. Nothing else vouches for the list of projects.
    if (validId === undefined && isBuiltIn(resource) && feed.projectId !== undefined) return;
    const verdict = validId === undefined ? undefined : await this.#askFor(validId, false);
    if (verdict === 'found') return;
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
    const path = `${projects.path}/${encodeURIComponent(projectId)}`;
    const state = await this.#fetch(path, projects, (answer) =>
      answer.verdict === 'found' && answer.entity.deleted_at ? 'deleted' : answer.verdict,
    );
    if (state !== 'found') throw new NoVerdictError(`Its project is ${state}.`);
  }

  #tellGone(keys: readonly EntityKey[]): Promise<void> {
    const { feed, resource } = this.#list;
    const gone = keys.map((key) => {
      const id = idIn(key);
      const subject = `${feedPath(resource, feed.projectId)}/${id}`;
      return { key, entity: resource.entity, id, subject };
    });
    return healDeletes(gone, this.#read.readAt, this.#list, this.#context);
  }
}

/**
 * The results of all, once all are settled: nothing is told behind the back of a command that goes on.
 *
 * @throws the first error of them.
 */
async function settleAll<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** Entities as if a page had shown them. */
function pageOf(entities: readonly Entity[]): Page {
  return { entities, invalid: [], hasMore: false };
}
