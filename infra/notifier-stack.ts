import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ChangeNotifier } from './constructs/change-notifier.ts';
import type { StageConfig } from './config/config.ts';

/** One stage: a {@link ChangeNotifier}, and what operators and subscribers need to find it. */
export class NotifierStack extends Stack {
  readonly notifier: ChangeNotifier;

  /** @param stage names the stage, as in the config: `dev`. */
  constructor(scope: Construct, stage: string, config: StageConfig) {
    super(scope, `Sitecast-${stage}`, {
      description: `Sitecast ${stage}: change events of the Construction Project Service`,
      env: {
        ...(config.account !== undefined && { account: config.account }),
        ...(config.region !== undefined && { region: config.region }),
      },
    });
    this.notifier = new ChangeNotifier(this, 'Notifier', {
      serviceName: `sitecast-${stage}`,
      config,
    });
    const { topic, largeEvents, refreshToken, table, quarantine, failures } = this.notifier;
    this.#output('TopicArn', 'Subscribe here', topic.topicArn);
    this.#output('LargeEventsBucket', 'Large events lie here', largeEvents.bucket.bucketName);
    this.#output('RefreshTokenSecretArn', 'Put the refresh token here', refreshToken.ref);
    this.#output('TableName', 'What is known of the service', table.tableName);
    this.#output('QuarantineUrl', 'What could not be worked with', quarantine.queueUrl);
    this.#output('FailuresUrl', 'Runs that failed', failures.queueUrl);
    for (const [name, queue] of this.notifier.subscribers.deadLetters) {
      const output = `DeadLettersUrl${name.replaceAll('-', '')}`;
      this.#output(output, `What could not be delivered to ${name}`, queue.queueUrl);
    }
  }

  #output(name: string, description: string, value: string): void {
    new CfnOutput(this, name, { description, value });
  }
}
