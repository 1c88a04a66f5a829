/** The config is invalid. The message lists every problem: field, value, and what is allowed. */
export class ConfigInvalidError extends Error {
  override readonly name = 'ConfigInvalidError';
}
