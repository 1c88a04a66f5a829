import { expect, it } from 'vitest';
import { describeBody } from '../../../../functions/adapters/shared/describe-body.ts';

const ENTITY = { id: 'p1', name: 'Tower', message: 'a note', email: 'ann@example.org' };

it.each([
  ['of an error as text', { error: 'expired' }, ['expired']],
  ['of an error as an object', { error: { code: 498, message: 'Invalid' } }, ['498', 'Invalid']],
  ['of a list of errors', { errors: [{ detail: 'no such list' }] }, ['no such list']],
])('a body shows what it says %s', (_, body, parts) => {
  const text = describeBody(body);
  for (const part of parts) expect(text).toContain(part);
});

it.each([
  ['is the body', ENTITY],
  ['is in an error', { error: { message: 'invalid', object: ENTITY } }],
  ['is in a list of errors', { errors: [ENTITY] }],
  ['stands in place of an error', { error: ENTITY }],
  ['is nested deeply', { error: { errors: [{ error: [ENTITY] }] } }],
])('the content of an entity that %s is not shown', (_, body) => {
  expect(describeBody(body)).not.toMatch(/Tower|a note|ann@/);
});
