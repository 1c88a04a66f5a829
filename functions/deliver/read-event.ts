import * as z from 'zod/mini';

const optionalText = z.optional(z.string());

const attributes = z.object({
  /** Has to fit into a header. */
  id: z.string().check(z.regex(/^[\x21-\x7e]{1,256}$/)),
  type: z.string(),
  subject: optionalText,
  time: optionalText,
  cause: optionalText,
  dataref: optionalText,
});

/** The part of an event that a delivery needs. */
export type EventAttributes = z.output<typeof attributes>;

/**
 * Reads the attributes of an event. Additional attributes and later versions pass: the endpoint
 * judges them.
 *
 * @returns undefined if the text is no event.
 */
export function readEvent(text: string): EventAttributes | undefined {
  try {
    return attributes.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
