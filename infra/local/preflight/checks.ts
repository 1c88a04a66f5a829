import { AccessTokenSource } from '../../../functions/adapters/auth/access-token.ts';
import { systemClock } from '../../../functions/adapters/clock/system-clock.ts';
import { ServiceApiClient } from '../../../functions/adapters/service-api/service-client.ts';
import { FatalError, ServiceError, SitecastError } from '../../../functions/core/model/errors.ts';
import { feedPath } from '../../../functions/core/model/feed.ts';
import { omitFields } from '../../../functions/core/model/omit-fields.ts';
import {
  isBuiltIn,
  makeCatalog,
  type Resource,
} from '../../../functions/core/model/resource-catalog.ts';
import { configWarnings } from '../../config/config-warnings.ts';
import { parseConfig, type StageConfig } from '../../config/config.ts';
import { countOf } from '../../count-of.ts';
import { synthesize } from '../stack/synthesize.ts';
import { judgeLists, type Page, type PageRead } from './list-rules.ts';
import type { BilledResource } from './monitoring-bill.ts';
import { outlookOf, type Outlook } from './outlook.ts';
import { readProjects } from './read-projects.ts';
import { TOKEN_VARIABLE } from './read-token.ts';
import { describeSelection, selectedProjects, selectedResources } from './selection.ts';

/** One line of the report. */
export interface Finding {
  readonly result: 'ok' | 'warning' | 'failed' | 'not checked' | 'waiting';
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
  const service = new Service(config, options);
  const token = await attempt('token', onFinding, () => service.checkToken());
  if (token === undefined) return undefined;
  const projects = await attempt('projects', onFinding, () => service.checkProjects());
  if (projects === undefined) return undefined;
  const lists = await attempt('lists', onFinding, () => service.checkLists(projects.at(-1)));
  if (lists !== undefined) for (const finding of judgeLists(service.pages)) onFinding(finding);
  if (template === undefined || lists === undefined) return undefined;
  return outlookOf(config, projects.length, lists.length, template);
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
    onFinding(failureOf(name, error));
    return undefined;
  }
}

function failureOf(name: string, error: unknown): Finding {
  const { message } = error as Error;
  const hint = error instanceof SitecastError ? ` ${localHint(error.hint)}` : '';
  const sentence = message.replace(` in the secret "${TOKEN_VARIABLE}"`, '');
  const end = /[.?]$/.test(sentence) ? '' : '.';
  return { result: 'failed', name, text: `${sentence}${end}${hint}` };
}

