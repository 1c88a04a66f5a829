import { onTestFinished } from 'vitest';
import { AccessTokenSource } from '../../../../functions/adapters/auth/access-token.ts';
import {
  startSimulator,
  type Simulator,
  type SimulatorOptions,
} from '../../../../infra/local/simulator/simulator.ts';
import { SimulatorClient } from './simulator-client.ts';

/** A request without authorization. */
interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body; undefined if it is no JSON. */
  readonly json: unknown;
}

/** A simulator at a clock that stands still, and short ways to call it. */
export async function startTestSimulator(options: SimulatorOptions = {}) {
  const clock = { time: Date.UTC(2024, 4, 1, 10) };
  const simulator = await startSimulator({ now: () => clock.time, ...options });
  onTestFinished(() => simulator.close());
  const { baseUrl, adminUrl, world } = simulator;
  const token = await exchange(simulator);
  return {
    simulator,
    clock,
    world,
    /** Any project of the first world with floorplans and checklists. */
    projectId: world.projects.all()[0]?.id ?? '',
    /** Calls the API with an access token that was fetched at the start. */
    api: (path: string, call: Call = {}): Promise<Answer> => {
      const headers = { authorization: `Bearer ${token}`, ...call.headers };
      return sendRequest(`${baseUrl}/api/v3${path}`, { ...call, headers });
    },
    admin: (method: string, path: string, body?: unknown): Promise<Answer> =>
      sendRequest(`${adminUrl}${path}`, { method, body }),
    makeClient: (serviceVersion?: string): SimulatorClient => {
      const secret = { name: 'test', read: () => Promise.resolve(simulator.refreshToken) };
      const accessTokens = new AccessTokenSource({ authUrl: simulator.authUrl, secret });
      return new SimulatorClient(baseUrl, accessTokens, serviceVersion);
    },
  };
}

/** Exchanges a refresh token, by default the current one. @returns the access token. */
export async function exchange({ authUrl, refreshToken }: Simulator): Promise<string> {
  const body = { api_token: refreshToken };
  const { json } = await sendRequest(`${authUrl}/api_keys/jwt`, { method: 'POST', body });
  return (json as { readonly access_token: string }).access_token;
}

/** Sends a request and reads the answer. */
export async function sendRequest(url: string, call: Call = {}): Promise<Answer> {
  const { method = 'GET', headers, body } = call;
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {}
  return { status: response.status, headers: response.headers, text, json };
}
