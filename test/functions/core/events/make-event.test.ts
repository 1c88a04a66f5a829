import { CloudEvent } from 'cloudevents';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  makeEvent,
  storedName,
  type EventOrigin,
} from '../../../../functions/core/events/make-event.ts';
import { type Action, type Change } from '../../../../functions/core/model/change.ts';
import { compareTimestamps, parseTimestamp } from '../../../../functions/core/model/timestamp.ts';
import { timeAt } from '../../../support/list-service.ts';

const change: Change = {
  action: 'updated',
  entity: 'floorplan',
  id: 'f1',
  subject: '/projects/p1/floorplans/f1',
  time: timeAt(5),
  sequence: timeAt(5),
  object: { id: 'f1', name: 'Level 2' },
  changed: ['name'],
  previous: { name: 'Level 1' },
};

const context: EventOrigin = {
  source: 'https://service.example/api/v3',
  cause: 'poll',
  now: timeAt(9),
  accountId: '12',
  projectId: 'p1',
};

describe('an event', () => {
  it('has the attributes of the contract in a fixed order', () => {
    const expected = {
      specversion: '1.0',
      // printf '%s\n%s\n%s\n%s' <source> <subject> <action> <sequence> | sha256sum
      id: 'b080bd274639c22ecfe59b2bc93326bd',
      source: 'https://service.example/api/v3',
      type: 'floorplan.updated',
      subject: '/projects/p1/floorplans/f1',
      time: timeAt(5),
      datacontenttype: 'application/json',
      dataschema: 'urn:sitecast:schema:floorplan.updated:1',
      sequence: '2026-03-02T08:00:05.000000000Z',
      partitionkey: 'f1',
      recordedtime: timeAt(9),
      accountid: '12',
      projectid: 'p1',
      cause: 'poll',
      data: {
        object: { id: 'f1', name: 'Level 2' },
        changed: ['name'],
        previous: { name: 'Level 1' },
      },
    };
    expect(JSON.stringify(makeEvent(change, context))).toBe(JSON.stringify(expected));
  });

  it('is stored under its id, and under another name if it is published again', () => {
    const event = makeEvent(change, context);
    expect(storedName(event)).toBe(event.id);
    expect(storedName(makeEvent(change, { ...context, cause: 'replay' }))).toBe(
      `${event.id}.replay`,
    );
  });

  it('is a valid CloudEvent', () => {
    expect(new CloudEvent({ ...makeEvent(change, context) }).validate()).toBe(true);
  });

  it('leaves out unknown attributes', () => {
    const { previous, ...unknown } = change;
    const event = makeEvent(unknown, { source: 's:', cause: 'poll', now: timeAt(0) });
    expect(previous).toBeDefined();
    expect(Object.keys(event)).not.toContain('accountid');
    expect(Object.keys(event)).not.toContain('projectid');
    expect(Object.keys(event.data)).toEqual(['object', 'changed']);
  });

  it('orders by its sequence as text, at any precision of its version', () => {
    const fraction = fc
      .stringMatching(/^\d{1,9}$/)
      .map((digits) => parseTimestamp(`2026-03-02T08:00:05.${digits}Z`) ?? '');
    const sequenceOf = (sequence: string) => makeEvent({ ...change, sequence }, context).sequence;
    fc.assert(
      fc.property(fraction, fraction, (a, b) => {
        const [first, second] = [sequenceOf(a), sequenceOf(b)];
        expect(Math.sign(compareTimestamps(a, b))).toBe(
          first === second ? 0 : first < second ? -1 : 1,
        );
        expect(first).toHaveLength('2026-03-02T08:00:05.000000000Z'.length);
      }),
    );
  });

  it('has another id exactly when source, subject, action or sequence differ', () => {
    const action = fc.constantFrom<Action>('created', 'updated', 'deleted', 'restored');
    const identity = fc.record({
      source: fc.constantFrom('https://a/api/v3', 'https://b/api/v3'),
      subject: fc.constantFrom('/projects/p', '/projects/p/floorplans/f'),
      action,
      sequence: fc.constantFrom(timeAt(1), timeAt(2)),
    });
    fc.assert(
      fc.property(identity, identity, fc.string(), (a, b, noise) => {
        const [left, right] = [a, b].map(({ source, ...fields }, i) => {
          const other = { ...change, ...fields, object: { noise, i } };
          return makeEvent(other, { ...context, source, now: timeAt(i) }).id;
        });
        expect(left === right).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });
});
