import { describe, expect, it } from 'vitest';
import { makeMessage } from '../../../../functions/adapters/sns/message.ts';
import { SURROUNDINGS } from '../../../support/config-samples.ts';
import { eventOf } from '../../../support/samples.ts';
import { onlyResource, statementsOf, templateOf } from '../../synthesize.ts';
import { runPipe, type PipeDefinition } from './run-pipe.ts';

const BUS = 'arn:aws:events:eu-central-1:123456789012:event-bus/company';
const bus = {
  ...{ name: 'company-bus', protocol: 'eventBridge', endpoint: BUS },
  filterPolicy: { entity: ['floorplan'] },
};
const template = templateOf({ subscribers: [bus] });
const pipe = onlyResource(template, 'AWS::Pipes::Pipe').properties as unknown as PipeDefinition;
const queue = onlyResource(template, 'AWS::SQS::Queue', /BusEventsQueue/);
const deadLetters = onlyResource(template, 'AWS::SQS::Queue', /BusEventsDeadLetters/);

const putEvent = (body: string) => runPipe(pipe, { messageId: 'm1', body, attributes: {} });

describe('a pipe to a bus', () => {
  it('puts the CloudEvent there, as it is, under its type and the name of the stage', () => {
    const event = eventOf('f1', { object: { id: 'f1', name: 'Öst "<$.x>"', tags: [1, null] } });
    const { Message = '' } = makeMessage(event, { maxBytes: 262_144, isFifo: false }).entry;
    const { Detail, ...entry } = putEvent(Message);
    expect(JSON.parse(Detail)).toEqual(event);
    expect(entry).toEqual({ Source: 'sitecast.test', DetailType: 'floorplan.updated' });
  });

  it('puts the claim check of a large event there', () => {
    const options = { maxBytes: 262_144, isFifo: false, dataref: 's3://bucket/events/1.json' };
    const { Message = '' } = makeMessage(eventOf('f1'), options).entry;
    expect(JSON.parse(putEvent(Message).Detail)).toMatchObject({ dataref: options.dataref });
  });

  it('leaves what the bus refuses for a day to the dead letters', () => {
    const { VisibilityTimeout, RedrivePolicy, MessageRetentionPeriod } = queue.properties as {
      VisibilityTimeout: number;
      MessageRetentionPeriod: number;
      RedrivePolicy: { maxReceiveCount: number; deadLetterTargetArn: unknown };
    };
    expect(RedrivePolicy.deadLetterTargetArn).toEqual({ 'Fn::GetAtt': [deadLetters.id, 'Arn'] });
    expect(VisibilityTimeout * RedrivePolicy.maxReceiveCount).toBe(24 * 3600);
    expect(MessageRetentionPeriod).toBe(14 * 24 * 3600);
  });

  it('reads with the own key, of a FIFO topic from a standard queue', () => {
    const { kmsKeyArn } = SURROUNDINGS;
    const fifo = templateOf({ topicType: 'fifo', kmsKeyArn, subscribers: [bus] });
    for (const id of [/EventsQueue/, /EventsDeadLetters/]) {
      const { properties } = onlyResource(fifo, 'AWS::SQS::Queue', id);
      expect(properties).toMatchObject({ KmsMasterKeyId: kmsKeyArn });
      expect(properties).not.toHaveProperty('FifoQueue');
    }
    expect(statementsOf(fifo, 'AWS::IAM::Policy', /BusRole/)).toContainEqual(
      expect.objectContaining({ Action: 'kms:Decrypt', Resource: kmsKeyArn }),
    );
  });
});
