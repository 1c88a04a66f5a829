import { App, Validations } from 'aws-cdk-lib';
import { ConfigInvalidError } from './config/config.ts';
import { addStages } from './stack.ts';

const app = new App();
try {
  addStages(app);
} catch (error) {
  if (!(error instanceof ConfigInvalidError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}
// The CDK's own switch for all validations. Loaded only now: an invalid config is refused at once.
if (process.env['CDK_VALIDATION'] !== 'false') {
  const { AwsSolutionsChecks } = await import('cdk-nag');
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
