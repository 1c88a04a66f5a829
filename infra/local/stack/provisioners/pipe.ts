import * as z from 'zod';
import { LOCAL_ACCOUNT, LOCAL_REGION } from '../../embedded/endpoints.ts';
import { findQueueUrl } from './find-queue-url.ts';
import { noEffect, readProperties, type Provisioner } from './provisioner.ts';

const Pipe = z.strictObject({
  Name: z.string().optional(),
  Source: z.string(),
  Target: z.string(),
  Description: noEffect,
  RoleArn: noEffect,
  SourceParameters: noEffect,
  Tags: noEffect,
  TargetParameters: noEffect,
});

/** Leaves what an `AWS::Pipes::Pipe` would bring to a bus in its queue, which stands in for the bus. */
export const createPipe: Provisioner = async (desired, context) => {
  const { Name, Source, Target } = readProperties(Pipe, desired);
  const queueUrl = await findQueueUrl(Source, desired, context);
  context.addStandIn({ protocol: 'eventBridge', endpoint: Target, queueUrl, isRaw: true });
  const name = Name ?? desired.logicalId;
  const arn = `arn:aws:pipes:${LOCAL_REGION}:${LOCAL_ACCOUNT}:pipe/${name}`;
  return { ref: name, attributes: { Arn: arn } };
};
