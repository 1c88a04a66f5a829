import { Stack } from 'aws-cdk-lib';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { StageConfig } from '../../config/config.ts';

type AlarmTopicConfig = Pick<StageConfig, 'alarmEmail' | 'alarmTopicArn'>;

/**
 * The topic that alarms are sent to: that of the config, or a new one.
 *
 * The new one has no key. CloudWatch could not publish with `alias/aws/sns`, whose policy admits no
 * service, and a customer managed key costs a dollar a month. An alarm's message holds names and
 * numbers of metrics, no data. It travels by TLS only.
 */
export function makeAlarmTopic(scope: Construct, config: AlarmTopicConfig): sns.ITopic {
  const { alarmEmail, alarmTopicArn } = config;
  if (alarmTopicArn !== undefined) {
    return sns.Topic.fromTopicArn(scope, 'AlarmTopic', alarmTopicArn);
  }
  const topic = new sns.Topic(scope, 'AlarmTopic', { enforceSSL: true });
  const { account, partition, region } = Stack.of(scope);
  const alarms = `arn:${partition}:cloudwatch:${region}:${account}:alarm:*`;
  topic.addToResourcePolicy(
    new iam.PolicyStatement({
      sid: 'AlarmsOfThisAccount',
      principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'aws:SourceAccount': account },
        ArnLike: { 'aws:SourceArn': alarms },
      },
    }),
  );
  if (alarmEmail !== undefined) {
    new sns.CfnSubscription(scope, 'AlarmEmail', {
      topicArn: topic.topicArn,
      protocol: 'email',
      endpoint: alarmEmail,
    });
  }
  return topic;
}
