import type { Ports } from '../../functions/core/ports/ports.ts';
import type { RateAllowance, ServiceApi } from '../../functions/core/ports/service-api.ts';

/** A service of which a test says only what concerns it. */
export type PartialApi = Pick<ServiceApi, 'fetchPage'> &
  Partial<Omit<ServiceApi, 'allowance'>> & {
    readonly allowance?: (withinMs: number) => Partial<RateAllowance>;
  };

/** Some ports, with a service that may be partial. */
export type PartialPorts = Partial<Omit<Ports, 'api'>> & { readonly api?: PartialApi };

const PLENTY: RateAllowance = { requests: 1_000_000, perMinute: 1_000_000, usedShare: 0 };

/** The service with no limit of requests that matters, which lets nobody ask for an entity. */
export function completeApi(api: PartialApi): ServiceApi {
  return {
    fetchPage: (...call) => api.fetchPage(...call),
    fetchEntity: (...call) =>
      api.fetchEntity?.(...call) ?? Promise.resolve({ verdict: 'forbidden' }),
    allowance: (withinMs) => ({ ...PLENTY, ...api.allowance?.(withinMs) }),
    beginRun: (run) => api.beginRun?.(run),
    handOver: () => api.handOver?.() ?? '',
  };
}
