import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import type { SubscriberConfig } from '../../config/subscribers.ts';
import { webhookOptions } from '../../config/webhook-fields.ts';
import type { Finding } from './checks.ts';

/** The fields of a stage that concern the account. */
export interface AccountFields {
  readonly region?: unknown;
  readonly shards?: unknown;
  readonly subscribers?: unknown;
}

/** Where `cdk bootstrap` notes its version, unless it was given a qualifier. */
const BOOTSTRAP_VERSION = '/cdk-bootstrap/hnb659fds/version';

/** Checks what a deployment needs of the account; without credentials it says that it did not. */
export async function* checkAccount(
  { region = process.env['AWS_REGION'], ...fields }: AccountFields,
  env: NodeJS.ProcessEnv = process.env,
): AsyncGenerator<Finding> {
  if (typeof region !== 'string') {
    yield notChecked('set region in the stage, or AWS_REGION');
    return;
  }
  // A laptop has no instance metadata, and asking for it takes seconds.
  env['AWS_EC2_METADATA_DISABLED'] ??= 'true';
  const ssm = new SSMClient({ region, maxAttempts: 2 });
  const lambda = new LambdaClient({ region, maxAttempts: 2 });
  try {
    await ssm.config.credentials();
  } catch {
    yield notChecked('there are no AWS credentials');
    return;
  }
  yield await checked('bootstrap', () => checkBootstrap(ssm, region));
  yield await checked('quotas', () => checkQuotas(lambda, fields));
}

function notChecked(reason: string): Finding {
  return { result: 'not checked', name: 'account', text: `bootstrap and quotas: ${reason}` };
}

type Judged = Pick<Finding, 'result' | 'text'>;

async function checked(name: string, check: () => Promise<Judged>): Promise<Finding> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    return { result: 'not checked', name, text: (error as Error).message };
  }
}

async function checkBootstrap(ssm: SSMClient, region: string): Promise<Judged> {
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: BOOTSTRAP_VERSION }));
    return { result: 'ok', text: `${region} is bootstrapped, version ${Parameter?.Value ?? '?'}` };
  } catch (error) {
    if (!(error instanceof ParameterNotFound)) throw error;
    const text = `${region} is not bootstrapped in this account. Run: npx cdk bootstrap`;
    return { result: 'failed', text };
  }
}

async function checkQuotas(lambda: LambdaClient, fields: AccountFields): Promise<Judged> {
  const shards = Number(fields.shards ?? 1);
  const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
  const { ConcurrentExecutions = 0 } = AccountLimit ?? {};
  const text = `Lambda runs ${ConcurrentExecutions} executions at once`;
  if (ConcurrentExecutions < shards) {
    const needed = `${text}; ${shards} shards need ${shards}. Lower shards, or ask for a higher quota`;
    return { result: 'failed', text: needed };
  }
  const most = shards + executionsOfWebhooks(fields);
  if (most <= ConcurrentExecutions) return { result: 'ok', text };
  const advice = 'Lower maxConcurrency, or ask for a higher quota';
  return {
    result: 'warning',
    text: `${text}; shards and webhooks take up to ${most}, so webhooks could starve the poller. ${advice}`,
  };
}

/** The config is checked before the account. */
function executionsOfWebhooks({ subscribers = [] }: AccountFields): number {
  return (subscribers as readonly SubscriberConfig[])
    .filter(({ protocol }) => protocol === 'webhook')
    .reduce((sum, webhook) => sum + webhookOptions(webhook).maxConcurrency, 0);
}
