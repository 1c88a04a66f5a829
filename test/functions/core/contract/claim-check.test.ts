import { describe, expect, it } from 'vitest';
import {
  isClaimCheck,
  parseChangeEvent,
  resolveClaimCheck,
} from '../../../../functions/core/contract/index.ts';
import { eventOf } from '../../../support/samples.ts';

const { data, ...attributes } = eventOf('f1');
const WHOLE = JSON.stringify({ ...attributes, data });
const DATAREF = `s3://bucket/events/${attributes.id}.json`;
const CLAIM_CHECK = JSON.stringify({ ...attributes, dataref: DATAREF });

describe('a claim check', () => {
  it('is recognised by its dataref', () => {
    expect(isClaimCheck(parseChangeEvent(CLAIM_CHECK))).toBe(true);
    expect(isClaimCheck(parseChangeEvent(WHOLE))).toBe(false);
  });

  it('is resolved to the event that lies where it says', async () => {
    const read = (dataref: string) =>
      Promise.resolve(dataref === DATAREF ? WHOLE : 'something else');
    const event = await resolveClaimCheck(parseChangeEvent(CLAIM_CHECK), read);
    expect(event).toEqual({ ...attributes, data });
  });

  it('is resolved to itself when it is none, and nothing is read', async () => {
    const event = parseChangeEvent(WHOLE);
    const read = () => Promise.reject(new Error('read'));
    expect(await resolveClaimCheck(event, read)).toBe(event);
  });

  it.each([
    [
      'another event',
      JSON.stringify(eventOf('f2')),
      /holds another event: its id is "[0-9a-f]{32}", not "[0-9a-f]{32}"$/,
      'dataref',
    ],
    [
      'the event of another place',
      WHOLE.replace('"sequence":"2', '"sequence":"3'),
      /holds another event: its sequence is "3/,
      'dataref',
    ],
    ['a claim check', CLAIM_CHECK, /holds another claim check, not the event/, 'dataref'],
    ['no event', '<Error/>', /not JSON/, undefined],
  ])('is not resolved when %s lies there', async (_, text, message, field) => {
    const resolving = resolveClaimCheck(parseChangeEvent(CLAIM_CHECK), () => Promise.resolve(text));
    await expect(resolving).rejects.toThrow(message);
    await expect(resolving).rejects.toMatchObject({ name: 'InvalidChangeEventError', field });
  });

  it('is not resolved when what it names cannot be read, and the reason is passed on', async () => {
    const gone = new Error('NoSuchKey');
    const resolving = resolveClaimCheck(parseChangeEvent(CLAIM_CHECK), () => Promise.reject(gone));
    await expect(resolving).rejects.toBe(gone);
  });
});
