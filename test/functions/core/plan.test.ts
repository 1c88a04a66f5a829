import { describe, expect, it } from 'vitest';
import { newFeed, type Feed } from '../../../functions/core/feed.ts';
import { plan } from '../../../functions/core/plan.ts';
import { makeCatalogue } from '../../../functions/core/resources.ts';

const { projects, perProject } = makeCatalogue();
const [floorplans = projects] = perProject;
const feedOf = (id: string, notBefore = 0): Feed => ({
  ...newFeed(floorplans, 'live', { id }),
  notBefore,
});

describe('the plan', () => {
  it('holds what is due, the projects first', () => {
    const feeds = [feedOf('a'), feedOf('b', 1001), feedOf('c', 1000), newFeed(projects, 'live')];
    const [first, ...rest] = plan(feeds, 1000, () => 0.5);
    expect(first?.id).toBe('projects');
    expect(rest.map(({ projectId }) => projectId)).toEqual(['a', 'c']);
  });

  it('gives each other feed its turn to be first', () => {
    const feeds = ['a', 'b', 'c'].map((id) => feedOf(id));
    const firsts = new Set(
      [0, 1, 2].map((turn) => {
        let call = 0;
        return plan(feeds, 0, () => ((call++ + turn) % 3) / 3)[0]?.projectId;
      }),
    );
    expect(firsts).toEqual(new Set(['a', 'b', 'c']));
  });
});
