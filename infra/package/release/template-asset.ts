import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as cdk from 'aws-cdk-lib';
import type { CfnFunction, IFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { pollerConfig } from '../../../functions/settings/poller-config.ts';
import { readCdkJson } from '../../config/read-cdk-json.ts';
import { ChangeNotifier } from '../../construct/change-notifier.ts';
import type { FunctionName } from '../../construct/function-code.ts';

const CDK_JSON = path.resolve(import.meta.dirname, '../../../cdk.json');

/** A valid config. Parameters replace its fields in the template. */
const CONFIG = { baseUrl: 'https://service.invalid', authUrl: 'https://auth.invalid' };
const DEFAULTS = pollerConfig.parse(CONFIG);

/** What the config allows, without quotes: the functions get it as JSON. */
const ADDRESS = {
  allowedPattern: String.raw`^(?!.*/(api/v3|api_keys/jwt)$)https://[^\s"\\?#@]*[^\s"\\?#@/]$`,
  constraintDescription: 'an https URL without /api/v3, /api_keys/jwt or a slash at its end',
};

/** The functions of the template: without webhooks there are no others. */
export const RELEASED_FUNCTIONS = ['poll', 'control'] as const satisfies FunctionName[];

/** The file with a function's code, which `CodeBucket` must have. */
export function codeFileOf(name: FunctionName, version: string): string {
  return `sitecast-${version}-${name}.zip`;
}

/**
 * Makes the template of a {@link ChangeNotifier} for deployments without the CDK. What each of them
 * chooses is a parameter. All else has the defaults of the config.
 */
export function makeTemplateAsset(version: string): object {
  const outdir = mkdtempSync(path.join(tmpdir(), 'sitecast-asset-'));
  const { context } = readCdkJson(CDK_JSON);
  const app = new cdk.App({
    ...{ outdir, treeMetadata: false, analyticsReporting: false },
    context: { ...context, 'aws:cdk:disable-asset-staging': true },
  });
  // What the CDK's own way of deploying needs is left out.
  const synthesizer = new cdk.DefaultStackSynthesizer({ generateBootstrapVersionRule: false });
  try {
    const stack = new cdk.Stack(app, 'Sitecast', {
      description: `Sitecast ${version}: change events of the Construction Project Service`,
      synthesizer: synthesizer as cdk.IStackSynthesizer,
    });
    addParameters(stack);
    addNotifier(stack, version);
    return app.synth().getStackArtifact(stack.artifactId).template as object;
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

function addParameters(stack: cdk.Stack): void {
  const add = (name: string, description: string, props: cdk.CfnParameterProps = {}) =>
    new cdk.CfnParameter(stack, name, { description, ...props });
  const budget = { type: 'Number', default: DEFAULTS.requestsPerMinute, minValue: 1 };
  add('BaseUrl', "The service's address without /api/v3", ADDRESS);
  add('AuthUrl', 'Where refresh tokens are exchanged, without /api_keys/jwt', ADDRESS);
  add('RequestsPerMinute', 'Maximum requests to the service in a minute', budget);
  add('AlarmEmail', 'Address that alarms are sent to. Default: nobody', { default: '' });
  add('CodeBucket', "Bucket in the stack's region with the zip files of this release");
  add('CodePrefix', "What the files' keys there begin with: sitecast/", { default: '' });
}

function addNotifier(stack: cdk.Stack, version: string): void {
  // It distinguishes the metrics of several deployments.
  const serviceName = cdk.Aws.STACK_NAME;
  const notifier = new ChangeNotifier(stack, 'Notifier', { serviceName, config: CONFIG });
  notifier.addOutputs();
  for (const poller of notifier.functions) takeParameters(poller, codeFileOf('poll', version));
  takeParameters(notifier.controlFunction, codeFileOf('control', version));
  addAlarmEmail(stack, notifier.alarmTopic?.topicArn ?? '');
  nameScheduleGroup(notifier);
}

function takeParameters({ node }: IFunction, codeFile: string): void {
  const resource = node.defaultChild as CfnFunction;
  const s3Key = cdk.Fn.sub(`\${CodePrefix}${codeFile}`);
  resource.code = { s3Bucket: cdk.Fn.ref('CodeBucket'), s3Key };
  const text = JSON.stringify({ ...DEFAULTS, baseUrl: '${BaseUrl}', authUrl: '${AuthUrl}' });
  // A number has no quotes.
  const config = text.replace(/(?<="requestsPerMinute":)\d+/, '$${RequestsPerMinute}');
  resource.addPropertyOverride('Environment.Variables.SITECAST_CONFIG', cdk.Fn.sub(config));
}

function addAlarmEmail(stack: cdk.Stack, topicArn: string): void {
  const endpoint = cdk.Fn.ref('AlarmEmail');
  const expression = cdk.Fn.conditionNot(cdk.Fn.conditionEquals(endpoint, ''));
  const condition = new cdk.CfnCondition(stack, 'HasAlarmEmail', { expression });
  const subscription = { topicArn, protocol: 'email', endpoint };
  new CfnSubscription(stack, 'AlarmSubscription', subscription).cfnOptions.condition = condition;
}

/** The CDK names the group after the stack's name in the app, which all deployments share. */
function nameScheduleGroup({ node }: ChangeNotifier): void {
  const group = node.findAll().find((each) => each instanceof CfnScheduleGroup);
  const schedules = node.findAll().filter((each) => each instanceof CfnSchedule);
  const stackUuid = cdk.Fn.select(2, cdk.Fn.split('/', cdk.Aws.STACK_ID));
  if (group) group.name = `sitecast-${stackUuid}`;
  for (const schedule of schedules) schedule.groupName = group?.ref;
}
