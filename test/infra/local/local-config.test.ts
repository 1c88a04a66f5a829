import { expect, it } from 'vitest';
import { readLocalConfig } from '../../../infra/local/local-config.ts';

const ADDRESSES = { baseUrl: 'http://127.0.0.1:4010', authUrl: 'http://127.0.0.1:4010/auth' };

it('a local stack has the warnings that concern its events, and no others', async () => {
  const sheets = {
    ...{ name: 'sheets', protocol: 'sqs', endpoint: 'arn:aws:sqs:us-east-1:123456789012:sheets' },
    filterPolicy: { entity: ['sheet'] },
  };
  const { warnings } = await readLocalConfig('dev', { ...ADDRESSES, subscribers: [sheets] });
  expect(warnings).toEqual([
    'subscribers[0].filterPolicy.entity[0] "sheet" matches no event: sheet has events only with withCurrentSheet true.',
  ]);
});

it('a local stack knows which entities have no events', async () => {
  const hidden = async (fields: object) =>
    (await readLocalConfig('dev', { ...ADDRESSES, ...fields })).hiddenEntities;
  expect(Object.keys(await hidden({}))).toEqual(['sheet', 'template_check_item']);
  expect(await hidden({ withCurrentSheet: true, serviceVersion: '2021-04-14' })).toEqual({});
  expect(
    await hidden({ withCurrentSheet: true, resources: ['template_checklists'] }),
  ).toMatchObject({
    floorplan: 'resources with "floorplans"',
  });
});
