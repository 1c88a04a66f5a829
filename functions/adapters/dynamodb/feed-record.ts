import type { Feed } from '../../core/model/feed.ts';

/**
 * A feed as the table holds it, besides its key. Names are single letters and defaults are left out,
 * since every tick loads all feeds and every KB is billed.
 */
export interface FeedRecord {
  /** Revision. */
  readonly r: number;
  /** Project id, if the feed's id does not contain it; empty for none. */
  readonly j?: string;
  /** Account id. */
  readonly a?: string;
  /** True in the baseline. */
  readonly b?: true;
  /** Parked until, in milliseconds since 1970. */
  readonly p?: number;
  /** Cursor. */
  readonly c?: string;
  /** Digest of the last poll. */
  readonly e?: string;
  /** Last change, in milliseconds since 1970. */
  readonly t?: number;
  /** Recent changes at that time. */
  readonly q?: number;
  /** JSON of all other fields, including fields that only another version of the code has. */
  readonly x?: string;
}

/** Encodes a feed. */
export function feedToRecord(feed: Feed): FeedRecord {
  const { id, projectId, accountId, phase, parked, ...rest } = feed;
  const { cursor, digest, revision, lastChange, recentChanges, ...others } = rest;
  return {
    r: revision,
    ...(projectId !== projectInId(id) && { j: projectId ?? '' }),
    ...(accountId !== undefined && { a: accountId }),
    ...(phase === 'baseline' && { b: true }),
    ...(parked !== undefined && { p: parked.until }),
    ...(cursor !== undefined && { c: cursor }),
    ...(digest !== undefined && { e: digest }),
    ...(lastChange !== undefined && { t: lastChange }),
    ...(recentChanges !== undefined && { q: recentChanges }),
    ...(Object.keys(others).length > 0 && { x: JSON.stringify(others) }),
  };
}

/** Decodes a record that {@link feedToRecord} made. */
export function feedFromRecord(id: string, record: FeedRecord): Feed {
  const projectId = record.j ?? projectInId(id);
  return {
    ...(record.x !== undefined && (JSON.parse(record.x) as object)),
    id,
    ...(projectId && { projectId }),
    ...(record.a !== undefined && { accountId: record.a }),
    phase: record.b ? 'baseline' : 'live',
    ...(record.p !== undefined && { parked: { until: record.p } }),
    ...(record.c !== undefined && { cursor: record.c }),
    ...(record.e !== undefined && { digest: record.e }),
    ...(record.t !== undefined && { lastChange: record.t }),
    ...(record.q !== undefined && { recentChanges: record.q }),
    revision: record.r,
  };
}

/** The project that most ids name: `projects/<project_id>/floorplans`. */
function projectInId(id: string): string | undefined {
  const segments = id.split('/');
  return segments.length === 3 ? segments[1] : undefined;
}
