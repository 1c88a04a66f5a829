/**
 * The text is no event of Sitecast's. The message says which field is wrong, its value cut to a safe
 * length, and what is allowed; or what the text is instead.
 */
export class InvalidChangeEventError extends Error {
  override readonly name = 'InvalidChangeEventError';
  /** The field that is wrong, as `data.object.id`; absent when it is the whole. */
  readonly field: string | undefined;

  constructor(message: string, field?: string, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}
