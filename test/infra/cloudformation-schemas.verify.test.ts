import { CloudFormationValidatePlugin } from 'aws-cdk-lib';
import { Queue, type CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { expect, it, onTestFinished } from 'vitest';
import { readExample } from '../../infra/config/select-stages.ts';
import type { NotifierStack } from '../../infra/stack.ts';
import { FORMER, SURROUNDINGS } from '../support/config-samples.ts';
import { makeStack } from './synthesize.ts';

type Config = Record<string, unknown>;

interface Subscriber {
  readonly protocol: string;
  readonly endpoint: string;
}

/** The stage with every field, and a subscriber of every protocol. */
const EXAMPLE = readExample()['example'] as Config & { subscribers: readonly Subscriber[] };

const FIFO = {
  ...EXAMPLE,
  topicType: 'fifo',
  archiveDays: 7,
  subscribers: EXAMPLE.subscribers
    .filter(({ protocol }) => ['sqs', 'webhook', 'eventBridge'].includes(protocol))
    .map((each) =>
      each.protocol === 'sqs' ? { ...each, endpoint: `${each.endpoint}.fifo` } : each,
    ),
};

const WITHOUT_BUS = {
  ...EXAMPLE,
  subscribers: EXAMPLE.subscribers.filter(({ protocol }) => protocol !== 'eventBridge'),
};

/** A stage of the example moved to another partition. */
function moved(stage: Config, partition: string, region: string): Config {
  const text = JSON.stringify(stage)
    .replaceAll('arn:aws:', `arn:${partition}:`)
    .replaceAll(String(EXAMPLE['region']), region);
  return JSON.parse(text) as Config;
}

/** The schemas and rules with which `cdk synth` checks each template. */
const SCHEMAS = new CloudFormationValidatePlugin();

/** The template of a stage, and what the schemas find in it in a region. */
function synthesize(config: Config, change: (stack: NotifierStack) => void = () => undefined) {
  const { app, stack, remove } = makeStack(config);
  onTestFinished(remove);
  change(stack);
  const artifact = app.synth().getStackArtifact(stack.artifactId);
  const templatePath = artifact.templateFullPath;
  const findingsIn = (region: unknown) => {
    const place = { accountId: undefined, region: region as string | undefined };
    const { violations } = SCHEMAS.validate({
      appConstruct: app,
      templatePaths: [templatePath],
      stackTemplates: [{ stackConstructPath: stack.node.path, templatePath, ...place }],
    });
    return violations.map(({ ruleName, description }) => `${ruleName}: ${description}`);
  };
  return { template: artifact.template as object, findingsIn };
}

it.each<[string, Config]>([
  ['least', {}],
  ['everything', EXAMPLE],
  ['a FIFO topic', FIFO],
  ['4 shards', { shards: 4 }],
  ['an own key', { kmsKeyArn: SURROUNDINGS.kmsKeyArn }],
  ['a VPC', { vpc: SURROUNDINGS.vpc }],
  ['a table and a secret of a former stack', { ...SURROUNDINGS, ...FORMER }],
])("CloudFormation's schemas find nothing in a stage with %s", (_, config) => {
  const { findingsIn } = synthesize(config);
  expect(findingsIn(config['region'])).toEqual([]);
});

it.each([
  ['aws-cn', 'cn-north-1', EXAMPLE],
  ['aws-us-gov', 'us-gov-west-1', WITHOUT_BUS],
])(
  "CloudFormation's schemas find nothing in a stage in %s, %s, whose ARNs are of that partition",
  (partition, region, stage) => {
    const { template, findingsIn } = synthesize(moved(stage, partition, region));
    expect(findingsIn(region)).toEqual([]);
    expect(JSON.stringify(template)).not.toContain('arn:aws:');
  },
);

it("CloudFormation's schemas find an unknown property, and a value that is not allowed", () => {
  const { findingsIn } = synthesize({}, (stack) => {
    const queue = new Queue(stack, 'Wrong').node.defaultChild as CfnQueue;
    queue.addPropertyOverride('Unknown', 1);
    queue.addPropertyOverride('VisibilityTimeout', -1);
  });
  expect(findingsIn('eu-central-1').join('\n')).toMatch(/Unknown[^]*-1|-1[^]*Unknown/);
});
