import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { findNearest } from '../config/find-nearest.ts';
import { CdkJsonError, readCdkJson } from '../config/read-cdk-json.ts';
import {
  findLocalStacks,
  isRunning,
  THIS_CLONE,
  type LocalStackFile,
} from '../local-stack-file.ts';
import { stackNameOf } from '../stack-name.ts';
import { callAws, START_LOCAL_STACK } from './aws-errors.ts';
import { CliError, UsageError } from './cli-error.ts';
import type { StackFlags } from './flags.ts';
import { missedFlags } from './typed-program.ts';

/** A deployed stack, or the local one, as far as commands need it. */
export interface Stack {
  /** For messages: `Sitecast-dev`, `the local stack`. */
  readonly name: string;
  /** Absent if the stack is older than the control function. */
  readonly functionName?: string;
  readonly topicArn?: string;
  /** The one of `npm start`. */
  readonly isLocal: boolean;
  /** Where the control function's log is, in words. */
  readonly logPlace: string;
  /** Settings of a client of the SDK. */
  settings(service: 'lambda' | 'sns' | 'sqs'): ClientSettings;
  /** The admin endpoints of the simulated service, if the stack polls one. */
  readonly adminUrl?: string;
  /** Of a local stack: by the name of an entity that has no events, which config would show it. */
  readonly hiddenEntities?: Readonly<Record<string, string>>;
}

export interface ClientSettings {
  readonly region?: string;
  readonly profile?: string;
  readonly endpoint?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly useFipsEndpoint?: boolean;
  readonly useDualstackEndpoint?: boolean;
}

/** In the current folder. */
const CDK_JSON = 'cdk.json';

/** Outputs by name. */
type Outputs = Readonly<Record<string, string | undefined>>;

/**
 * Finds the stack that the flags name.
 *
 * @throws UsageError if they name none or two; CliError if there is no such stack.
 */
export async function findStack(flags: StackFlags): Promise<Stack> {
  const { stage, stack, local } = flags;
  const named = [
    stage !== undefined && '--stage',
    stack !== undefined && '--stack',
    local && '--local',
  ].filter((name) => typeof name === 'string');
  if (named.length > 1) {
    throw new UsageError(`${named.join(' contradicts ')}.`, 'Keep one of them.');
  }
  if (local) return findLocalStack();
  if (stack !== undefined) return findDeployedStack(stack, flags);
  if (stage === undefined) {
    throw new UsageError(
      'The command needs to know which stack: none was named.',
      `Add --stage, --stack or --local.${describeStages()}${missedFlags()}`,
    );
  }
  const stages = readStages();
  if (stages !== undefined && !Object.hasOwn(stages, stage)) {
    const names = Object.keys(stages);
    const nearest = findNearest(stage, names);
    throw new UsageError(
      `There is no stage ${JSON.stringify(stage)}: cdk.json has ${names.join(', ') || 'none'}.`,
      nearest === undefined ? undefined : `Did you mean ${nearest}?`,
    );
  }
  const region = flags.region ?? regionOf(stages?.[stage]);
  return findDeployedStack(stackNameOf(stage), { ...flags, region });
}

/**
 * The stack of this clone; the latest, if several run.
 *
 * @throws CliError if none runs. It names the stacks of other clones, and says of one of this clone
 *   that it ended without its farewell.
 */
