import * as z from 'zod/mini';
import { fields, matching } from './field-types.ts';

/** Headers that the poller or HTTP itself sets, or that would change the content of an answer. */
const RESERVED = [
  ...['accept', 'accept-encoding', 'authorization', 'connection', 'content-length'],
  ...['content-type', 'expect', 'host', 'keep-alive', 'range', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
];

const headerName = matching(
  new RegExp(`^(?!(${RESERVED.join('|')})$|if-|proxy-)[A-Za-z0-9_-]{1,64}$`, 'i'),
  'a header name of 1 to 64 letters, digits, - and _, which is none of ' +
    `${RESERVED.join(', ')} and does not start with if- or proxy-`,
);

const headerValue = matching(
  /^[!-~]([ -~]{0,198}[!-~])?$/,
  'text of 1 to 200 ASCII characters without control characters, and without spaces at its ends',
);

/** Headers of the requests to the service. */
export const headers = fields({
  /** Name of the header with `serviceVersion`. Default: Service-Version. */
  version: z._default(headerName, 'Service-Version'),
  /** Name of the header with `perPage`. Default: Service-Per-Page. */
  perPage: z._default(headerName, 'Service-Per-Page'),
  /**
   * Other headers of each request, by name: `{ "Service-Filter": "all" }`. None that HTTP or the
   * poller sets. Default: none.
   */
  extra: z.optional(
    z.record(headerName, headerValue, { error: 'an object of header names and their values' }),
  ),
}).check(
  z.superRefine(({ version, perPage, extra = {} }, context) => {
    const taken = new Set([version.toLowerCase()]);
    const others = Object.keys(extra).map((name) => ({ path: ['extra', name], name }));
    for (const { path, name } of [{ path: ['perPage'], name: perPage }, ...others]) {
      const key = name.toLowerCase();
      const message = 'a header name that is used once: upper and lower case count as equal';
      if (taken.has(key)) context.addIssue({ code: 'custom', path, message });
      taken.add(key);
    }
  }),
);

const parameterName = matching(
  /^(?!(last_synced_at|with_current_sheet)$)[\w.[\]-]{1,64}$/,
  'a name of 1 to 64 letters, digits and _.-[], other than last_synced_at, which the poller ' +
    'sends, and with_current_sheet: set withCurrentSheet',
);

const parameterValue = matching(
  /^[^\p{Cc}\p{Cs}]{0,200}$/u,
  'text of at most 200 characters without control characters',
);

/** Query parameters, by the name of a list. */
export const query = z.record(
  z.string(),
  z.record(parameterName, parameterValue, {
    error: 'an object of query parameters and their values',
  }),
  { error: 'an object with one entry per list, by its name' },
);
