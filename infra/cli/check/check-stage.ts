import { FatalError, SitecastError } from '../../../functions/core/model/errors.ts';
import { feedPath } from '../../../functions/core/model/feed.ts';
import {
  isSelectedProject,
  makeCatalog,
  type Resource,
} from '../../../functions/core/model/resource-catalog.ts';
import { configWarnings } from '../../config/config-warnings.ts';
import { parseConfig, type StageConfig } from '../../config/config.ts';
import { countOf } from '../format.ts';
import { checkAccount } from './check-account.ts';
import { judgeLists, type Finding } from './list-rules.ts';
import { openService, readProjects, TOKEN_VARIABLE, type Service } from './service.ts';
import { hasCdk, synthesize } from '#parts';

export interface CheckInput {
  readonly stage: string;
  /** The stage's fields, unchecked. */
  readonly fields: object;
  /** Rejects when no token was given. */
  readonly readToken: () => Promise<string>;
}

/**
 * Checks a stage from its config to the first page of each list, and prints what its request budget
 * means. The first check that fails ends it; a list that fails does not keep others from theirs.
 */
export async function* checkStage(input: CheckInput): AsyncGenerator<Finding> {
  const { stage, fields, readToken } = input;
  let name = 'config';
  const ok = (text: string, isDoubtful = false): Finding => {
    return { result: isDoubtful ? 'warning' : 'ok', name, text };
  };
  try {
    const config = readConfig(stage, fields);
    yield ok(`${stage}: ${Object.keys(fields).length} fields are valid`);
    for (const { message } of configWarnings(config)) yield ok(message, true);
    name = 'template';
    if (hasCdk) {
      const resourceCount = await countResources(stage, fields);
      yield ok(`the stack Sitecast-${stage} has ${resourceCount} resources`);
    }
    yield await checkAccount(config);
    const service = openService(config, readToken);
    name = 'token';
    const isReplaced = await service.logIn();
    const replaced = ', and replaces it by one that Sitecast does not keep: ask for a lasting one';
    const doubt = isReplaced ? replaced : '';
    yield ok(`${config.authUrl} accepts the refresh token${doubt}`, isReplaced);
    name = 'projects';
    const { selected, ...projects } = await checkProjects(service, config);
    yield ok(projects.text, projects.isDoubtful);
    name = 'lists';
    yield* checkLists(service, config, selected.at(-1));
    yield* judgeLists(service.pages);
    yield describeBudget(config, selected.length);
  } catch (error) {
    yield failureOf(name, error);
  }
}

function readConfig(stage: string, fields: object): StageConfig {
  const { [stage]: config } = parseConfig({ [stage]: fields });
  if (config === undefined) throw new RangeError(`There is no stage ${stage}`);
  return config;
}

async function countResources(stage: string, fields: object): Promise<number> {
  const assembly = await synthesize(fields, { stage });
  await assembly.remove();
  return Object.keys(assembly.template.Resources).length;
}

/** Reads all projects. @returns the ids of those whose lists are polled. */
async function checkProjects(service: Service, config: StageConfig) {
  const { projects, selection } = makeCatalog(config);
  const { live, deletedCount, requestCount, isWhole } = await readProjects(service, projects);
  const selected = live.filter((id) => isSelectedProject(selection, id));
  const entries = live.length > 0 ? (selection.projects ?? []) : [];
  const idle = entries.filter((id) => !live.some((each) => each.toLowerCase() === id));
  const doubts = [
    ...(isWhole ? [] : ['more share one timestamp than a page shows: some stay unseen']),
    ...(live.length === 0 ? ["the token's user can see no project: check their rights"] : []),
    ...idle.map((entry) => `${JSON.stringify(entry)} selects none`),
  ];
  const read = `${countOf(live.length, 'project')}, and ${deletedCount} deleted`;
  const notes = [
    `${read}, in ${countOf(requestCount, 'request')}`,
    ...(entries.length > 0 ? [`the field projects selects ${selected.length} of them`] : []),
  ];
  return { selected, text: [...notes, ...doubts].join('; '), isDoubtful: doubts.length > 0 };
}

