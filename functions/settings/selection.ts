import * as z from 'zod/mini';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import { matching, oneOf } from './field-types.ts';

const [first = '', ...others] = makeCatalog().perProject.map(({ name }) => name);

/** Names of the built-in lists of projects. */
export const resources = z.array(oneOf(first, ...others), {
  error: `a list of ${[first, ...others].map((name) => `"${name}"`).join(' and ')}`,
});

const PROJECTS_ALLOWED = 'a list of ids of projects; leave it out for all projects';

/** Ids of projects: UUIDs (spec, "Notation"), or numbers, which some services show. */
export const projects = z
  .array(
    matching(
      /^([\da-fA-F]{8}(-[\da-fA-F]{4}){3}-[\da-fA-F]{12}|\d{1,16})$/,
      'the id of a project, not its name: a UUID, or digits',
    ),
    { error: PROJECTS_ALLOWED },
  )
  .check(z.minLength(1, { error: PROJECTS_ALLOWED }));
