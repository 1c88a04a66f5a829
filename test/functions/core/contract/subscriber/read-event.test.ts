import { describe, expect, it } from 'vitest';
import { InvalidChangeEventError } from '../../../../../functions/core/contract/parse.ts';
import { readEvent } from '../../../../../functions/core/contract/subscriber/read-event.ts';
import { toClaimCheck } from '../../../../../functions/core/events/make-event.ts';
import { eventOf } from '../../../../support/samples.ts';

const event = eventOf('f');
const text = JSON.stringify(event);
const noText = () => Promise.reject(new Error('nothing to read'));
const envelope = (fields: object) => JSON.stringify({ Type: 'Notification', ...fields });

describe('the event of a message', () => {
  it.each([
    ['as it is, with raw delivery', text],
    ["in SNS's envelope", envelope({ Message: text })],
  ])('is read %s', async (_, body) => {
    expect(await readEvent(body, noText)).toEqual(event);
  });

  it('is read where its claim check says', async () => {
    const dataref = 's3://events/large.json';
    const body = envelope({ Message: JSON.stringify(toClaimCheck(event, dataref)) });
    const texts = new Map([[dataref, text]]);
    expect(await readEvent(body, (ref) => Promise.resolve(texts.get(ref) ?? ''))).toEqual(event);
  });

  it.each([
    ['a text that is no JSON', 'hello'],
    ['null', 'null'],
    ['an envelope without a text', envelope({ Message: 7 })],
    ['another envelope', envelope({ Type: 'SubscriptionConfirmation', Message: text })],
  ])('is not in %s', async (_, body) => {
    await expect(readEvent(body, noText)).rejects.toThrow(InvalidChangeEventError);
  });
});
