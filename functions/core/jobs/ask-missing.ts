/**
 * Asks the service for known entities that their list did not show, by their ids.
 *
 * | Answer                    | Verdict on the entity                                  |
 * |---------------------------|--------------------------------------------------------|
 * | 404                       | deleted, if the service answers for others of its list |
 * | 200                       | found: its list hides it                               |
 * | 403, or a body without it | forbidden: we may not know                             |
 * | other                     | none: the try fails                                    |
 */
import { idIn, type EntityKey } from '../model/entity-state.ts';
import { idOf, type Entity } from '../model/entity.ts';
import { FeedError, ProtocolError } from '../model/errors.ts';
import { isBuiltIn, type Resource } from '../model/resource-catalog.ts';
import type { EntityAnswer } from '../ports/service-api.ts';
import type { ListJob } from './list-job.ts';

/** The answers for missing entities. */
export interface Verdicts {
  readonly found: readonly Entity[];
  readonly gone: readonly EntityKey[];
  readonly forbiddenCount: number;
}

/**
 * @param shownId an entity that the list shows, and not as deleted, if there is one.
 * @throws FeedError when the service fails, or proves nothing.
 */
export async function askFor(
  missing: readonly EntityKey[],
  shownId: string | undefined,
  list: ListJob,
  signal: AbortSignal,
): Promise<Verdicts> {
  const { feed, resource } = list;
  const answers = await Promise.all(
    missing.map(async (key) => ({
      key,
      ...(await fetchEntity(`/${feed.id}`, idIn(key), resource, list, signal).catch(asForbidden)),
    })),
  );
  const gone = answers.flatMap(({ key, verdict }) => (verdict === 'missing' ? key : []));
  if (gone.length > 0) await proveThatItAnswers(shownId, list, signal);
  return {
    found: answers.flatMap((answer) => (answer.verdict === 'found' ? answer.entity : [])),
    gone,
    forbiddenCount: answers.filter(({ verdict }) => verdict === 'forbidden').length,
  };
}

/**
 * A 404 proves nothing if the list has no endpoint for single entities, or if the user lost the
 * project. So the service must also answer for an entity that the list shows, or else for the
 * project.
 */
async function proveThatItAnswers(
  shownId: string | undefined,
  list: ListJob,
  signal: AbortSignal,
): Promise<void> {
  const { feed, resource, run } = list;
  const { projects } = run.options.catalog;
  const projectId = isBuiltIn(resource) ? feed.projectId : undefined;
  const [path, id, of] =
    shownId === undefined
      ? [projects.path, projectId, projects]
      : [`/${feed.id}`, shownId, resource];
  const answer = id === undefined ? undefined : await fetchEntity(path, id, of, list, signal);
  if (answer?.verdict === 'found' && !answer.entity.deleted_at) return;
  const reason = answer
    ? `the service does not answer for ${path}/${id}, which should be there`
    : 'it shows no entity that would prove that others can be asked for';
  throw new FeedError(`${feed.id}: entities are missing, but ${reason}`, {
    hint: 'Check the permissions of the token, and whether the list can be read.',
  });
}

/** An odd answer for one entity does not keep the others from being judged. */
function asForbidden(error: unknown): EntityAnswer {
  if (error instanceof ProtocolError) return { verdict: 'forbidden' };
  throw error;
}

async function fetchEntity(
  listPath: string,
  id: string,
  { query }: Resource,
  { run }: ListJob,
  signal: AbortSignal,
): Promise<EntityAnswer> {
  const path = `${listPath}/${encodeURIComponent(id)}`;
  const answer = await run.ports.api.fetchEntity({ path, ...(query && { query }) }, signal);
  if (answer.verdict !== 'found' || idOf(answer.entity) === id) return answer;
  throw new ProtocolError(`${path}: the service answers with ${idOf(answer.entity)}`, {
    hint: "Report it to the service's provider.",
  });
}
