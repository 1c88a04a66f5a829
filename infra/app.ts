import { App, Validations } from 'aws-cdk-lib';
import { ConfigInvalidError, parseConfig } from './config/config.ts';
import { selectStages } from './config/select-stages.ts';
import { NotifierStack } from './notifier-stack.ts';

const app = new App();
// The CDK's own switch for all validations: a local stack goes without, and without loading them.
if (process.env['CDK_VALIDATION'] !== 'false') {
  const { AwsSolutionsChecks } = await import('cdk-nag');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
try {
  const { node } = app;
  const notifier = selectStages(node.tryGetContext('notifier'), node.tryGetContext('stage'));
  const stages = parseConfig(notifier);
  for (const [stage, config] of Object.entries(stages)) new NotifierStack(app, stage, config);
} catch (error) {
  if (!(error instanceof ConfigInvalidError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
