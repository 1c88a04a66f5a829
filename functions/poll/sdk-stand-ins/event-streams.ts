/**
 * Stands in for the SDK's event streams, which it would load when an operation streams; none that is
 * called here does. The bundler puts it there, see `infra/constructs/bundling.ts`.
 */
export {};
