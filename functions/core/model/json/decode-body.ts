/** The decoder of the platform, whose types dependents of the package may not have. */
const { TextDecoder } = globalThis as unknown as {
  readonly TextDecoder: new (
    label: string,
    options: { readonly fatal: boolean },
  ) => { decode(body: ArrayBuffer | Uint8Array): string };
};

/**
 * Decodes the body of an answer. JSON is UTF-8 (RFC 8259). Other bytes fail: they would be replaced
 * in silence.
 *
 * @param broken makes the error of a body that is no UTF-8.
 */
export function decodeBody(
  body: ArrayBuffer | Uint8Array,
  broken: (reason: string) => Error,
): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw broken('the body must be UTF-8');
  }
}
