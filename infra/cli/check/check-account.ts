import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import type { StageConfig } from '../../config/config.ts';
import type { Finding } from './list-rules.ts';

/** Where `cdk bootstrap` notes its version, unless it was given a qualifier. */
const BOOTSTRAP_VERSION = '/cdk-bootstrap/hnb659fds/version';

/** Checks what a deployment needs of the account. Without credentials it says that it did not. */
export async function* checkAccount(
  config: StageConfig,
  env: NodeJS.ProcessEnv = process.env,
): AsyncGenerator<Finding> {
  const { region = env['AWS_REGION'] } = config;
  if (region === undefined) {
    yield notChecked('account', 'bootstrap and quotas: set region in the stage, or AWS_REGION');
    return;
  }
  // A laptop has no instance metadata, and asking for it takes seconds.
  env['AWS_EC2_METADATA_DISABLED'] ??= 'true';
  const ssm = new SSMClient({ region, maxAttempts: 2 });
  const lambda = new LambdaClient({ region, maxAttempts: 2 });
  try {
    await ssm.config.credentials();
  } catch {
    yield notChecked('account', 'bootstrap and quotas: there are no AWS credentials');
    return;
  }
  const failed = (name: string) => (error: unknown) => notChecked(name, (error as Error).message);
  yield await checkBootstrap(ssm, region).catch(failed('bootstrap'));
  yield await checkQuotas(lambda, config).catch(failed('quotas'));
}

function notChecked(name: string, text: string): Finding {
  return { result: 'not checked', name, text };
}

async function checkBootstrap(ssm: SSMClient, region: string): Promise<Finding> {
  const name = 'bootstrap';
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: BOOTSTRAP_VERSION }));
    const text = `${region} is bootstrapped, version ${Parameter?.Value ?? '?'}`;
    return { result: 'ok', name, text };
  } catch (error) {
    if (!(error instanceof ParameterNotFound)) throw error;
    const text = `${region} is not bootstrapped in this account. Run: npx cdk bootstrap`;
    return { result: 'failed', name, text };
  }
}

async function checkQuotas(lambda: LambdaClient, { shards }: StageConfig): Promise<Finding> {
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions: limit = 0 } = AccountLimit ?? {};
  const text = `Lambda runs ${limit} executions at once`;
  const name = 'quotas';
  if (limit >= shards) return { result: 'ok', name, text };
  const needed = `${shards} shards need ${shards}. Lower shards, or ask for a higher quota`;
  return { result: 'failed', name, text: `${text}; ${needed}` };
}
