type Fields = Readonly<Record<string, unknown>>;

/**
 * Adds a webhook to a stage's config for each URL that is none of its webhooks'. It takes the place
 * of another kind of subscriber with that URL. The stage's webhooks are signed with secrets of this
 * machine.
 *
 * @param config unchecked: synthesis says what is wrong with it.
 */
export function addWebhooks(config: Fields, urls: readonly string[]): Fields {
  const { subscribers = [], logLevel } = config;
  if (!Array.isArray(subscribers)) return config;
  const asked = new Set(urls.map(hrefOf));
  const declared = subscribers.flatMap((subscriber: Fields) => {
    const { secretArn, ...local } = subscriber;
    if (isWebhook(subscriber)) return [local];
    return asked.has(hrefOf(String(subscriber['endpoint']))) ? [] : [subscriber];
  });
  const known = new Set(declared.filter(isWebhook).map(({ endpoint }) => hrefOf(String(endpoint))));
  const added = urls
    .filter((url) => !known.has(hrefOf(url)))
    .map((endpoint, index) => ({
      name: `webhook-${index + 1}`,
      protocol: 'webhook',
      endpoint,
      allowPrivateAddress: true,
    }));
  return {
    ...config,
    subscribers: [...declared, ...added],
    // The attempts that are shown are entries of this level.
    ...(urls.length > 0 && logLevel !== 'DEBUG' && { logLevel: 'INFO' }),
  };
}

const isWebhook = ({ protocol }: Fields): boolean => protocol === 'webhook';

const hrefOf = (url: string): string | undefined => URL.parse(url)?.href;
