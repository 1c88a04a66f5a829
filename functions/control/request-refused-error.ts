import { SitecastError } from '../core/model/errors.ts';

/** A request is refused. Nothing was changed. */
export class RequestRefusedError extends SitecastError {
  override readonly name = 'RequestRefusedError';
}
