import * as z from 'zod/mini';

// The `error` of a field is the text that follows "allowed: " in the message.

/** Text that a pattern matches. */
export function matching(pattern: RegExp, error: string) {
  return text(error).check(z.regex(pattern, { error }));
}

/** Text. In JSON the digits of an account id are easily written as a number, without quotes. */
export function text(error: string) {
  return z.string({
    error: ({ input }) => (typeof input === 'number' ? `${error}, as text, in quotes` : error),
  });
}

/** One of a few words. */
export function oneOf<const T extends readonly [string, ...string[]]>(...values: T) {
  return z.enum(values, { error: values.map((value) => `"${value}"`).join(' or ') });
}

/** A whole number. */
export function whole(min: number, max: number, unit: string) {
  const error = `a whole number of ${unit} from ${min} to ${max}`;
  const typeError = ({ input }: { readonly input?: unknown }): string =>
    typeof input === 'string' && /^\d+$/.test(input) ? `${error}, without quotes` : error;
  return z.int({ error: typeError }).check(z.gte(min, { error }), z.lte(max, { error }));
}

export function trueOrFalse() {
  return z.boolean({ error: 'true or false' });
}

/** An object with these fields and no others. */
export function fields<T extends z.core.$ZodLooseShape>(shape: T) {
  return z.strictObject(shape, { error: `the fields ${Object.keys(shape).join(', ')}` });
}

/**
 * Refuses entries whose text equals that of an earlier entry.
 *
 * @param read returns the text, or undefined when an invalid entry has none.
 */
export function uniqueBy(key: string, error: string, read: (entry: unknown) => string | undefined) {
  return z.superRefine<unknown[]>(
    (entries, context) => {
      const invalid = new Set(context.issues.map(({ path = [] }) => path.join('.')));
      const texts = entries.map((entry, index) =>
        invalid.has(`${index}.${key}`) ? undefined : read(entry),
      );
      for (const [index, text] of texts.entries()) {
        if (text === undefined || texts.indexOf(text) === index) continue;
        context.addIssue({ code: 'custom', path: [index, key], message: error });
      }
    },
    // Invalid entries do not stop this check: all problems are reported at once.
    { when: ({ value }) => Array.isArray(value) },
  );
}

/** The text that an entry, valid or not, has under a key. */
export function textAt(entry: unknown, key: string): string | undefined {
  const text = (entry as Readonly<Record<string, unknown>> | null | undefined)?.[key];
  return typeof text === 'string' ? text : undefined;
}
