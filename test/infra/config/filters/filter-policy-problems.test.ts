import { describe, expect, it } from 'vitest';
import { filterPolicyProblems } from '../../../../infra/config/filters/filter-policy-problems.ts';

type Policy = Readonly<Record<string, unknown>>;

/** Problems as `path: allowed`. */
const problemsIn = (scope: 'MessageAttributes' | 'MessageBody', policy: Policy): string[] =>
  filterPolicyProblems(policy, scope).map(({ path, allowed }) => `${path.join('.')}: ${allowed}`);
const ofAttributes = (policy: Policy) => problemsIn('MessageAttributes', policy);
const ofBody = (policy: Policy) => problemsIn('MessageBody', policy);

describe('a value of a filter policy', () => {
  it.each([
    'project.created',
    '',
    { prefix: 'project.' },
    { suffix: '.deleted' },
    { 'equals-ignore-case': 'PROJECT.created' },
    { wildcard: 'template_*.*' },
    { wildcard: 'a*b*c*\\*' },
    { exists: true },
    { exists: false },
    { cidr: '10.0.0.0/24' },
    { cidr: '2001:db8::/32' },
    { 'anything-but': 'replay' },
    { 'anything-but': ['replay', 'reconcile'] },
    { 'anything-but': { prefix: 'template_' } },
    { 'anything-but': { wildcard: '*_item.*' } },
  ])('may be %j', (value) => {
    expect(ofAttributes({ type: [value] })).toEqual([]);
    expect(ofBody({ data: { object: { name: ['x', value] } } })).toEqual([]);
  });

  it.each([
    90,
    -1e9,
    true,
    null,
    { numeric: ['=', 1.5] },
    { numeric: ['>', -1] },
    { numeric: ['>=', 0, '<', 1e9] },
    { 'anything-but': 90 },
    { 'anything-but': [90, 180] },
  ])('may be %j of the body, but not of attributes, which are texts', (value) => {
    expect(ofBody({ rotation: [value] })).toEqual([]);
    const [problem] = ofAttributes({ type: ['a', value] });
    expect(problem).toMatch(/^type\.1(\.anything-but)?: .*text/);
  });

  it.each([
    [['x'], '', 'a text, a number from -1000000000 to 1000000000, true, false, null or an object'],
    [{}, '', 'an object with one of prefix, suffix, '],
    [{ prefx: 'a' }, '', 'an object with one of prefix, suffix, '],
    [{ toString: 'a' }, '', 'an object with one of prefix, suffix, '],
    [{ prefix: 'a', suffix: 'b' }, '', 'an object with one of prefix, suffix, '],
    [1e9 + 1, '', 'a number from -1000000000'],
    [{ prefix: '' }, '.prefix', 'a text that is not empty'],
    [{ prefix: 5 }, '.prefix', 'a text that is not empty'],
    [{ suffix: null }, '.suffix', 'a text that is not empty'],
    [{ 'equals-ignore-case': ['a'] }, '.equals-ignore-case', 'a text that is not empty'],
    [{ wildcard: 'a*b*c*d*' }, '.wildcard', 'a text with at most 3 *, no two in a row'],
    [{ wildcard: 'a**' }, '.wildcard', 'a text with at most 3 *'],
    [{ wildcard: ['*'] }, '.wildcard', 'a text with at most 3 *'],
    [{ exists: 'yes' }, '.exists', 'true or false'],
    [{ cidr: '10.0.0.0' }, '.cidr', 'an IP range such as 10.0.0.0/24'],
    [{ cidr: '10.0.0.0/33' }, '.cidr', 'an IP range'],
    [{ cidr: '10.0.0/8' }, '.cidr', 'an IP range'],
    [{ cidr: '::/129' }, '.cidr', 'an IP range'],
    [{ numeric: [] }, '.numeric', 'a comparison such as ["=", 90] or [">=", 0, "<", 90]'],
    [{ numeric: 90 }, '.numeric', 'a comparison such as'],
    [{ numeric: ['!=', 90] }, '.numeric', 'a comparison such as'],
    [{ numeric: ['=', '90'] }, '.numeric', 'a comparison such as'],
    [{ numeric: ['<', 1, '>', 0] }, '.numeric', 'a comparison such as'],
    [{ numeric: ['>', 1, '<', 1] }, '.numeric', 'a comparison such as'],
    [{ numeric: ['>', 1, '<', 2, '<', 3] }, '.numeric', 'a comparison such as'],
    [{ 'anything-but': [] }, '.anything-but', 'a text, a number, a list of either'],
    [{ 'anything-but': ['a', 1] }, '.anything-but', 'a text, a number, a list of either'],
    [{ 'anything-but': null }, '.anything-but', 'a text, a number, a list of either'],
    [{ 'anything-but': { prefix: '' } }, '.anything-but', 'or an object with one of prefix'],
    [{ 'anything-but': { exists: true } }, '.anything-but', 'one of prefix, wildcard'],
    [{ 'anything-but': { suffix: '.updated' } }, '.anything-but', 'one of prefix, wildcard'],
  ])('may not be %j, and the problem names its place', (value, place, allowed) => {
    const [problem, ...others] = ofBody({ data: { object: { x: ['ok', value] } } });
    expect(others).toEqual([]);
    expect(problem).toMatch(new RegExp(`^data\\.object\\.x\\.1${place}: `));
    expect(problem).toContain(allowed);
  });
});

