import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** A request or a change that the service refuses; nothing has changed. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: ContentfulStatusCode;
  /** The status as a word. */
  readonly code: string;

  constructor(status: ContentfulStatusCode, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
