/** Reason of a {@link WorldError}. */
export type Refusal = 'not_found' | 'deleted';

/** The world refused a change; nothing has changed. */
export class WorldError extends Error {
  override readonly name = 'WorldError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}
