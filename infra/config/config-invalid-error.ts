/** The config is invalid. The message lists every problem: field, value, and allowed values. */
export class ConfigInvalidError extends Error {
  override readonly name = 'ConfigInvalidError';
}
