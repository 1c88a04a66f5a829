import { CfnOutput, type Stack } from 'aws-cdk-lib';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Watched } from './monitoring/alarms.ts';
import type { Monitoring } from './monitoring/monitoring.ts';
import type { Webhook } from './subscribers/webhook.ts';

/** The parts that operators, subscribers and the command line look up. */
interface Described extends Watched {
  readonly refreshToken: ISecret;
  readonly monitoring: Monitoring | undefined;
}

type Output = readonly [name: string, description: string, value: string];

/** @throws Error of the CDK if the stack has another construct with the name of an output. */
export function addOutputs(stack: Stack, described: Described): void {
  for (const [name, description, value] of outputsOf(described)) {
    new CfnOutput(stack, name, { description, value });
  }
}

function outputsOf(described: Described): Output[] {
  const { topic, largeEvents, table, refreshToken } = described;
  const { monitoring, poller, control, subscribers } = described;
  return [
    ['TopicArn', 'Subscribe here', topic.topicArn],
    [
      'LargeEventsBucket',
      'Bucket of events too large for the topic',
      largeEvents.bucket.bucketName,
    ],
    ['RefreshTokenSecretArn', 'Put the refresh token here', refreshToken.secretArn],
    ['TableName', 'Feeds, entity states, leases and the quarantine', table.tableName],
    ['LogGroupName', 'Logs of the poller', poller.logGroup.logGroupName],
    [
      'ControlFunctionName',
      'Invoke it with commands, or use the command line',
      control.function.functionName,
    ],
    ['ControlLogGroupName', 'Logs of the commands', control.logGroup.logGroupName],
    ...(monitoring === undefined
      ? []
      : [['AlarmTopicArn', 'Alarms are sent here', monitoring.alarmTopic.topicArn] as const]),
    ...[...subscribers.deadLetters].map(([name, queue]): Output => {
      const output = `DeadLettersUrl${withoutHyphens(name)}`;
      return [output, `Undelivered events of ${name}`, queue.queueUrl];
    }),
    ...[...subscribers.pipes].map(([name, { ownQueue }]) => queueOutput(name, ownQueue.queue)),
    ...[...subscribers.webhooks.values()].flatMap(webhookOutputs),
  ];
}

function webhookOutputs(webhook: Webhook): Output[] {
  const { name, queue, secret, logGroup } = webhook;
  const id = withoutHyphens(name);
  return [
    queueOutput(name, queue),
    [`WebhookSecretArn${id}`, `Signs what ${name} gets`, secret.secretArn],
    [`WebhookFunctionName${id}`, `Delivers to ${name}`, webhook.function.functionName],
    [`WebhookLogGroupName${id}`, `Logs of ${name}`, logGroup.logGroupName],
  ];
}

function queueOutput(name: string, { queueUrl }: { readonly queueUrl: string }): Output {
  return [`QueueUrl${withoutHyphens(name)}`, `Events on their way to ${name}`, queueUrl];
}

/** Output names have letters and digits only. */
function withoutHyphens(name: string): string {
  return name.replaceAll('-', '');
}
