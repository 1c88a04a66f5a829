import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import type { StageConfig } from '../../config/config.ts';
import type { Finding } from './list-rules.ts';

/** Where `cdk bootstrap` notes its version, unless it was given a qualifier. */
const BOOTSTRAP_VERSION = '/cdk-bootstrap/hnb659fds/version';

/** Of the finding. */
const name = 'bootstrap';

/** Checks whether the account is bootstrapped. Without credentials it says that it did not. */
export async function checkAccount({
  region = process.env['AWS_REGION'],
}: Pick<StageConfig, 'region'>): Promise<Finding> {
  if (region === undefined) return notChecked('set region in the stage, or AWS_REGION');
  // A laptop has no instance metadata, and asking for it takes seconds.
  process.env['AWS_EC2_METADATA_DISABLED'] ??= 'true';
  const ssm = new SSMClient({ region, maxAttempts: 2 });
  try {
    await ssm.config.credentials();
  } catch {
    return notChecked('there are no AWS credentials');
  }
  try {
    const { Parameter } = await ssm.send(new GetParameterCommand({ Name: BOOTSTRAP_VERSION }));
    const text = `${region} is bootstrapped, version ${Parameter?.Value ?? '?'}`;
    return { result: 'ok', name, text };
  } catch (error) {
    if (!(error instanceof ParameterNotFound)) return notChecked((error as Error).message);
    const text = `${region} is not bootstrapped in this account. Run: npx cdk bootstrap`;
    return { result: 'failed', name, text };
  }
}

function notChecked(text: string): Finding {
  return { result: 'not checked', name, text };
}
