import type { App } from 'aws-cdk-lib';
import { parseConfig } from './config/config.ts';
import { selectStages } from './config/select-stages.ts';
import { NotifierStack } from './notifier-stack.ts';

/**
 * Adds a stack for each stage of the app's context.
 *
 * @throws ConfigInvalidError when a stage's config is invalid.
 */
export function addStages(app: App): void {
  const notifier = selectStages(
    app.node.tryGetContext('notifier'),
    app.node.tryGetContext('stage'),
  );
  const stages = parseConfig(notifier);
  for (const [stage, config] of Object.entries(stages)) new NotifierStack(app, stage, config);
}
