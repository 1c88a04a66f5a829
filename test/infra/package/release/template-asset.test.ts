import { expect, it } from 'vitest';
import { parseStage } from '../../../../infra/config/config.ts';
import type { Template } from '../../../../infra/local/stack/resolve-template.ts';
import {
  codeFileOf,
  makeTemplateAsset,
  RELEASED_FUNCTIONS,
} from '../../../../infra/package/release/template-asset.ts';
import { ADDRESSES } from '../../../support/config-samples.ts';
import { withParameters } from '../../../support/with-parameters.ts';
import { templateOf } from '../../synthesize.ts';

interface Parameter {
  readonly Default?: string | number;
  readonly AllowedPattern?: string;
}

const template = makeTemplateAsset('1.2.3');
const { Parameters, ...content } = template as {
  readonly Parameters: Readonly<Record<string, Parameter>>;
};

const DEFAULTS = Object.fromEntries(
  Object.entries(Parameters).map(([name, { Default = '' }]) => [name, Default]),
);

const VALUES = {
  ...DEFAULTS,
  ...{ BaseUrl: ADDRESSES.baseUrl, AuthUrl: ADDRESSES.authUrl },
  ...{ CodeBucket: 'code', CodePrefix: 'sitecast/', 'AWS::StackName': 'sitecast-test' },
};

const GROUP = 'AWS::Scheduler::ScheduleGroup';

/** Resources by their ids, without what differs by design: where code is, and a name. */
function comparable(resources: Template['Resources']): unknown {
  const others = Object.entries(resources).filter(([, { Type }]) => Type !== GROUP);
  const isSame = (key: string) => key !== 'Code' && key !== 'GroupName';
  const text = JSON.stringify(others, (key, value: unknown) => (isSame(key) ? value : undefined));
  return Object.fromEntries(JSON.parse(text) as typeof others);
}

it.each([
  ['its defaults', {}, {}],
  ['another budget', { RequestsPerMinute: 60 }, { requestsPerMinute: 60 }],
])('with %s it has the resources of the construct', (_, values, config) => {
  const { Resources, Outputs } = withParameters(content, { ...VALUES, ...values });
  const { AlarmSubscription, ...resources } = Resources;
  const ofConstruct = templateOf(config).toJSON() as Required<Template>;
  expect(comparable(resources)).toEqual(comparable(ofConstruct.Resources));
  expect(Outputs).toEqual(ofConstruct.Outputs);
});

it('sends alarms to an address, if one is given', () => {
  const { Resources } = withParameters(template, { ...VALUES, AlarmEmail: 'ops@builder.eu' });
  expect(Resources['AlarmSubscription']).toEqual({
    Type: 'AWS::SNS::Subscription',
    Condition: 'HasAlarmEmail',
    Properties: {
      ...{ Protocol: 'email', Endpoint: 'ops@builder.eu' },
      TopicArn: { Ref: expect.stringContaining('AlarmTopic') as string },
    },
  });
  expect(content).toMatchObject({
    Conditions: { HasAlarmEmail: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'AlarmEmail' }, ''] }] } },
  });
});

it('asks for the addresses and the bucket, and for nothing else', () => {
  const names = Object.keys(Parameters).filter((name) => Parameters[name]?.Default === undefined);
  expect(names).toEqual(['BaseUrl', 'AuthUrl', 'CodeBucket']);
});

it('takes its code from the bucket, by the names of the files', () => {
  const { Resources } = withParameters(template, VALUES);
  const code = Object.values(Resources).flatMap(({ Properties }) => Properties?.['Code'] ?? []);
  const files = RELEASED_FUNCTIONS.map((name) => codeFileOf(name, '1.2.3'));
  expect(code).toEqual(files.map((file) => ({ S3Bucket: 'code', S3Key: `sitecast/${file}` })));
});

it.each([
  ...['https://api.example.com', 'https://api.example.com:8443/tenant'],
  ...['https://a.example/', 'http://a.example', 'https://a.example/api/v3', 'https://a.example?x'],
  ...['https://a.example/x/api_keys/jwt', 'https://me@a.example', 'https://a.example/"', 'a b'],
])('allows the address %s if the config takes it as it is', (authUrl) => {
  const take = () => parseStage({ ...ADDRESSES, authUrl }, 'test').authUrl;
  const isAllowed = new RegExp(Parameters['AuthUrl']?.AllowedPattern ?? '').test(authUrl);
  if (isAllowed) expect(take()).toBe(authUrl);
  else if (authUrl.endsWith('/')) expect(take()).toBe(authUrl.slice(0, -1));
  else if (!authUrl.includes('"')) expect(take).toThrow();
});

it('names its group of schedules after the deployment: a second one needs another', () => {
  const { Resources } = withParameters(template, VALUES);
  const [group, ...others] = Object.values(Resources).filter(({ Type }) => Type === GROUP);
  expect(others).toEqual([]);
  expect(JSON.stringify(group?.Properties)).toContain('{"Ref":"AWS::StackId"}');
});

it('is small enough to be deployed without a bucket of its own', () => {
  expect(JSON.stringify(template, null, 2).length).toBeLessThan(51_200);
});
