import fc from 'fast-check';
import { expect, it } from 'vitest';
import { quoteAnswer } from '../../../../functions/adapters/webhook/quote-answer.ts';

it('a quotation is cut between characters, never within one', () => {
  const cut = quoteAnswer(`${'a'.repeat(199)}🏗 and more`);
  expect(cut).toBe(`${'a'.repeat(199)}…`);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 190, maxLength: 220 }), (text) => {
      expect(quoteAnswer(text).isWellFormed()).toBe(true);
    }),
  );
});
