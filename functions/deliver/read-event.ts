/** What a delivery needs of an event. */
export interface EventAttributes {
  readonly id: string;
  readonly type: string;
  readonly subject?: string | undefined;
  readonly time?: string | undefined;
  readonly cause?: string | undefined;
  readonly dataref?: string | undefined;
}

/** Ids that fit into a header. */
const ID = /^[\x21-\x7e]{1,256}$/;

/**
 * Reads the attributes of an event. Additional attributes and later versions pass: the endpoint judges them.
 *
 * @returns undefined if the text is no event.
 */
export function readEvent(text: string): EventAttributes | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const { id, type, subject, time, cause, dataref } = value as Record<string, unknown>;
  if (typeof id !== 'string' || !ID.test(id) || typeof type !== 'string') return undefined;
  const textOf = (field: unknown) => (typeof field === 'string' ? field : undefined);
  return {
    id,
    type,
    subject: textOf(subject),
    time: textOf(time),
    cause: textOf(cause),
    dataref: textOf(dataref),
  };
}
