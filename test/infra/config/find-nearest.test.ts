import { expect, it } from 'vitest';
import { findNearest } from '../../../infra/config/find-nearest.ts';

const NAMES = ['baseUrl', 'everyMinutes', 'name', 'region'];

it.each([
  ['everyMinute', 'everyMinutes'],
  ['everyMinuets', 'everyMinutes'],
  ['BASEURL', 'baseUrl'],
  ['baseUri', 'baseUrl'],
  ['nmae', 'name'],
  ['every', 'everyMinutes'],
])('takes %s for %s', (text, name) => {
  expect(findNearest(text, NAMES)).toBe(name);
});

it('takes the shorter one of two names that are as near', () => {
  expect(findNearest('project', ['projects/1/floorplans', 'projects'])).toBe('projects');
});

it.each(['colour', 'x', '', 'names of all subscribers'])('takes %j for no name', (text) => {
  expect(findNearest(text, NAMES)).toBeUndefined();
});
