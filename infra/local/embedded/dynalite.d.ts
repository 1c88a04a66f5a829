/** The part of dynalite that the local stack uses; the package has no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  /** A server that speaks DynamoDB's protocol; it does not listen yet. */
  export default function dynalite(options: { createTableMs: number }): Server;
}
