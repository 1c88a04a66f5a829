import { describe, expect, it } from 'vitest';
import {
  FeedConflictError,
  FatalError,
  FeedError,
  FeedRefusedError,
  LeaseLostError,
  ProtocolError,
  PublishFailedError,
  RefreshTokenRejectedError,
  ServiceError,
  SettingsInvalidError,
  SitecastError,
} from '../../../../functions/core/model/errors.ts';

const details = { status: 403, hint: 'Ask the owner of the project.' };

describe('an error', () => {
  it.each([
    ['SitecastError', SitecastError],
    ['FeedError', FeedError],
    ['ServiceError', ServiceError],
    ['FeedRefusedError', FeedRefusedError],
    ['ProtocolError', ProtocolError],
    ['FatalError', FatalError],
    ['RefreshTokenRejectedError', RefreshTokenRejectedError],
    ['LeaseLostError', LeaseLostError],
    ['SettingsInvalidError', SettingsInvalidError],
    ['PublishFailedError', PublishFailedError],
    ['FeedConflictError', FeedConflictError],
  ])('is called %s where only its text is left: in a log', (name, Kind) => {
    expect(String(new Kind('It went wrong', details))).toBe(`${name}: It went wrong`);
  });

  it('says what the operator can do', () => {
    expect(new SitecastError('It went wrong', details).hint).toBe(details.hint);
  });

  it('has the error underneath as its cause, and no cause when there is none', () => {
    const cause = new Error('socket hang up');
    expect(new SitecastError('It went wrong', { ...details, cause }).cause).toBe(cause);
    expect(new SitecastError('It went wrong', details)).not.toHaveProperty('cause');
  });

  it('of an answer has its status', () => {
    expect(new ServiceError('GET /projects: 403', details).status).toBe(403);
    expect(new FeedRefusedError('GET /projects: 403', details).status).toBe(403);
  });
});
