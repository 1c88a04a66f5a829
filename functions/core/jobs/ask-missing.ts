/**
 * Asks the service for known entities that their list did not show, by their ids.
 *
 * | Answer | What becomes of the entity                                |
 * |--------|------------------------------------------------------------|
 * | 404    | `deleted`, if the service proves to answer for this list    |
 * | 200    | committed as if a page had shown it                         |
 * | 403    | counted: we may not know                                    |
 * | other  | counted; after five in a row the try fails                  |
 *
 * A 404 proves nothing where the resource has no endpoint for one entity, or where the project, or the
 * permission for it, is gone. So after such answers the service is asked for an entity that the list does show.
 * A list that shows none has its project asked for.
 */
import { commitMissing } from '../commit/commit-entities.ts';
import { chunksOf } from '../model/chunks.ts';
import { idIn, type EntityKey } from '../model/entity-state.ts';
import { idOf } from '../model/entity.ts';
import { FeedError } from '../model/errors.ts';
import { feedPath } from '../model/feed.ts';
import { sumCounts, type JobCounts } from '../model/job.ts';
import { omitFields } from '../model/omit-fields.ts';
import { isBuiltIn, type Resource } from '../model/resource-catalog.ts';
import { isoTime } from '../model/timestamp.ts';
import type { EntityAnswer } from '../ports/service-api.ts';
import type { RunContext } from '../run/run-context.ts';
import { commitShown, targetOf, type ReconciledList, type WholeList } from './reconciled-list.ts';

/** After so many entities without a usable answer in a row the service seems to fail. */
const MAX_UNANSWERED = 5;

/** @returns what came of those that are not deleted. @throws FeedError when the service fails, or proves nothing. */
export async function askForMissing(
  missing: readonly EntityKey[],
  list: ReconciledList,
  whole: WholeList,
  run: RunContext,
  signal: AbortSignal,
): Promise<JobCounts> {
  let counts: JobCounts = {};
  let unansweredInARow = 0;
  for (const keys of chunksOf(missing, run.options.concurrency)) {
    const answers = await Promise.all(keys.map((key) => askFor(key, list, run, signal)));
    const count = (verdict: string): number =>
      answers.filter((answer) => answer.verdict === verdict).length;
    const [hidden, forbidden, unanswered] = [
      count('found'),
      count('forbidden'),
      count('unanswered'),
    ];
    counts = sumCounts([counts, { hidden, forbidden, unanswered }]);
    for (const answer of answers)
      if (answer.verdict === 'found') await commitFound(answer, list, whole, run);
    const gone = keys.filter((_, index) => answers[index]?.verdict === 'missing');
    if (gone.length > 0) {
      await proveThatItAnswers(list, whole, run, signal);
      await deleteGone(gone, list, whole, run);
    }
    unansweredInARow = unanswered < keys.length ? 0 : unansweredInARow + unanswered;
    if (unansweredInARow >= MAX_UNANSWERED)
      throw new FeedError(`${list.feed.id}: the service gives no usable answer for entities`, {
        hint: 'Reconcile the list again once the service answers.',
      });
  }
  return counts;
}

type Answer = EntityAnswer | { readonly verdict: 'unanswered' };

async function askFor(
  key: EntityKey,
  { feed, resource }: ReconciledList,
  run: RunContext,
  signal: AbortSignal,
): Promise<Answer> {
  const id = idIn(key);
  try {
    const path = `${feedPath(resource, feed.projectId)}/${encodeURIComponent(id)}`;
    const answer = await fetchEntity(path, resource, run, signal);
    const isOther = answer.verdict === 'found' && idOf(answer.entity) !== id;
    return isOther ? { verdict: 'unanswered' } : answer;
  } catch (error) {
    if (!(error instanceof FeedError) || signal.aborted) throw error;
    const fields = { feed: feed.id, entity: id };
    run.ports.telemetry.warn(`No usable answer for an entity: ${error.message}`, fields);
    return { verdict: 'unanswered' };
  }
}

async function fetchEntity(
  path: string,
  { query }: Resource,
  { ports }: RunContext,
  signal: AbortSignal,
): Promise<EntityAnswer> {
  const request = { path, ...(query && { query }) };
  // An api without this call knows no entity.
  return (await ports.api.fetchEntity?.(request, signal)) ?? { verdict: 'forbidden' };
}

async function commitFound(
  { entity }: Extract<EntityAnswer, { readonly verdict: 'found' }>,
  list: ReconciledList,
  { beganAt }: WholeList,
  run: RunContext,
): Promise<void> {
  const page = omitFields({ entities: [entity], invalid: [], hasMore: false }, list.resource);
  await commitShown(page, list, beganAt, run);
}

/** @throws FeedError if a 404 for an entity of the list proves nothing. */
async function proveThatItAnswers(
  { feed, resource }: ReconciledList,
  { validId }: WholeList,
  run: RunContext,
  signal: AbortSignal,
): Promise<void> {
  const { projects } = run.options.catalog;
  const { projectId } = feed;
  const own = validId !== undefined && `${feedPath(resource, projectId)}/${validId}`;
  const ofProject =
    isBuiltIn(resource) && projectId !== undefined && `${projects.path}/${projectId}`;
  const path = own || ofProject;
  const answer = path && (await fetchEntity(path, own ? resource : projects, run, signal));
  if (answer && answer.verdict === 'found' && (own || !answer.entity.deleted_at)) return;
  const reason = path
    ? `the service does not answer for ${path}, which should be there`
    : 'it shows no entity that would prove that others can be asked for';
  throw new FeedError(`${feed.id}: entities are missing, but ${reason}`, {
    hint: 'Check the permissions of the token, and whether the list can be read.',
  });
}

/** Publishes and saves that entities are deleted. */
async function deleteGone(
  keys: readonly EntityKey[],
  list: ReconciledList,
  { beganAt }: WholeList,
  run: RunContext,
): Promise<void> {
  const place = { entity: list.resource.entity, path: `/${list.feed.id}`, isWrittenAhead: true };
  const goneAt = isoTime(run.ports.clock.now());
  const gone = keys.map((key) => ({ place, id: idIn(key), key, goneAt }));
  await commitMissing(gone, targetOf(list, beganAt, run));
}
