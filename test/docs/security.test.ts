import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

interface Template {
  readonly Resources: Readonly<Record<string, { Type: string; Properties?: Policy }>>;
}

interface Policy {
  readonly PolicyDocument?: {
    readonly Statement: readonly { readonly Action: string | readonly string[] }[];
  };
}

it('SECURITY.md names every action that the control function may call, and no other', async () => {
  const template = await readFile('test/infra/templates/example.json', 'utf8');
  const { Resources } = JSON.parse(template) as Template;
  const [policy] = Object.entries(Resources).flatMap(([id, { Type, Properties }]) =>
    Type === 'AWS::IAM::Policy' && id.startsWith('NotifierControlRole') ? [Properties] : [],
  );
  const allowed = (policy?.PolicyDocument?.Statement ?? []).flatMap(({ Action }) => Action);
  const text = await readFile('SECURITY.md', 'utf8');
  const [, section = ''] =
    /^## What the control function can reach\n(.*?)^The stack/ms.exec(text) ?? [];
  const named = [...section.matchAll(/`([a-z0-9]+:[A-Za-z]+)`/g)].map(([, action]) => action);
  expect([...new Set(named)].toSorted()).toEqual([...new Set(allowed)].toSorted());
});
