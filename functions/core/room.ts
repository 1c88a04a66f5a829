/** What the headers of a page tell before its body is read. */
export interface PageHead {
  /** `Content-Length`, if that is the body as it will be in memory. */
  readonly bytes?: number;
  /** `X-Count`. */
  readonly entities?: number;
  /** `X-Has-More`. */
  readonly hasMore?: boolean;
  /** `X-Last-Synced-At`, as the service gave it. */
  readonly lastSyncedAt?: string;
}

/** Room in memory for the body of one page. Whoever gave it with the request takes it back. */
export interface Room {
  /**
   * Waits until there is room. What is small has it at once. Counts as the service's time for nobody:
   * it is our own memory that is waited for.
   *
   * @throws PageTooLarge when there never will be.
   * @throws the signal's reason.
   */
  take(head: PageHead, signal: AbortSignal): Promise<void>;
  /**
   * Tells how many bytes of the body have been read by now.
   *
   * @throws PageTooLarge when no more of it may be read.
   */
  hasRead(bytes: number): void;
  /** Tells how large the body was; 0 when an attempt has failed. */
  correctTo(bytes: number): void;
}
