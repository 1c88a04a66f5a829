import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import type { StageConfig } from '../../config/config.ts';
import type { Finding } from './list-rules.ts';

/** Where `cdk bootstrap` notes its version, unless it was given a qualifier. */
const BOOTSTRAP_VERSION = '/cdk-bootstrap/hnb659fds/version';

/** Checks the account for a deployment. Without credentials it reports that it did not. */
export async function* checkAccount(
  { region = process.env['AWS_REGION'] }: Pick<StageConfig, 'region'>,
  env: NodeJS.ProcessEnv = process.env,
): AsyncGenerator<Finding> {
  if (region === undefined) {
    yield notChecked('account', 'bootstrap: set region in the stage, or AWS_REGION');
    return;
  }
  // A laptop has no instance metadata, and asking for it takes seconds.
  env['AWS_EC2_METADATA_DISABLED'] ??= 'true';
  const ssm = new SSMClient({ region, maxAttempts: 2 });
  try {
    await ssm.config.credentials();
  } catch {
    yield notChecked('account', 'bootstrap: there are no AWS credentials');
    return;
  }
  yield await checkBootstrap(ssm, region).catch((error: unknown) =>
    notChecked('bootstrap', (error as Error).message),
  );
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
