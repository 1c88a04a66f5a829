import { describe, expect, it } from 'vitest';
import type { CreatedResource, Template } from '../../../../infra/local/stack/resolve-template.ts';
import {
  orderByDependency,
  resolveValue,
  TemplateError,
} from '../../../../infra/local/stack/resolve-template.ts';

const created = new Map<string, CreatedResource>([
  ['Table', { ref: 'table-1', attributes: { Arn: 'arn:table-1' } }],
  ['Role', { ref: 'role-1', attributes: { 'Nested.Id': 'role-id' } }],
]);

describe('resolve', () => {
  it.each([
    ['a plain value', 'text', 'text'],
    ['Ref of a resource', { Ref: 'Table' }, 'table-1'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'us-east-1'],
    ['Fn::GetAtt as a list', { 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:table-1'],
    ['Fn::GetAtt as a text', { 'Fn::GetAtt': 'Table.Arn' }, 'arn:table-1'],
    ['Fn::GetAtt of a dotted attribute', { 'Fn::GetAtt': 'Role.Nested.Id' }, 'role-id'],
    [
      'Fn::Join with functions in it',
      { 'Fn::Join': [':', ['arn', { Ref: 'AWS::Partition' }, { Ref: 'Table' }]] },
      'arn:aws:table-1',
    ],
    [
      'Fn::Sub with references, attributes and a literal',
      { 'Fn::Sub': '${AWS::AccountId}/${Table}/${Table.Arn}/${!Table}' },
      '000000000000/table-1/arn:table-1/${Table}',
    ],
    [
      'Fn::Sub with variables of its own',
      { 'Fn::Sub': ['${name}-${Table}', { name: { Ref: 'Role' } }] },
      'role-1-table-1',
    ],
    [
      'Fn::Select of an Fn::Split',
      { 'Fn::Select': [1, { 'Fn::Split': [':', { 'Fn::GetAtt': ['Table', 'Arn'] }] }] },
      'table-1',
    ],
    [
      'functions deep in objects and lists',
      { a: [{ b: { Ref: 'Table' } }, 1, null, true] },
      { a: [{ b: 'table-1' }, 1, null, true] },
    ],
    ['an object with more keys than a function', { Ref: 'x', other: 1 }, { Ref: 'x', other: 1 }],
  ])('replaces %s', (_, value, expected) => {
    expect(resolveValue(value, created, 'Thing')).toEqual(expected);
  });

  it.each([
    [{ Ref: 'Nobody' }, 'there is no resource Nobody'],
    [{ 'Fn::GetAtt': ['Nobody', 'Arn'] }, 'there is no resource Nobody'],
    [{ 'Fn::GetAtt': ['Table', 'StreamArn'] }, 'Table has no attribute StreamArn'],
    [{ 'Fn::Sub': '${Nobody.Arn}' }, 'there is no resource Nobody'],
    [{ 'Fn::If': ['Condition', 1, 2] }, 'resolves Ref, Fn::GetAtt, Fn::Join,'],
  ])('names the place and the function when it cannot resolve %j', (value, reason) => {
    const resolving = () => resolveValue({ Environment: [value] }, created, 'Poller');
    expect(resolving).toThrow(TemplateError);
    expect(resolving).toThrow(`Poller.Environment[0]: cannot resolve {"${Object.keys(value)[0]}"`);
    expect(resolving).toThrow(reason);
  });
});

describe('inDependencyOrder', () => {
  const order = (resources: Template['Resources']): string[] =>
    orderByDependency({ Resources: resources }).map(([id]) => id);

  it.each([
    ['Ref', { Properties: { Name: { Ref: 'B' } } }],
    ['Fn::GetAtt as a list', { Properties: { Name: { 'Fn::GetAtt': ['B', 'Arn'] } } }],
    ['Fn::GetAtt as a text', { Properties: { Name: { 'Fn::GetAtt': 'B.Arn' } } }],
    ['Fn::Sub', { Properties: { Name: { 'Fn::Sub': 'x-${B.Arn}' } } }],
    ['a variable of Fn::Sub', { Properties: { N: { 'Fn::Sub': ['${v}', { v: { Ref: 'B' } }] } } }],
    ['a function in Fn::Join', { Properties: { N: { 'Fn::Join': ['', [{ Ref: 'B' }]] } } }],
    ['DependsOn as a text', { DependsOn: 'B' }],
    ['DependsOn as a list', { DependsOn: ['B'] }],
  ])('puts a resource after what it names by %s', (_, resource) => {
    expect(order({ A: { Type: 'T', ...resource }, B: { Type: 'T' } })).toEqual(['B', 'A']);
  });

  it('leaves pseudo parameters out of account', () => {
    expect(order({ A: { Type: 'T', Properties: { Name: { Ref: 'AWS::Region' } } } })).toEqual([
      'A',
    ]);
  });

  it('names the resources that depend on each other in a circle', () => {
    const circle = { A: { Type: 'T', DependsOn: 'B' }, B: { Type: 'T', DependsOn: 'A' } };
    expect(() => order(circle)).toThrow('Resources depend on each other in a cycle: A → B → A');
  });
});
