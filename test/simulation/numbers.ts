/** Numbers as a service may write them; the forms of one value are listed together. */
const FORMS: readonly (readonly string[])[] = [
  ['9007199254740992', '9007199254740992.0'],
  ['9007199254740993'],
  ['1', '1.0', '1e0', '10E-1'],
  ['0', '-0', '0.0', '0e9'],
  ['1e400'],
  ['-1e401'],
  ['1e-400'],
  ['0.1'],
  ['0.1000000000000000055'],
];

/** Any number of this list, the same for the same index: a value of the truth. */
export function numberAt(index: number): unknown {
  return exactly(FORMS[index % FORMS.length]?.[0] ?? '0');
}

export function isNumber(value: unknown): boolean {
  return typeof value === 'number' || isRaw(value);
}

/** The number in one of its forms, for `JSON.stringify`. */
export function written(number: unknown, choice: number): unknown {
  const [text] = [JSON.stringify(number)];
  const forms = FORMS.find(([first]) => first === text) ?? [text];
  return raw(forms[choice % forms.length] ?? text);
}

/** Reads JSON without altering a number, independently of the code under test. */
export function readExactly(json: string): unknown {
  return parse(json, (_key, value, { source = '' }) =>
    typeof value === 'number' ? exactly(source) : value,
  );
}

/** A copy as a reader of its JSON gets it. */
export function copyExactly<T>(value: T): T {
  return value === undefined ? value : (readExactly(JSON.stringify(value)) as T);
}

/** A number that JavaScript writes as it was written, or its text in a form that stays a number in JSON. */
function exactly(text: string): unknown {
  return String(Number(text)) === text ? Number(text) : raw(text);
}

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

// Not yet known to TypeScript.
const {
  rawJSON: raw,
  isRawJSON: isRaw,
  parse,
} = JSON as unknown as {
  readonly rawJSON: (text: string) => unknown;
  readonly isRawJSON: (value: unknown) => boolean;
  readonly parse: (text: string, reviver: Reviver) => unknown;
};
