import { SitecastError } from '../core/model/errors.ts';

/** A request is refused. Nothing was changed. */
export class RequestRefusedError extends SitecastError {
  override readonly name: string = 'RequestRefusedError';
}

/** The request does not have the form of any command. */
export class RequestInvalidError extends RequestRefusedError {
  override readonly name = 'RequestInvalidError';
}

/** There is no list in the scope. */
export class NothingInScopeError extends RequestRefusedError {
  override readonly name = 'NothingInScopeError';
}