function polledLists(config: StageConfig): readonly Resource[] {
  const { perProject, selection } = makeCatalog(config);
  return perProject.filter(({ name }) => selection.resources?.includes(name) ?? true);
}

/** Reads the first page of each list of the account, and of each list of a project, if any. */
async function* checkLists(
  service: Service,
  config: StageConfig,
  projectId: string | undefined,
): AsyncGenerator<Finding> {
  const { perAccount } = makeCatalog(config);
  const perProject = polledLists(config);
  const where = projectId === undefined ? 'no project to read' : `of project ${projectId}`;
  const read: string[] = [];
  for (const resource of [...perAccount, ...(projectId === undefined ? [] : perProject)]) {
    try {
      const request = { path: feedPath(resource, projectId), perPage: config.perPage };
      const { entities, hasMore } = await service.readPage(resource, request);
      read.push(`${resource.name} (${entities.length}${hasMore ? ' and more' : ''})`);
    } catch (error) {
      if (error instanceof FatalError) throw error;
      yield failureOf('lists', error);
    }
  }
  const isUnread = projectId === undefined && perProject.length > 0;
  const isDoubtful = isUnread || (read.length === 0 && perAccount.length + perProject.length > 0);
  const text = `${where}: ${read.join(', ') || 'no list was read'}`;
  yield { result: isDoubtful ? 'warning' : 'ok', name: 'lists', text };
}

/** Says how often the request budget polls the lists, see docs/scale-and-cost.md. */
function describeBudget(config: StageConfig, projectCount: number): Finding {
  const { requestsPerMinute, everyMinutes } = config;
  const { perAccount } = makeCatalog(config);
  const lists = projectCount * polledLists(config).length + 1 + perAccount.length;
  const tickSeconds = everyMinutes * 60;
  // Between two polls of an idle list: a run takes less than a minute.
  const turnSeconds = Math.max(1, Math.ceil(lists / requestsPerMinute)) * tickSeconds;
  const maxWaitSeconds = config.maxWaitSeconds ?? Math.max(1800, 3 * tickSeconds);
  // Runs may start late: the last turn does not count. Each turn also reads the projects.
  const turns = Math.max(1, Math.floor(maxWaitSeconds / tickSeconds) - 1);
  const needed = Math.ceil((lists - 1) / turns) + 1;
  const isEnough = requestsPerMinute >= needed;
  const turn = `${countOf(lists, 'list')}, all of them polled in ${countOf(turnSeconds, 'second')}`;
  const advice = isEnough
    ? `${countOf(needed, 'request')} a minute keep maxWaitSeconds (${maxWaitSeconds})`
    : `too few requests for maxWaitSeconds (${maxWaitSeconds}): set requestsPerMinute to ` +
      `${needed}, or raise maxWaitSeconds`;
  return { result: isEnough ? 'ok' : 'warning', name: 'budget', text: `${turn}; ${advice}` };
}

function failureOf(name: string, error: unknown): Finding {
  const { message } = error as Error;
  const hint = error instanceof SitecastError ? ` ${localHint(error.hint)}` : '';
  const sentence = message.replace(` in the secret "${TOKEN_VARIABLE}"`, '');
  const end = /[.?]$/.test(sentence) ? '' : '.';
  return { result: 'failed', name, text: `${sentence}${end}${hint}` };
}

/** Hints of the poller speak of the stack's secret and of later tries: neither exists yet. */
function localHint(hint: string): string {
  const given = ` and give it as ${TOKEN_VARIABLE} or on standard input.`;
  return hint
    .replace(/, write it to a file and run: .*/, given)
    .replace(/: it is tried again .*/, '.');
}
