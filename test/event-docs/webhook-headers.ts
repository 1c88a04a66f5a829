/** The headers that each request to a webhook has. */
export const WEBHOOK_HEADERS = [
  {
    name: 'webhook-id',
    description: 'The `id` of the event: the same with each attempt.',
  },
  {
    name: 'webhook-timestamp',
    description: 'When this attempt was made: seconds since 1970. Refuse what is minutes old.',
    pattern: '^\\d+$',
  },
  {
    name: 'webhook-signature',
    description:
      '`v1,` and the base64 of the HMAC-SHA256 of id, timestamp and body, joined by dots; two of them, with a space between, while a secret rotates. One that fits is enough.',
    pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$',
  },
  {
    name: 'user-agent',
    description: '`Sitecast/` and its version.',
    pattern: '^Sitecast/',
  },
] as const;
