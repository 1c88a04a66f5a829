import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** A request or a change that the service refuses; nothing has changed. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: ContentfulStatusCode;

  constructor(status: ContentfulStatusCode, message: string) {
    super(message);
    this.status = status;
  }
}
