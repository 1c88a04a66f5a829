/**
 * The text is no event of Sitecast. The message names the invalid field, its truncated value and the
 * allowed values, or the kind of message that the text is instead.
 */
export class InvalidChangeEventError extends Error {
  override readonly name = 'InvalidChangeEventError';
  /** The invalid field, as `data.object.id`; absent when the whole text is invalid. */
  readonly field: string | undefined;

  constructor(message: string, field?: string, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}
