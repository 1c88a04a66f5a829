/** MB that a run takes without a page, and with as many calls to AWS under way as there may be. */
const MEMORY_WITHOUT_PAGES = 192;
/** A page takes so many times its body: parsed, compared, published, and until that is collected. */
const MEMORY_OF_PAGE = 16;
/** MB of bodies at the most: the heap does not grow with the memory for ever. */
const MOST_PAGES = 64;

/**
 * Bytes of pages that fit into a function's memory, see `test/bench/cost/peak-memory.ts`.
 *
 * @param memoryMb as Lambda tells it; without it hardly anything fits.
 */
export function pageBytesIn(memoryMb: string | undefined): number {
  const fitting = (Number(memoryMb ?? 0) - MEMORY_WITHOUT_PAGES) / MEMORY_OF_PAGE;
  return Math.min(Math.max(1, fitting), MOST_PAGES) * 1e6;
}
