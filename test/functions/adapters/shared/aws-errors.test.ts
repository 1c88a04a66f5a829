import { describe, expect, it } from 'vitest';
import { summarizeError } from '../../../../functions/adapters/shared/aws-errors.ts';

describe('the first line of an error', () => {
  it('says which error it is, and leaves out further lines, which may repeat a token', () => {
    const error = new TypeError('signature does not match\n\nx-amz-security-token:secret');
    expect(summarizeError(error)).toBe('TypeError: signature does not match');
  });

  it('is cut to 500 characters', () => {
    expect(summarizeError(new Error('x'.repeat(501)))).toBe(`Error: ${'x'.repeat(500)}`);
  });

  it.each(['a text\nof two lines', undefined, { message: 'looks like one' }])(
    'does not quote a thrown value that is no error: %j',
    (thrown) => {
      expect(summarizeError(thrown)).toBe('unknown error');
    },
  );
});
