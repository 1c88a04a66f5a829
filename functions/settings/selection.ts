import * as z from 'zod/mini';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import { matching, oneOf } from './field-types.ts';

const [first = '', ...others] = makeCatalog().perProject.map(({ name }) => name);

/** Names of the built-in lists of projects. */
export const resources = z.array(oneOf(first, ...others), {
  error: `a list of ${[first, ...others].map((name) => `"${name}"`).join(' and ')}`,
});

const PROJECTS_ALLOWED =
  'a list of ids of projects, or of their names with *; leave it out for all projects';

/** Ids of projects, or their names with wildcards. */
export const projects = z
  .array(
    matching(
      /^(?=.{1,100}$)[^*]+$|^(?=.{1,100}$)[^*]*(\*[^*]+){0,3}\*?$/s,
      'an id or name of 1 to 100 characters with at most 4 *, no two in a row',
    ),
    { error: PROJECTS_ALLOWED },
  )
  .check(z.minLength(1, { error: PROJECTS_ALLOWED }));
