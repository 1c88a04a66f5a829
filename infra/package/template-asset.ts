import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as cdk from 'aws-cdk-lib';
import type { CfnFunction, IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription, type ITopic } from 'aws-cdk-lib/aws-sns';
import * as z from 'zod/mini';
import { pollerConfig } from '../../functions/settings/poller-config.ts';
import { readCdkJson } from '../config/read-cdk-json.ts';
import { ChangeNotifier } from '../construct/change-notifier.ts';

const CDK_JSON = path.resolve(import.meta.dirname, '../../cdk.json');

/** A valid config. The parameters replace its fields in the template. */
const CONFIG = { baseUrl: 'https://service.invalid', authUrl: 'https://auth.invalid' };

/** What the config allows. Without quotes, as the functions get it as JSON. */
const ADDRESS = {
  allowedPattern: String.raw`^(?!.*/(api/v3|api_keys/jwt)$)https://[^\s"\\?#@]*[^\s"\\?#@/]$`,
  constraintDescription: 'an https URL without /api/v3, /api_keys/jwt or a slash at its end',
};

/** The template of a release, and the files that it needs. */
export interface TemplateAsset {
  readonly template: object;
  /** Files with the code of functions, by the function's name. `CodeBucket` must have them. */
  readonly codeFiles: Readonly<Record<'poll' | 'control', string>>;
}

/**
 * Makes the template of a {@link ChangeNotifier} for deployments without the CDK. What each of them
 * chooses is a parameter. All else has the defaults of the config.
 */
export function makeTemplateAsset(version: string): TemplateAsset {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-asset-'));
  const { context } = readCdkJson(CDK_JSON);
  const app = new cdk.App({
    ...{ outdir, treeMetadata: false, analyticsReporting: false },
    context: { ...context, 'aws:cdk:disable-asset-staging': true },
  });
  const codeFiles = {
    poll: `sitecast-${version}-poll.zip`,
    control: `sitecast-${version}-control.zip`,
  };
  // What the CDK's own way of deploying needs is left out.
  const synthesizer = new cdk.DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
  try {
    const stack = new cdk.Stack(app, 'Sitecast', {
      description: `Sitecast ${version}: change events of the Construction Project Service`,
      synthesizer: synthesizer as cdk.IStackSynthesizer,
    });
    addParameters(stack);
    addNotifier(stack, codeFiles);
    const artifact = app.synth().getStackArtifact(stack.artifactId);
    return { template: artifact.template as object, codeFiles };
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

function addParameters(stack: cdk.Stack): void {
  const { requestsPerMinute } = pollerConfig.shape;
  const budget = z.toJSONSchema(requestsPerMinute) as Record<
    'default' | 'minimum' | 'maximum',
    number
  >;
  const add = (name: string, description: string, props: cdk.CfnParameterProps = {}) =>
    new cdk.CfnParameter(stack, name, { description, ...props });
  add('BaseUrl', "The service's address without /api/v3", ADDRESS);
  add('AuthUrl', 'Where refresh tokens are exchanged, without /api_keys/jwt', ADDRESS);
  add('RequestsPerMinute', 'Maximum requests to the service in a minute', {
    ...{ type: 'Number', default: budget.default },
    ...{ minValue: budget.minimum, maxValue: budget.maximum },
  });
  add('AlarmEmail', 'Address that alarms are sent to. Default: nobody', { default: '' });
  add('CodeBucket', "Bucket in the stack's region with the zip files of this release");
  add('CodePrefix', "Begin of the files' keys there: sitecast/", { default: '' });
}

function addNotifier(stack: cdk.Stack, codeFiles: TemplateAsset['codeFiles']): void {
  // The metrics of several deployments are told apart by it.
  const serviceName = cdk.Aws.STACK_NAME;
  const notifier = new ChangeNotifier(stack, 'Notifier', { serviceName, config: CONFIG });
  notifier.addOutputs();
  const { functions, controlFunction, alarmTopic } = notifier;
  for (const poller of functions) takeParameters(poller, codeFiles.poll);
  takeParameters(controlFunction, codeFiles.control);
  if (alarmTopic) addAlarmEmail(stack, alarmTopic);
  nameScheduleGroup(notifier);
}

/** The CDK names the group after the stack's name in the app, which all deployments share. */
function nameScheduleGroup({ node }: ChangeNotifier): void {
  const group = node.findAll().find((each) => each instanceof CfnScheduleGroup);
  const schedules = node.findAll().filter((each) => each instanceof CfnSchedule);
  const stackUuid = cdk.Fn.select(2, cdk.Fn.split('/', cdk.Aws.STACK_ID));
  if (group) group.name = `sitecast-${stackUuid}`;
  for (const schedule of schedules) schedule.groupName = group?.ref;
}

function takeParameters({ node }: IFunction, codeFile: string): void {
  const resource = node.defaultChild as CfnFunction;
  const s3Key = cdk.Fn.sub(`\${CodePrefix}${codeFile}`);
  resource.code = { s3Bucket: cdk.Fn.ref('CodeBucket'), s3Key };
  const config = { ...pollerConfig.parse(CONFIG), baseUrl: '${BaseUrl}', authUrl: '${AuthUrl}' };
  const text = JSON.stringify(config);
  // A number has no quotes.
  const withBudget = text.replace(/(?<="requestsPerMinute":)\d+/, '$${RequestsPerMinute}');
  const variable = 'Environment.Variables.SITECAST_CONFIG';
  resource.addPropertyOverride(variable, cdk.Fn.sub(withBudget));
}

function addAlarmEmail(stack: cdk.Stack, { topicArn }: ITopic): void {
  const endpoint = cdk.Fn.ref('AlarmEmail');
  const expression = cdk.Fn.conditionNot(cdk.Fn.conditionEquals(endpoint, ''));
  const condition = new cdk.CfnCondition(stack, 'HasAlarmEmail', { expression });
  const subscription = { topicArn, protocol: 'email', endpoint };
  new CfnSubscription(stack, 'AlarmSubscription', subscription).cfnOptions.condition = condition;
}
