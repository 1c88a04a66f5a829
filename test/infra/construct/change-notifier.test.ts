import { AccountPrincipal } from 'aws-cdk-lib/aws-iam';
import { describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../support/config-samples.ts';
import { onlyResource, statementsOf, synthesizeStack, templateOf } from '../synthesize.ts';

const full = templateOf(EVERYTHING);

/** The topic of the events, besides that of the alarms. */
const TOPIC = /NotifierTopic/;

describe('the topic', () => {
  it('lets the configured accounts and organisation subscribe', () => {
    const allowed = statementsOf(full, 'AWS::SNS::TopicPolicy', TOPIC).filter(
      ({ Effect }) => Effect === 'Allow',
    );
    expect(allowed.map(({ Action }) => Action)).toEqual(['sns:Subscribe', 'sns:Subscribe']);
    expect(JSON.stringify(allowed[0]?.Principal)).toContain('iam::210987654321:root');
    expect(allowed[1]).toMatchObject({
      Principal: { AWS: '*' },
      Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-a1b2c3d4e5' } },
    });
  });

  it('grants other principals the right to subscribe', () => {
    const opened = synthesizeStack({}, ({ notifier }) => {
      notifier.grantSubscribe(new AccountPrincipal('345678901234'));
    });
    const statements = statementsOf(opened, 'AWS::SNS::TopicPolicy', TOPIC);
    const granted = statements.filter((s) => JSON.stringify(s.Principal).includes('345678901234'));
    expect(granted).toEqual([
      expect.objectContaining({ Effect: 'Allow', Action: 'sns:Subscribe' }),
    ]);
  });

  it('is a FIFO topic if configured, with deduplication by id and throughput per entity', () => {
    const { properties } = onlyResource(
      templateOf({ topicType: 'fifo' }),
      'AWS::SNS::Topic',
      TOPIC,
    );
    expect(properties).toMatchObject({
      FifoTopic: true,
      ContentBasedDeduplication: false,
      FifoThroughputScope: 'MessageGroup',
      SignatureVersion: '2',
    });
    // A retained topic must not block the name of the one of a new stack.
    expect(JSON.stringify(properties['TopicName'])).toMatch(/AWS::StackId.*\.fifo"/);
    expect(properties).not.toHaveProperty('ArchivePolicy');
  });

  it('has an archive if configured', () => {
    const fifo = templateOf({ topicType: 'fifo', archiveDays: 7 });
    expect(onlyResource(fifo, 'AWS::SNS::Topic', TOPIC).properties['ArchivePolicy']).toEqual({
      MessageRetentionPeriod: 7,
    });
  });
});

describe('the policies of topic, bucket and queues', () => {
  it.each(['retain', 'destroy'])('stay and go with what they protect: %s', (removalPolicy) => {
    const subscribers = [
      { name: 'api', protocol: 'webhook', endpoint: 'https://api.builder.eu' },
      { name: 'q', protocol: 'sqs', endpoint: 'arn:aws:sqs:eu-central-1:210987654321:q' },
    ];
    const { Resources } = templateOf({ removalPolicy, subscribers }).toJSON() as {
      Resources: Readonly<Record<string, DeletedResource>>;
    };
    const policies = Object.values(Resources).flatMap(({ Properties = {}, ...policy }) => {
      const { Bucket, Queues = [Bucket], Topics = Queues } = Properties;
      return Topics.flatMap((target) => (target ? [{ ...policy, target: target.Ref }] : []));
    });
    const kinds = new Set(policies.map(({ Type }) => Type));
    expect([...kinds].sort()).toEqual(
      ['S3::Bucket', 'SNS::Topic', 'SQS::Queue'].map((type) => `AWS::${type}Policy`),
    );
    for (const { DeletionPolicy = 'Delete', target } of policies) {
      expect(DeletionPolicy, target).toBe(Resources[target]?.DeletionPolicy ?? 'Delete');
    }
  });
});

interface DeletedResource {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties?: {
    readonly Bucket?: { readonly Ref: string };
    readonly Queues?: readonly { readonly Ref: string }[];
    readonly Topics?: readonly { readonly Ref: string }[];
  };
}
