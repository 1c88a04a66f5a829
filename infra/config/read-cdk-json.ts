import { readFileSync } from 'node:fs';

/** cdk.json, or a file like it, cannot be used. The message names the file and the place. */
export class CdkJsonError extends Error {
  override readonly name = 'CdkJsonError';
}

/**
 * Reads a file like cdk.json.
 *
 * @param path as messages name it, too.
 * @returns stages that are unchecked: each may be anything.
 * @throws CdkJsonError if there is no such file, or if it is no JSON or no object.
 */
export function readCdkJson(path: string) {
  const content = parse(path);
  const context = isObject(content) ? (content['context'] ?? {}) : undefined;
  const stages = isObject(context) ? (context['notifier'] ?? {}) : undefined;
  if (isObject(context) && isObject(stages)) return { context, stages };
  throw new CdkJsonError(
    `${path} needs "context", an object with "notifier", which has the stages.`,
  );
}

function parse(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'it does not exist' : message;
    throw new CdkJsonError(`${path} cannot be read: ${reason}.`, { cause: error });
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
