import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeSyntaxError } from '../../../../functions/adapters/service-api/parse-body.ts';

function describeText(text: string): string {
  try {
    JSON.parse(text);
    return 'none';
  } catch (error) {
    return describeSyntaxError(error as SyntaxError, text);
  }
}

const TOWER = `[{"name":"${'Tower '.repeat(10)}"}`;

it.each([
  ['<html>', "Unexpected token '<' at position 0 of 6"],
  [`<html>${TOWER}`, `Unexpected token '<' at position 0 of ${TOWER.length + 6}`],
  [TOWER, `Expected ',' or ']' after array element at position ${TOWER.length} of ${TOWER.length}`],
  [`${TOWER},`, `Unexpected end at position ${TOWER.length + 1} of ${TOWER.length + 1}`],
  [`${TOWER},x]`, `Unexpected token 'x' at position ${TOWER.length + 1} of ${TOWER.length + 3}`],
  [`[7,x,${TOWER}]`, `Unexpected token 'x' at position 3 of ${TOWER.length + 6}`],
  [`${TOWER},x,${TOWER}]]`, `Unexpected token 'x' at position 73 of ${2 * TOWER.length + 5}`],
  ['["Tower', 'Unterminated string at position 7 of 7'],
  ['["Tower"]]', 'Unexpected non-whitespace character after JSON at position 9 of 10'],
  ['{"Tower" 1}', "Expected ':' after property name at position 9 of 11"],
])('says why %s is not JSON, and where', (text, description) => {
  expect(describeText(text)).toBe(description);
});

it('never quotes more than a character of a text', () => {
  const values = fc.array(fc.record({ name: fc.constantFrom('Tower', 'Harbour', '☃ Schloß') }));
  fc.assert(
    fc.property(values, fc.nat(), fc.string(), (names, at, noise) => {
      const json = JSON.stringify(names);
      const broken = json.slice(0, at % json.length) + noise + json.slice((at % json.length) + 1);
      expect(describeText(broken)).not.toMatch(/Tow|Har|Schl|bour/);
    }),
  );
});
