import { PageTooLargeError } from '../../core/model/errors.ts';
import type { BodyReservation } from '../../core/ports/service-api.ts';

/** The most that a body may weigh whose caller reserves no memory: it takes 1 GB once it is parsed. */
const MAX_BYTES = 64e6;

/** Bounds a body whose caller reserves no memory. It waits for nobody, and holds nothing. */
export const FIXED_RESERVATION: BodyReservation = {
  maxBytes: MAX_BYTES,
  // A Promise whose executor throws rejects.
  acquire: ({ bytes = 0 }) =>
    new Promise((resolve) => {
      check(bytes, `${bytes} bytes`);
      resolve();
    }),
  onBytesRead: (bytes) => {
    check(bytes, `${bytes} bytes or more`);
  },
  onWeighed: (weight) => {
    check(weight, `so many small values that it takes as much memory as ${weight} bytes`);
  },
  resize: () => undefined,
};

function check(bytes: number, size: string): void {
  if (bytes > MAX_BYTES) throw new PageTooLargeError(`${size} (allowed: ${MAX_BYTES})`);
}
