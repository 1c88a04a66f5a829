import * as z from 'zod/mini';
import {
  allResources,
  entitiesOf,
  makeCatalog,
  type Resource,
} from '../core/model/resource-catalog.ts';
import { fields, matching, textAt, uniqueBy } from './field-types.ts';

const BUILT_IN = allResources(makeCatalog());
const NAMES = BUILT_IN.map(({ name }) => name);
const ENTITIES = [
  ...entitiesOf(BUILT_IN),
  // Keys of entities begin with the word, and this one is of the marks of invalid ones.
  'invalid',
];
const PATHS = BUILT_IN.map(({ path }) => path);

const WORD = /^[a-z][a-z0-9_]{0,63}$/;
const WORD_ALLOWED = 'of at most 64 lower-case letters, digits and _ that starts with a letter';

const additionalResource = fields({
  /** Name of the list in lower case, unique and not built in: `checklists`. */
  name: matching(WORD, `a name ${WORD_ALLOWED}`).check(
    notIn(NAMES, `a name other than ${NAMES.join(', ')}`),
  ),
  /** Word of the event type, unique and not built in: `checklist` in `checklist.updated`. */
  entity: matching(WORD, `a word ${WORD_ALLOWED}`).check(
    notIn(ENTITIES, `a word other than ${ENTITIES.join(', ')}`),
  ),
  /**
   * Path below `{base_url}/api/v3`: `/projects/{project_id}/checklists`, or `/users` for a list of
   * the account.
   */
  path: matching(
    /^(?=.{1,200}$)(\/projects\/\{project_id\}|(?!\/projects(\/|$)))(\/[A-Za-z0-9_-]+)+$/,
    'a path of at most 200 characters, each part / and letters, digits, - or _: below ' +
      '/projects/{project_id}, or, for a list of the account, not below /projects, such as /users',
  ).check(notIn(PATHS, 'a path that is not polled already')),
});

/** Lists of the same shape as the built-in ones, polled besides them. */
export const additionalResources = z
  .array(additionalResource, { error: 'a list of objects with name, entity and path' })
  .check(unique('name', 'name'), unique('entity', 'word'), unique('path', 'path'));

/** Names of all lists, the built-in ones first. */
export function listNames(additional: readonly Resource[]): readonly string[] {
  return [...NAMES, ...additional.map(({ name }) => name)];
}

function notIn(taken: readonly string[], error: string) {
  return z.refine<string>((value) => !taken.includes(value), { error });
}

function unique(key: string, noun: string) {
  return uniqueBy(key, `a ${noun} that no other entry has`, (entry) => textAt(entry, key));
}