export async function findLocalStack(): Promise<Stack> {
  const found = await findLocalStacks();
  const stacks = found.filter(({ clone }) => clone === THIS_CLONE);
  const [latest] = stacks;
  const all = stacks.filter(({ pid }) => isRunning(pid));
  const [running] = all;
  if (running === undefined) {
    const others = found.filter(({ clone, pid }) => clone !== THIS_CLONE && isRunning(pid));
    let reason = `none is running that keeps its files in ${tmpdir()} (TMPDIR)`;
    if (latest !== undefined) {
      reason = `the one of ${latest.startedAt} has ended, process ${latest.pid} is gone`;
    } else if (others.length > 0) {
      reason = `none of this clone, ${THIS_CLONE}, is running`;
    }
    throw new CliError(`There is no local stack: ${reason}.${ofClones(others)}`, START_LOCAL_STACK);
  }
  const { lambdaUrl: lambda, snsUrl: sns, sqsUrl: sqs, functionName, adminUrl } = running;
  const { hiddenEntities } = running;
  return {
    name: all.length > 1 ? `the latest of ${all.length} local stacks` : 'the local stack',
    isLocal: true,
    topicArn: running.topicArn,
    logPlace: 'the terminal of npm start (with --verbose)',
    ...(functionName !== undefined && { functionName }),
    ...(adminUrl !== undefined && { adminUrl }),
    ...(hiddenEntities !== undefined && { hiddenEntities }),
    settings: (service) => ({
      endpoint: { lambda, sns, sqs }[service],
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      // The SDK refuses them together with an endpoint.
      useFipsEndpoint: false,
      useDualstackEndpoint: false,
    }),
  };
}

function ofClones(stacks: readonly LocalStackFile[]): string {
  const names = stacks.map(({ clone = 'an older version', pid }) => `${clone} (process ${pid})`);
  return names.length > 0 ? ` Other clones have their own: ${names.join(', ')}.` : '';
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

/** @throws CliError naming the stacks of Sitecast that exist, if there is no such stack. */
async function readOutputs(name: string, settings: ClientSettings): Promise<Outputs> {
  const { CloudFormationClient, DescribeStacksCommand } =
    await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient(settings);
  const call = {
    failure: `The stack ${name} cannot be looked up`,
    action: 'cloudformation:DescribeStacks',
    resource: name,
    isLocal: false,
  };
  const read = async (StackName?: string) => {
    const answer = await client.send(
      new DescribeStacksCommand({ ...(StackName !== undefined && { StackName }) }),
    );
    return answer.Stacks ?? [];
  };
  const [stack] = await callAws(call, async () => {
    try {
      return await read(name);
    } catch (error) {
      if (!(error as Error).message.includes('does not exist')) throw error;
      const region = await client.config.region();
      const others = await read().catch(() => undefined);
      throw new CliError(
        `The stack ${name} was not found: ${region} has none of this name.`,
        `Name another one, or add --region.${describeOthers(others)}`,
      );
    }
  });
  return Object.fromEntries(
    (stack?.Outputs ?? []).map(({ OutputKey = '', OutputValue }) => [OutputKey, OutputValue]),
  );
}

/** @param stacks undefined: they may not be listed. */
function describeOthers(
  stacks:
    | readonly {
        StackName?: string | undefined;
        Outputs?: readonly { OutputKey?: string | undefined }[] | undefined;
      }[]
    | undefined,
): string {
  if (stacks === undefined) return '';
  const ours = stacks.filter(({ Outputs = [] }) => {
    const keys = Outputs.map(({ OutputKey }) => OutputKey);
    return keys.includes('TopicArn') && keys.includes('RefreshTokenSecretArn');
  });
  const names = ours.map(({ StackName }) => StackName);
  return ` Stacks of Sitecast there: ${names.join(', ') || 'none'}.`;
}

/**
 * The stages of cdk.json in the current folder; undefined without this file, or if it is
 * that of another app.
 *
 * @throws CliError if the file cannot be used.
 */
function readStages(): Readonly<Record<string, unknown>> | undefined {
  if (!existsSync(CDK_JSON)) return undefined;
  try {
    const { context, stages } = readCdkJson(CDK_JSON);
    return Object.hasOwn(context, 'notifier') ? stages : undefined;
  } catch (error) {
    if (!(error instanceof CdkJsonError)) throw error;
    throw new CliError(error.message, 'Correct it, or name the stack with --stack.');
  }
}

/** The region that cdk.json gives a stage. */
function regionOf(stage: unknown): string | undefined {
  const { region } = (stage ?? {}) as { readonly region?: unknown };
  return typeof region === 'string' ? region : undefined;
}

function describeStages(): string {
  let names: string[] = [];
  try {
    names = Object.keys(readStages() ?? {});
  } catch {
    // The command does not need the file yet.
  }
  return names.length > 0 ? ` Stages of cdk.json: ${names.join(', ')}.` : '';
}
