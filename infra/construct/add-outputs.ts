import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { ChangeNotifier } from './change-notifier.ts';
import type { Webhook } from './subscribers/webhook.ts';

type Output = readonly [name: string, description: string, value: string];

/**
 * Adds the outputs that operators, subscribers and the command line need to the notifier's stack.
 * Those that the stack has stay: call it again after a subscriber was added.
 *
 * @throws Error of the CDK if the stack has another construct with the name of an output.
 */
export function addOutputs(notifier: ChangeNotifier): void {
  const stack = Stack.of(notifier);
  for (const [name, description, value] of outputsOf(notifier)) {
    const existing = stack.node.tryFindChild(name);
    if (existing instanceof CfnOutput && existing.value === value) continue;
    new CfnOutput(stack, name, { description, value });
  }
}

function outputsOf(notifier: ChangeNotifier): Output[] {
  const { topic, largeEvents, table, subscribers } = notifier;
  const { monitoring, poller, control } = notifier;
  return [
    ['TopicArn', 'Subscribe here', topic.topicArn],
    [
      'LargeEventsBucket',
      'Bucket of events too large for the topic',
      largeEvents.bucket.bucketName,
    ],
    ['RefreshTokenSecretArn', 'Put the refresh token here', notifier.refreshTokenArn],
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
    ...subscribers.webhooks.flatMap(webhookOutputs),
  ];
}

function webhookOutputs(webhook: Webhook): Output[] {
  const { name, ownQueue, secretArn, logGroup } = webhook;
  const id = withoutHyphens(name);
  return [
    queueOutput(name, ownQueue.queue),
    [`WebhookSecretArn${id}`, `Signs what ${name} gets`, secretArn],
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