/** Hints of the poller speak of the stack's secret, of cursors and parked lists: none exist yet. */
function localHint(hint: string): string {
  return hint
    .replace(
      /, write it to a file and run: .*/,
      ` and give it as ${TOKEN_VARIABLE} or on standard input.`,
    )
    .replace(/: it is tried again .*/, '.')
    .replace('The cursor stays. ', '');
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

/** A wait that somebody who watches would wonder about. */
const NOTABLE_SECONDS = 5;

type PageRequest = Parameters<ServiceApiClient['fetchPage']>[0];

/** The service, as the poller would ask it. */
class Service {
  readonly catalog;
  /** All pages that were read. */
  readonly pages: PageRead[] = [];
  readonly #config: StageConfig;
  readonly #tokens: AccessTokenSource;
  readonly #api: ServiceApiClient;
  readonly #signal: AbortSignal | undefined;
  readonly #onFinding: PreflightOptions['onFinding'];
  /** Of the last answer: requests are sent one after another. */
  #headers = new Headers();
  #isReplaced = false;

  constructor(config: StageConfig, { readToken, onFinding, signal }: PreflightOptions) {
    this.#config = config;
    this.#onFinding = onFinding;
    this.#signal = signal;
    this.catalog = makeCatalog(config);
    // Standard input can be read once.
    let token: Promise<string> | undefined;
    this.#tokens = new AccessTokenSource({
      authUrl: config.authUrl,
      secret: { name: TOKEN_VARIABLE, read: () => (token ??= readToken()) },
      tries: 2,
      onReplaced: () => {
        this.#isReplaced = true;
      },
    });
    this.#api = new ServiceApiClient({
      baseUrl: config.baseUrl,
      accessTokens: this.#tokens,
      requestsPerMinute: config.requestsPerMinute,
      clock: systemClock,
      fetch: async (...request) => {
        const response = await fetch(...request);
        this.#headers = response.headers;
        return response;
      },
      ...(config.serviceVersion !== undefined && { serviceVersion: config.serviceVersion }),
      headers: config.headers,
    });
  }

  async checkToken(): Promise<Passed<true>> {
    await this.#tokens.get(this.#signal);
    const doubt = this.#isReplaced
      ? ', and replaces it by one that Sitecast does not keep: ask for one that stays valid'
      : '';
    const text = `${this.#config.authUrl} accepts the refresh token${doubt}`;
    return { value: true, text, isDoubtful: this.#isReplaced };
  }

  /** Reads all projects. @returns the ids of those whose lists are polled. */
  async checkProjects(): Promise<Passed<readonly string[]>> {
    const { projects, selection } = this.catalog;
    const fetchPage: ServiceApiClient['fetchPage'] = (request) => this.#read(projects, request);
    const read = await readProjects({ fetchPage }, projects);
    const { live, deletedCount, requests, isWhole } = read;
    const selected = describeSelection(selection, live);
    const doubts = [
      ...(isWhole ? [] : ['more share one timestamp than a page shows: some stay unseen']),
      ...(live.length === 0 ? ["the token's user can see no project: check their rights"] : []),
      ...selected.doubts,
    ];
    const notes = [
      `${countOf(live.length, 'project')}, and ${deletedCount} deleted, in ${countOf(requests, 'request')}`,
      ...selected.notes,
    ];
    const value = selectedProjects(selection, live);
    return { value, text: [...notes, ...doubts].join('; '), isDoubtful: doubts.length > 0 };
  }

  /** Reads a page, and says so if the request budget lets it wait. */
  async #read(resource: Resource, request: PageRequest): Promise<Page> {
    const { nextStartAt = 0 } = this.#api.allowance(0);
    const seconds = Math.round((nextStartAt - systemClock.now()) / 1000);
    if (seconds >= NOTABLE_SECONDS) {
      const text = `waits ${countOf(seconds, 'second')} for the request budget: requestsPerMinute is ${this.#config.requestsPerMinute}`;
      this.#onFinding({ result: 'waiting', name: 'service', text });
    }
    const page = omitFields(await this.#api.fetchPage(request, this.#signal), resource);
    this.pages.push({ resource, perPage: request.perPage, page, headers: this.#headers });
    return page;
  }

  /**
   * Reads the first page of each list of the account, and of each list of a project, if there is
   * one. Goes on after a list that fails.
   *
   * @returns the lists that are polled per project.
   */
  async checkLists(projectId: string | undefined): Promise<Passed<readonly Resource[]>> {
    const value = selectedResources(this.catalog);
    const { perAccount } = this.catalog;
    const lists = [...perAccount, ...value];
    if (lists.length === 0) return { value, text: 'none is polled but that of the projects' };
    const readable = projectId === undefined ? perAccount : lists;
    if (readable.length === 0) return { value, text: 'no project to read', isDoubtful: true };
    const read: string[] = [];
    for (const resource of readable) {
      try {
        const page = await this.#fetchFirstPage(resource, projectId);
        read.push(`${resource.name} (${page.entities.length}${page.hasMore ? ' and more' : ''})`);
      } catch (error) {
        if (this.#signal?.aborted || error instanceof FatalError) throw error;
        this.#onFinding(failureOf('lists', error));
      }
    }
    const of = projectId === undefined ? 'no project to read' : `of project ${projectId}`;
    const text = `${of}: ${read.join(', ') || 'none could be read'}`;
    return { value, text, isDoubtful: projectId === undefined || read.length === 0 };
  }

  async #fetchFirstPage(resource: Resource, projectId: string | undefined) {
    const { name, query } = resource;
    const request = {
      path: feedPath(resource, projectId),
      perPage: this.#config.perPage,
      ...(query && { query }),
    };
    try {
      return await this.#read(resource, request);
    } catch (error) {
      const isRefused = error instanceof ServiceError && [403, 404].includes(error.status ?? 0);
      if (!isRefused || isBuiltIn(resource)) throw error;
      throw new SitecastError(error.message, {
        hint: `Check the path of ${JSON.stringify(name)} in additionalResources. If it is right, give the account access to this list.`,
        cause: error,
      });
    }
  }
}
