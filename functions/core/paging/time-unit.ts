import { shiftNanoseconds, type Timestamp } from '../model/timestamp.ts';

/**
 * Unit in which a list shows its times, in nanoseconds.
 *
 * The service may store times finer than it shows them, and filter by what it stores. What it shows is
 * less than one unit away from what it stores, cut or rounded.
 */
export type TimeUnit = 1 | 1e3 | 1e6 | 1e9;

const UNITS: readonly TimeUnit[] = [1, 1e3, 1e6, 1e9];

/** The finest unit that one of the times needs; never coarser than `before`. */
export function finestUnit(times: readonly Timestamp[], before: TimeUnit): TimeUnit {
  let finest = before;
  for (const time of times) {
    const unit = unitOf(time);
    if (unit < finest) finest = unit;
  }
  return finest;
}

/** Starts shortly before a time that hide as little of it as possible, the earliest first. */
export function startsBefore(time: Timestamp, unit: TimeUnit): readonly Timestamp[] {
  return [-0.501, -0.001].map((share) => shiftNanoseconds(time, Math.floor(share * unit)));
}

/**
 * Starts that pass over a time, the nearest first. Entities of the next time may be stored half a unit
 * before it, or exactly at it and be hidden by a filter `>`; so each unit is approached in small steps. Times that
 * were read tell no finest unit: a service may leave out zeros.
 */
export function startsBehind(time: Timestamp): readonly Timestamp[] {
  const steps = UNITS.flatMap((unit) => [0.499, 0.999, 1].map((share) => Math.floor(share * unit)));
  return [0, ...steps].map((step) => shiftNanoseconds(time, step));
}

/** A canonical timestamp has three digits of a second, or more of which the last is not 0. */
function unitOf(time: Timestamp): TimeUnit {
  const digitCount = time.length - 'YYYY-MM-DDTHH:mm:ss.Z'.length;
  if (digitCount > 3) return digitCount > 6 ? 1 : 1e3;
  return time.endsWith('000Z') ? 1e9 : 1e6;
}
