import { Annotations, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { configWarnings } from './config/config-warnings.ts';
import type { StageConfig } from './config/config.ts';
import { addOutputs } from './constructs/add-outputs.ts';
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
    addOutputs(this.notifier);
  }
}
