import { expect, it } from 'vitest';
import { unmatchedProjects } from '../../../functions/control/status.ts';
import { newFeed, type Feed } from '../../../functions/core/model/feed.ts';
import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import { timeAt } from '../../support/list-service.ts';
import { feedOf } from '../../support/samples.ts';

const KNOWN = '876c7fcc-4f08-4090-945e-d20f16c243ec';
const catalog = makeCatalog({ projects: [KNOWN.toUpperCase(), '17'] });
const projects: Feed = { ...newFeed(catalog.projects, 'live'), cursor: timeAt(1) };
const known = feedOf({ projectId: KNOWN });

it.each<[string, readonly Feed[], readonly string[]]>([
  ['those without a list', [projects, known], ['17']],
  ['those whose project is deleted', [projects, { ...known, parked: { until: 0 } }], [KNOWN, '17']],
  ['none before the projects were read', [{ ...projects, phase: 'baseline' }, known], []],
])('Entries of projects that select none are %s', (_, feeds, entries) => {
  expect(unmatchedProjects(feeds, catalog)).toEqual(entries);
});
