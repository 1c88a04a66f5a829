import { cutToDepth } from '../../core/model/json/depth.ts';
import { kindOf } from '../../core/model/json/quote.ts';

/** Names that a programmer gave: the keys of a map may be names of people. */
const FIELD_NAME = /^[a-z][a-zA-Z_]{0,31}$/;
const MAX_FIELDS = 6;
/** Fields with a service's error message. An entity may have those of the second kind, too. */
const ERROR = /^errors?$/;
const ERROR_OR_PART = /^(?:errors?|error_[a-z_]+|message|code|details?)$/;

/** The kind of a body, and the names of its fields. */
export function describeFields(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return kindOf(body);
  const names = Object.keys(body).filter((name) => FIELD_NAME.test(name));
  if (names.length === 0) return kindOf(body);
  const more = names.length > MAX_FIELDS ? ', …' : '';
  return `${kindOf(body)} with the fields ${names.slice(0, MAX_FIELDS).join(', ')}${more}`;
}

/** {@link describeFields}, and the error that the body holds. Quotes no field of an entity. */
export function describeBody(body: unknown): string {
  const fields = describeFields(body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return fields;
  const error = errorIn(cutToDepth(body)) as object;
  if (Object.keys(error).length === 0) return fields;
  // No colon before it: behind the name of a secret, that would look like its value.
  return `${fields}, and says ${JSON.stringify(error)}`;
}

/** The value with nothing but the fields of an error message, at each level. */
function errorIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(errorIn);
  if (typeof value !== 'object' || value === null) return value;
  const pattern = 'id' in value ? ERROR : ERROR_OR_PART;
  const said = Object.entries(value).filter(([name]) => pattern.test(name));
  return Object.fromEntries(said.map(([name, part]) => [name, errorIn(part)]));
}
