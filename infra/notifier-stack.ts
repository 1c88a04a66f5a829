import { Annotations, CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { configWarnings } from './config/config-warnings.ts';
import type { StageConfig } from './config/config.ts';
import { ChangeNotifier } from './constructs/change-notifier.ts';
import { stackNameOf } from './stack-name.ts';

/** One stage: a {@link ChangeNotifier}, with the outputs that operators and subscribers need. */
export class NotifierStack extends Stack {
  readonly notifier: ChangeNotifier;

  /** @param stage the stage's name in the config: `dev`. */
  constructor(scope: Construct, stage: string, config: StageConfig) {
    super(scope, stackNameOf(stage), {
      // A stack that retains its data is not deleted by mistake either.
      terminationProtection: config.removalPolicy === 'retain',
      description: `Sitecast ${stage}: change events of the Construction Project Service`,
      tags: config.tags,
      env: {
        ...(config.account !== undefined && { account: config.account }),
        ...(config.region !== undefined && { region: config.region }),
      },
    });
    for (const { id, message } of configWarnings(config, new Date().toISOString().slice(0, 10))) {
      Annotations.of(this).addWarningV2(`sitecast:${id}`, `notifier.${stage}.${message}`);
    }
    this.notifier = new ChangeNotifier(this, 'Notifier', {
      serviceName: `sitecast-${stage}`,
      config,
    });
    const { topic, largeEvents, refreshTokenArn, table, quarantine, failures } = this.notifier;
    this.#output('TopicArn', 'Subscribe here', topic.topicArn);
    this.#output(
      'LargeEventsBucket',
      'Bucket of events too large for the topic',
      largeEvents.bucket.bucketName,
    );
    this.#output('RefreshTokenSecretArn', 'Put the refresh token here', refreshTokenArn);
    this.#output('TableName', 'Feeds, entity states and leases', table.tableName);
    this.#output('QuarantineUrl', 'Invalid entities and events', quarantine.queueUrl);
    this.#output('FailuresUrl', 'Failed runs and undelivered ticks', failures.queueUrl);
    const { monitoring, poller } = this.notifier;
    this.#output('LogGroupName', 'Logs of the poller', poller.logGroup.logGroupName);
    this.#output(
      'ControlFunctionName',
      'Invoke it with commands, or use the command line',
      this.notifier.control.function.functionName,
    );
    const { logGroupName } = this.notifier.control.logGroup;
    this.#output('ControlLogGroupName', 'Logs of the commands', logGroupName);
    if (monitoring !== undefined) {
      this.#output('AlarmTopicArn', 'Alarms are sent here', monitoring.alarmTopic.topicArn);
    }
    for (const [name, queue] of this.notifier.subscribers.deadLetters) {
      const output = `DeadLettersUrl${name.replaceAll('-', '')}`;
      this.#output(output, `Undelivered events of ${name}`, queue.queueUrl);
    }
    this.#outputOwnQueues();
  }

  #outputOwnQueues(): void {
    const { webhooks, pipes } = this.notifier.subscribers;
    for (const [name, { ownQueue }] of pipes) {
      const output = `QueueUrl${name.replaceAll('-', '')}`;
      this.#output(output, `Events on their way to ${name}`, ownQueue.queue.queueUrl);
    }
    for (const webhook of webhooks) {
      const { name, ownQueue, secretArn, logGroup } = webhook;
      const id = name.replaceAll('-', '');
      this.#output(`QueueUrl${id}`, `Events on their way to ${name}`, ownQueue.queue.queueUrl);
      this.#output(`WebhookSecretArn${id}`, `Signs what ${name} gets`, secretArn);
      const { functionName } = webhook.function;
      this.#output(`WebhookFunctionName${id}`, `Delivers to ${name}`, functionName);
      this.#output(`WebhookLogGroupName${id}`, `Logs of ${name}`, logGroup.logGroupName);
    }
  }

  #output(name: string, description: string, value: string): void {
    new CfnOutput(this, name, { description, value });
  }
}
