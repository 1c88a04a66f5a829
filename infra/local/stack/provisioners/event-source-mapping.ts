import { createHash } from 'node:crypto';
import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../embedded/endpoints.ts';
import { findQueueUrl } from './find-queue-url.ts';
import { noEffect, readProperties, type Provisioner } from './provisioner.ts';

const ARN = `:${LOCAL_REGION}:${LOCAL_ACCOUNT}:`;

/** Messages are handed over as soon as they arrive. */
const Mapping = z.strictObject({
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.coerce.number().int().min(1).max(10).default(10),
  Enabled: z.union([z.boolean(), z.stringbool()]).default(true),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  MaximumBatchingWindowInSeconds: z.literal(0).optional(),
  ScalingConfig: z
    .object({ MaximumConcurrency: z.coerce.number().int().min(2).max(1000).optional() })
    .default({}),
  Tags: noEffect,
});

/** Registers an `AWS::Lambda::EventSourceMapping` that hands a queue's messages to a function. */
export const createMapping: Provisioner = async (desired, context) => {
  const { EventSourceArn, FunctionName, ...properties } = readProperties(Mapping, desired);
  const { BatchSize, Enabled, FunctionResponseTypes, ScalingConfig } = properties;
  const queueUrl = await findQueueUrl(EventSourceArn, desired, context);
  const uuid = uuidOf(desired.logicalId);
  const arn = `arn:aws:lambda${ARN}event-source-mapping:${uuid}`;
  context.addMapping({
    uuid,
    arn,
    functionArn: FunctionName.startsWith('arn:')
      ? FunctionName
      : `arn:aws:lambda${ARN}function:${FunctionName}`,
    queueArn: EventSourceArn,
    queueUrl,
    batchSize: BatchSize,
    ...(ScalingConfig.MaximumConcurrency !== undefined && {
      maxConcurrency: ScalingConfig.MaximumConcurrency,
    }),
    hasItemFailures: FunctionResponseTypes.length > 0,
    isEnabled: Enabled,
  });
  return { ref: uuid, attributes: { Id: uuid, EventSourceMappingArn: arn } };
};

/** The same for each deployment of the template. */
function uuidOf(logicalId: string): string {
  const digest = createHash('sha256').update(logicalId).digest('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5');
}
