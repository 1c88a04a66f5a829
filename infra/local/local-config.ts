import type { ConfigWarning } from '../config/config-warnings.ts';
import { eventEntities } from '../config/event-words.ts';

/** Kinds of warnings that concern a stack on this machine: the others are about deployments. */
const LOCAL_WARNINGS: ReadonlySet<ConfigWarning['id']> = new Set(['filter', 'lists', 'version']);

/** What the config of a local stack means for its events. */
export interface LocalConfig {
  /** As `npm run synth` and the preflight word them. */
  readonly warnings: readonly string[];
  /** By the name of an entity that has no events, what would show it: `withCurrentSheet true`. */
  readonly hiddenEntities: Readonly<Record<string, string>>;
  readonly requestsPerMinute: number;
}

/** Reads a valid config of a stage, with its addresses. */
export async function readLocalConfig(stage: string, fields: object): Promise<LocalConfig> {
  // Imported late: loading takes a moment.
  const [{ parseConfig }, { configWarnings }] = await Promise.all([
    import('../config/config.ts'),
    import('../config/config-warnings.ts'),
  ]);
  const { [stage]: config } = parseConfig({ [stage]: fields });
  if (config === undefined) throw new RangeError(`There is no stage ${stage}`);
  const warnings = configWarnings(config, new Date().toISOString().slice(0, 10));
  return {
    warnings: warnings.filter(({ id }) => LOCAL_WARNINGS.has(id)).map(({ message }) => message),
    hiddenEntities: Object.fromEntries(eventEntities(config).hidden),
    requestsPerMinute: config.requestsPerMinute,
  };
}
