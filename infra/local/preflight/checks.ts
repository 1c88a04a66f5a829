import { AccessTokenSource } from '../../../functions/adapters/auth/access-token.ts';
import { systemClock } from '../../../functions/adapters/clock/system-clock.ts';
import { ServiceApiClient } from '../../../functions/adapters/service-api/client.ts';
import { SitecastError } from '../../../functions/core/model/errors.ts';
import { makeCatalog } from '../../../functions/core/model/resource-catalog.ts';
import { configWarnings } from '../../config/config-warnings.ts';
import { parseConfig, type StageConfig } from '../../config/config.ts';
import { countOf } from '../../count-of.ts';
import { synthesize } from '../stack/synthesize.ts';
import type { BilledResource } from './monitoring-bill.ts';
import { outlookOf, type Outlook } from './outlook.ts';
import { readProjects } from './read-projects.ts';
import { TOKEN_VARIABLE } from './read-token.ts';

/** One line of the report. */
export interface Finding {
  readonly result: 'ok' | 'warning' | 'failed' | 'not checked';
  /** What was checked: `config`. */
  readonly name: string;
  /** What was found, or why it failed, with what to do. */
  readonly text: string;
}

export interface PreflightOptions {
  readonly stage: string;
  /** The stage's fields, unchecked. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Rejects when no token was given. */
  readonly readToken: () => Promise<string>;
  /** Checks the account, or says why not. */
  readonly checkAccount: () => AsyncIterable<Finding>;
  /** Receives each finding at once. */
  readonly onFinding: (finding: Finding) => void;
  readonly signal?: AbortSignal;
}

/**
 * Checks a stage from its config to the first page of each list, as far as each step allows the next.
 *
 * @returns what the budget will mean; undefined when a check failed.
 */
export async function preflight(options: PreflightOptions): Promise<Outlook | undefined> {
  const { stage, fields, onFinding, signal } = options;
  const config = await attempt('config', onFinding, () => checkConfig(stage, fields));
  if (config === undefined) return undefined;
  for (const { message } of configWarnings(config, new Date().toISOString().slice(0, 10))) {
    onFinding({ result: 'warning', name: 'config', text: message });
  }
  const template = await attempt('template', onFinding, () => checkTemplate(stage, fields, signal));
  for await (const finding of options.checkAccount()) onFinding(finding);
  const service = new Service(config, options.readToken, signal);
  const token = await attempt('token', onFinding, () => service.checkToken());
  if (token === undefined) return undefined;
  const live = await attempt('projects', onFinding, () => service.checkProjects());
  if (live === undefined) return undefined;
  const lists = await attempt('lists', onFinding, () => service.checkLists(live[0]));
  if (template === undefined || lists === undefined) return undefined;
  return outlookOf(config, live.length, service.catalog.perProject.length, template);
}

/** The value of a check, and what to say about it. */
interface Passed<T> {
  readonly value: T;
  readonly text: string;
  readonly isDoubtful?: boolean;
}

async function attempt<T>(
  name: string,
  onFinding: PreflightOptions['onFinding'],
  check: () => Promise<Passed<T>>,
): Promise<T | undefined> {
  try {
    const { value, text, isDoubtful = false } = await check();
    onFinding({ result: isDoubtful ? 'warning' : 'ok', name, text });
    return value;
  } catch (error) {
    const { message } = error as Error;
    const hint = error instanceof SitecastError ? ` ${localHint(error.hint)}` : '';
    const text = `${message.replace(` in the secret "${TOKEN_VARIABLE}"`, '')}.${hint}`;
    onFinding({ result: 'failed', name, text: text.replace('..', '.') });
    return undefined;
  }
}

/** Hints of the poller speak of the stack's secret and of the next run, and there is neither yet. */
function localHint(hint: string): string {
  return hint
    .replace(
      /, write it to a file and run: .*/,
      ` and give it as ${TOKEN_VARIABLE} or on standard input.`,
    )
    .replace(/ (?:Sitecast polls the feed again|The next run tries again)\.$/, '')
    .replace(/: it is parked, and polled again .*/, '.');
}

function checkConfig(stage: string, fields: object): Promise<Passed<StageConfig>> {
  const { [stage]: config } = parseConfig({ [stage]: fields });
  if (config === undefined) throw new RangeError(`There is no stage ${stage}`);
  const text = `${stage}: ${Object.keys(fields).length} fields are valid`;
  return Promise.resolve({ value: config, text });
}

async function checkTemplate(
  stage: string,
  fields: object,
  signal: AbortSignal | undefined,
): Promise<Passed<readonly BilledResource[]>> {
  const assembly = await synthesize(fields, { stage, signal });
  const value = Object.values(assembly.template.Resources);
  await assembly.remove();
  return { value, text: `the stack Sitecast-${stage} has ${value.length} resources` };
}

/** The service, as the poller would ask it. */
class Service {
  readonly catalog;
  readonly #config: StageConfig;
  readonly #tokens: AccessTokenSource;
  readonly #api: ServiceApiClient;
  readonly #signal: AbortSignal | undefined;

  constructor(config: StageConfig, readToken: () => Promise<string>, signal?: AbortSignal) {
    this.#config = config;
    this.#signal = signal;
    this.catalog = makeCatalog(config);
    // Standard input can be read once.
    let token: Promise<string> | undefined;
    this.#tokens = new AccessTokenSource({
      authUrl: config.authUrl,
      secret: { name: TOKEN_VARIABLE, read: () => (token ??= readToken()) },
      tries: 2,
    });
    this.#api = new ServiceApiClient({
      baseUrl: config.baseUrl,
      accessTokens: this.#tokens,
      requestsPerMinute: config.requestsPerMinute,
      clock: systemClock,
      ...(config.serviceVersion !== undefined && { serviceVersion: config.serviceVersion }),
    });
  }

  async checkToken(): Promise<Passed<true>> {
    await this.#tokens.get(this.#signal);
    return { value: true, text: `${this.#config.authUrl} accepts the refresh token` };
  }

  async checkProjects(): Promise<Passed<readonly string[]>> {
    const read = await readProjects(this.#api, this.catalog.projects.path, this.#signal);
    const { live, deletedCount, invalidCount, requests, isWhole } = read;
    const notes = [
      `${live.length} projects, ${deletedCount} deleted, in ${countOf(requests, 'request')}`,
      ...(invalidCount > 0 ? [`${invalidCount} values are no projects: quarantined`] : []),
      ...(isWhole ? [] : ['more share one timestamp than a page shows: some stay unseen']),
      ...(live.length === 0 ? ["the token's user can see no project: check their rights"] : []),
    ];
    return { value: live, text: notes.join('; '), isDoubtful: notes.length > 1 };
  }

  /** Reads the first page of each list of a project. */
  async checkLists(projectId: string | undefined): Promise<Passed<true>> {
    if (projectId === undefined)
      return { value: true, text: 'no project to read', isDoubtful: true };
    const read: string[] = [];
    for (const { name, path, query } of this.catalog.perProject) {
      const page = await this.#api.fetchPage(
        {
          path: path.replace('{project_id}', encodeURIComponent(projectId)),
          perPage: this.#config.perPage,
          ...(query && { query }),
        },
        this.#signal,
      );
      read.push(`${name} (${page.entities.length}${page.hasMore ? ' and more' : ''})`);
    }
    return { value: true, text: `of project ${projectId}: ${read.join(', ')}` };
  }
}
