import { describe, expect, it } from 'vitest';
import * as errors from '../../../../functions/core/model/errors.ts';

const { ServiceError, SitecastError } = errors;
const details = { status: 403, hint: 'Ask the owner of the project.' };

describe('an error', () => {
  it.each(Object.entries(errors))('is called %s in a log', (name, Kind) => {
    const error = new Kind('It failed', details);
    expect(String(error)).toMatch(new RegExp(`^${name}: `));
    expect(name).toMatch(/Error$/);
    expect(error.hint).toMatch(/\.$/);
  });

  it('has its cause only if there is one', () => {
    const cause = new Error('socket hang up');
    expect(new SitecastError('It failed', { ...details, cause }).cause).toBe(cause);
    expect(new SitecastError('It failed', details)).not.toHaveProperty('cause');
  });

  it('has the status of its answer', () => {
    expect(new ServiceError('GET /projects: 403', details).status).toBe(403);
  });
});
