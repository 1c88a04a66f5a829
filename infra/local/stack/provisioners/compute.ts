import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../embedded/endpoints.ts';
import { noEffect, readProperties, scalar, type Provisioner } from './provisioner.ts';

/** Lambda's name for the Node version of this process. */
const RUNTIME = `nodejs${process.versions.node.split('.', 1).join()}.x`;

const LambdaFunction = z.strictObject({
  FunctionName: z.string().optional(),
  Code: z.object({ S3Key: z.string() }),
  Environment: z.object({ Variables: z.record(z.string(), scalar).default({}) }).optional(),
  Handler: z.string(),
  LoggingConfig: z.object({ LogGroup: z.string().optional() }).optional(),
  MemorySize: z.coerce.number().default(128),
  // The host runs one invocation at a time.
  ReservedConcurrentExecutions: z.literal(1).optional(),
  Runtime: z.literal(RUNTIME, { error: `the local stack runs on ${RUNTIME}. Run npm start.` }),
  Timeout: z.coerce.number().default(3),
  Architectures: noEffect,
  Description: noEffect,
  Role: noEffect,
  Tags: noEffect,
  TracingConfig: noEffect,
  VpcConfig: noEffect,
});

/** Registers an `AWS::Lambda::Function` with its bundled asset. */
export const createFunction: Provisioner = (desired, context) => {
  const properties = readProperties(LambdaFunction, desired);
  const name = properties.FunctionName ?? desired.logicalId;
  const arn = `arn:aws:lambda:${LOCAL_REGION}:${LOCAL_ACCOUNT}:function:${name}`;
  const variables = Object.entries(properties.Environment?.Variables ?? {});
  const codeDirectory = context.assetDirectory(properties.Code.S3Key);
  // Where the code is on Lambda.
  const localize = (value: string): string => value.replace(/^\/var\/task(?=\/)/, codeDirectory);
  context.addFunction({
    name,
    arn,
    runtime: properties.Runtime,
    handler: properties.Handler,
    codeDirectory,
    timeoutSeconds: properties.Timeout,
    memoryMb: properties.MemorySize,
    logGroup: properties.LoggingConfig?.LogGroup ?? `/aws/lambda/${name}`,
    environment: Object.fromEntries(
      variables.map(([key, value]) => [key, localize(String(value))]),
    ),
  });
  return Promise.resolve({ ref: name, attributes: { Arn: arn } });
};

const Schedule = z.strictObject({
  Name: z.string().optional(),
  ScheduleExpression: z.string(),
  State: z.literal('ENABLED').optional(),
  Target: z.object({ Arn: z.string(), Input: z.string().optional() }),
  Description: noEffect,
  FlexibleTimeWindow: noEffect,
  GroupName: noEffect,
  ScheduleExpressionTimezone: noEffect,
});

/** Registers an `AWS::Scheduler::Schedule` that invokes a function. */
export const createSchedule: Provisioner = (desired, context) => {
  const { Name, ScheduleExpression, Target } = readProperties(Schedule, desired);
  const name = Name ?? desired.logicalId;
  context.addSchedule({
    name,
    expression: ScheduleExpression,
    targetArn: Target.Arn,
    ...(Target.Input !== undefined && { input: Target.Input }),
  });
  const arn = `arn:aws:scheduler:${LOCAL_REGION}:${LOCAL_ACCOUNT}:schedule/default/${name}`;
  return Promise.resolve({ ref: name, attributes: { Arn: arn } });
};
