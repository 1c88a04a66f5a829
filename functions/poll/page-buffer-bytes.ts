/** MB of a run without pages, with the maximum of AWS calls in flight. */
const MEMORY_WITHOUT_PAGES = 192;
/** Memory of a page as a multiple of its body: parsed, compared, published, not yet collected. */
const MEMORY_OF_PAGE = 16;
/** Maximum MB of bodies: the heap does not grow with the memory without limit. */
const MAX_BUFFER_MB = 64;

/**
 * Bytes of pages that fit into a function's memory, see `test/bench/cost/peak-memory.ts`.
 *
 * @param memoryMb as Lambda reports it; 1 MB of pages fit if it is absent.
 */
export function pageBytesIn(memoryMb: string | undefined): number {
  const fittingMb = (Number(memoryMb ?? 0) - MEMORY_WITHOUT_PAGES) / MEMORY_OF_PAGE;
  return Math.min(Math.max(1, fittingMb), MAX_BUFFER_MB) * 1e6;
}
