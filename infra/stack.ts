import { CfnResource, Stack, type App } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ConfigInvalidError } from './config/config-invalid-error.ts';
import { parseConfig, type StageConfig } from './config/config.ts';
import { selectStages } from './config/select-stages.ts';
import { ChangeNotifier } from './construct/change-notifier.ts';

/** The maximum for one stack. With more, the CDK throws, and Node.js prints its minified source. */
const MAX_RESOURCES = 500;

/** One stage: a {@link ChangeNotifier}, with the outputs that operators and subscribers need. */
export class NotifierStack extends Stack {
  readonly notifier: ChangeNotifier;

  /**
   * @param stage the stage's name in the config: `dev`.
   * @throws ConfigInvalidError when the stage has more resources than a stack may have.
   */
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
    const resources = this.node.findAll().filter((each) => CfnResource.isCfnResource(each)).length;
    if (resources > MAX_RESOURCES) {
      throw new ConfigInvalidError(
        'The notifier context is invalid:\n' +
          `  notifier.${stage}.subscribers has ${config.subscribers.length} entries, which make ` +
          `${resources} resources; allowed: ${MAX_RESOURCES} resources in a stack. ` +
          'Declare fewer: others can subscribe to the topic by themselves',
      );
    }
  }
}

/**
 * Adds a stack for each stage of the app's context.
 *
 * @throws ConfigInvalidError when a stage's config is invalid.
 */
export function addStages(app: App): void {
  const { node } = app;
  const notifier = selectStages(node.tryGetContext('notifier'), node.tryGetContext('stage'));
  const stages = parseConfig(notifier);
  for (const [stage, config] of Object.entries(stages)) new NotifierStack(app, stage, config);
}
