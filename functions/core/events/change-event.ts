import type { JsonObject } from '../model/entity.ts';
import { type Timestamp } from '../model/timestamp.ts';
import { type Action } from '../model/change.ts';

/** Why an event was published. */
export type Cause = 'poll' | 'replay' | 'reconcile';

/** One CloudEvents 1.0 event in structured JSON mode: the contract with subscribers. */
export interface ChangeEvent {
  readonly specversion: '1.0';
  /** 32 hex digits; the same change has the same id on every delivery. */
  readonly id: string;
  /** `{base_url}/api/v3`. */
  readonly source: string;
  /** `<entity>.<action>`. */
  readonly type: `${string}.${Action}`;
  readonly subject: string;
  readonly time: Timestamp;
  readonly datacontenttype: 'application/json';
  /** Versioned URI of the schema of `data`. */
  readonly dataschema: string;
  /**
   * Orders the events of one entity: its version in text of a fixed width, which is compared as text. A
   * subscriber ignores an event that is not above what it has.
   */
  readonly sequence: string;
  /** The entity's id. */
  readonly partitionkey: string;
  /** When Sitecast saw the change. The only attribute that differs between deliveries. */
  readonly recordedtime: Timestamp;
  readonly accountid?: string;
  readonly projectid?: string;
  readonly cause: Cause;
  readonly data: ChangeData;
}

/**
 * What is published in the place of an event that is too large for the topic: the same event, with
 * the address of the whole one instead of `data`.
 */
export type ClaimCheckMessage = Omit<ChangeEvent, 'data'> & {
  /** Where the whole event lies, as JSON: `s3://<bucket>/events/<id>.json`. */
  readonly dataref: string;
};

/** The payload of a {@link ChangeEvent}. */
export interface ChangeData {
  readonly object: JsonObject;
  readonly changed: readonly string[];
  readonly previous?: JsonObject;
}
