/** Why the world cannot do what it was asked to. */
export type Refusal = 'not_found' | 'deleted';

/** The world cannot do what it was asked to; nothing was changed. */
export class WorldError extends Error {
  override readonly name = 'WorldError';
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string) {
    super(message);
    this.refusal = refusal;
  }
}
