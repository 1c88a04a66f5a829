import { existsSync } from 'node:fs';
import type { LambdaClientConfig } from '@aws-sdk/client-lambda';
import { readCdkJson } from '../config/read-cdk-json.ts';
import { findLocalStacks, type LocalStackFile } from '../local/stack/local-stack-file.ts';
import { callAws, CliError, START_LOCAL_STACK, UsageError } from './cli-error.ts';
import { pick, type StackFlags } from './flags.ts';

/** A deployed stack, or the local one, as far as commands need it. */
export interface Stack extends Partial<
  Pick<LocalStackFile, 'functionName' | 'topicArn' | 'adminUrl'>
> {
  /** For messages: `Sitecast-dev`, `the local stack`. */
  readonly name: string;
  /** The one of `sitecast dev`. */
  readonly isLocal: boolean;
  /** Where the control function's log is, in words. */
  readonly logPlace: string;
  settings(service: 'lambda' | 'sns' | 'sqs'): ClientSettings;
}

type ClientSettings = Pick<LambdaClientConfig, 'region' | 'profile' | 'endpoint' | 'credentials'>;

/** In the current folder. */
const CDK_JSON = 'cdk.json';

/** Finds the stack of the flags. @throws UsageError for none or two, CliError if it is absent. */
export async function findStack(flags: StackFlags): Promise<Stack> {
  const { stage, stack, local } = flags;
  const named = Object.entries({ stage, stack, local }).filter(([, value]) => value !== undefined);
  if (named.length > 1) {
    const names = named.map(([name]) => `--${name}`);
    throw new UsageError(`${names.join(' contradicts ')}.`, 'Keep one of them.');
  }
  if (local) return findLocalStack();
  if (stack !== undefined) return findDeployedStack(stack, flags);
  const stages = readStages();
  if (stage === undefined) {
    const names = stages && ` Stages of cdk.json: ${Object.keys(stages).join(', ') || 'none'}.`;
    throw new UsageError('No stack was named.', `Add --stage, --stack or --local.${names ?? ''}`);
  }
  const fields = (stages ? pick('stage', stages, stage) : {}) as { readonly region?: unknown };
  const region = flags.region ?? (typeof fields.region === 'string' ? fields.region : undefined);
  return findDeployedStack(`Sitecast-${stage}`, { ...flags, region });
}

/** The latest local stack of this clone. @throws CliError if none runs. */
export async function findLocalStack(): Promise<Stack> {
  const [running] = await findLocalStacks();
  if (running === undefined) {
    throw new CliError('There is no local stack of this folder.', START_LOCAL_STACK);
  }
  return {
    ...running,
    name: 'the local stack',
    isLocal: true,
    logPlace: 'the terminal of sitecast dev (with --verbose)',
    settings: (service) => ({
      ...{ endpoint: running.endpoints[service], region: 'us-east-1' },
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    }),
  };
}

async function findDeployedStack(name: string, flags: StackFlags): Promise<Stack> {
  const settings = {
    ...(flags.region !== undefined && { region: flags.region }),
    ...(flags.profile !== undefined && { profile: flags.profile }),
  };
  const outputs = await readOutputs(name, settings);
  const { ControlFunctionName: functionName, TopicArn: topicArn } = outputs;
  const logGroup = outputs['ControlLogGroupName'] ?? `/aws/lambda/${functionName ?? ''}`;
  return {
    name,
    isLocal: false,
    logPlace: `the log group ${logGroup}`,
    ...(functionName !== undefined && { functionName }),
    ...(topicArn !== undefined && { topicArn }),
    settings: () => settings,
  };
}

/** The outputs of a stack by name. @throws CliError if there is no such stack. */
async function readOutputs(
  name: string,
  settings: ClientSettings,
): Promise<Readonly<Record<string, string | undefined>>> {
  const { CloudFormationClient, DescribeStacksCommand } =
    await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient(settings);
  const call = { failure: `The stack ${name} cannot be looked up`, isLocal: false };
  const { Stacks: [stack] = [] } = await callAws(call, async () => {
    try {
      return await client.send(new DescribeStacksCommand({ StackName: name }));
    } catch (error) {
      if (!(error as Error).message.includes('does not exist')) throw error;
      const region = await client.config.region();
      throw new CliError(
        `The stack ${name} was not found: ${region} has none of this name.`,
        'Name another one, or add --region.',
      );
    }
  });
  return Object.fromEntries(
    (stack?.Outputs ?? []).map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue]),
  );
}

/** The stages of cdk.json in the current folder; undefined if it is that of another app. */
function readStages(): Readonly<Record<string, unknown>> | undefined {
  if (!existsSync(CDK_JSON)) return undefined;
  const { context, stages } = readCdkJson(CDK_JSON);
  return Object.hasOwn(context, 'notifier') ? stages : undefined;
}
