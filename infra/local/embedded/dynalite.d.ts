/** The part of dynalite that the local stack uses; the package has no types. */
declare module 'dynalite' {
  import type { Server } from 'node:http';

  export interface DynaliteOptions {
    /** Milliseconds a new table stays in CREATING. Default 500. */
    createTableMs?: number;
    /** Folder of the database; in memory when absent. */
    path?: string;
  }

  /** A server that speaks DynamoDB's protocol; it does not listen yet. */
  export default function dynalite(options?: DynaliteOptions): Server;
}