describe('$or', () => {
  it('is taken with two objects or more, also in another or deep in the body', () => {
    const either = [{ entity: ['sheet'] }, { action: ['deleted'], cause: ['poll'] }];
    expect(ofAttributes({ $or: either })).toEqual([]);
    expect(ofAttributes({ cause: ['poll'], $or: [{ $or: either }, { type: ['a'] }] })).toEqual([]);
    expect(ofBody({ data: { object: { $or: [{ x: [1] }, { y: { z: [2] } }] } } })).toEqual([]);
  });

  it.each([[[]], [[{ entity: ['sheet'] }]], ['x'], [{ a: ['x'] }]])(
    'is not %j: SNS would take it for an attribute',
    ($or) => {
      const allowed = '$or: a list of at least two objects with conditions';
      expect(ofAttributes({ $or })).toEqual([allowed]);
      expect(ofBody({ $or })).toEqual([allowed]);
    },
  );

  it('has conditions in each of its objects, which are checked like those outside', () => {
    expect(
      ofAttributes({ $or: [{}, 'x', { subject: ['x'] }, { type: [5] }, { type: [] }] }),
    ).toEqual([
      '$or.0: an object with conditions',
      '$or.1: an object with conditions',
      expect.stringMatching(/^\$or\.2\.subject: the attributes type, entity/) as string,
      expect.stringMatching(/^\$or\.3\.type\.0: a text/) as string,
      '$or.4.type: a list of at least one value or condition',
    ]);
  });

  it('has no operators for names: SNS would take it for an attribute', () => {
    expect(ofBody({ $or: [{ prefix: ['a'] }, { 'anything-but': ['b'] }] })).toEqual([
      '$or.0.prefix: a name that is not an operator',
      '$or.1.anything-but: a name that is not an operator',
    ]);
  });

  it('adds up the combinations of its objects, each with those outside', () => {
    const values = (count: number) => Array.from({ length: count }, (_, i) => `v${i}`);
    const policy = (first: number) => ({
      action: values(2),
      $or: [{ entity: values(first) }, { type: values(5), cause: values(5) }],
    });
    expect(ofAttributes(policy(50))).toEqual([]);
    expect(ofAttributes(policy(51))).toEqual([
      ': at most 150 combinations of values, this policy has 152',
    ]);
  });

  it('brings its attributes to the five that a policy may have', () => {
    const [a, b, c, d, e, f] = ['type', 'entity', 'action', 'cause', 'changed', 'project_id'].map(
      (key) => ({ [key]: ['x'] }),
    );
    expect(ofAttributes({ ...a, ...b, ...c, $or: [d, { ...e, ...a }] })).toEqual([]);
    expect(ofAttributes({ ...a, ...b, ...c, $or: [d, { $or: [e, f] }] })).toEqual([
      ': a filter policy of 1 to 5 keys, those in $or included',
    ]);
  });
});
