import { Stack, type App } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { parseConfig, type StageConfig } from './config/config.ts';
import { selectStages } from './config/select-stages.ts';
import { ChangeNotifier } from './construct/change-notifier.ts';

/** One stage: a {@link ChangeNotifier}, with the outputs that operators and subscribers need. */
export class NotifierStack extends Stack {
  readonly notifier: ChangeNotifier;

  /** @param stage the stage's name in the config: `dev`. */
  constructor(scope: Construct, stage: string, { account, region, ...config }: StageConfig) {
    super(scope, `Sitecast-${stage}`, {
      // A stack that retains its data is not deleted by mistake either.
      terminationProtection: config.removalPolicy === 'retain',
      description: `Sitecast ${stage}: change events of the Construction Project Service`,
      env: { ...(account !== undefined && { account }), ...(region !== undefined && { region }) },
    });
    const serviceName = `sitecast-${stage}`;
    this.notifier = new ChangeNotifier(this, 'Notifier', { serviceName, config });
    this.notifier.addOutputs();
  }
}

/** Adds a stack for each stage of the context. @throws ConfigInvalidError if one is invalid. */
export function addStages(app: App): void {
  const { node } = app;
  const notifier = selectStages(node.tryGetContext('notifier'), node.tryGetContext('stage'));
  const stages = parseConfig(notifier);
  for (const [stage, config] of Object.entries(stages)) new NotifierStack(app, stage, config);
}
