/** A body that was parsed. */
export interface ParsedBody {
  readonly value: unknown;
  /**
   * Of a list: the JSON of each of its values, in their order. Absent when it is not known. Each keeps
   * the whole body in memory.
   */
  readonly texts?: readonly string[];
}

/** How a list of objects begins whose JSON has no white space, which would be kept with the texts. */
const COMPACT = /^\[\{"[^"\\]*":\S/;
const BETWEEN_OBJECTS = '},{';
/** Characters of a body that is kept in memory with its texts. Many pages are in hand at once. */
const MOST_KEPT = 1_000_000;

/**
 * Parses a body. A list is parsed piece by piece where that works, so that each entity's text is there
 * when it is published and saved: making it anew takes longer than all else that is done with it.
 *
 * @throws SyntaxError when the body is not JSON.
 */
export function parseList(text: string): ParsedBody {
  return parsePieces(text) ?? { value: JSON.parse(text) as unknown };
}

/**
 * Cut at all that looks like the end of an object in the list. It may stand in a text, or in a list
 * within the list; then what is before it is no JSON. But values with a comma between are a list, so if
 * each piece is a value they are all there is.
 */
function parsePieces(text: string): Required<ParsedBody> | undefined {
  const isKept = text.length <= MOST_KEPT && COMPACT.test(text) && text.endsWith('}]');
  if (!isKept) return undefined;
  const value: unknown[] = [];
  const texts: string[] = [];
  const end = text.length - 1;
  try {
    for (let start = 1; start < end;) {
      const next = text.indexOf(BETWEEN_OBJECTS, start);
      const piece = text.slice(start, next === -1 ? end : next + 1);
      value.push(JSON.parse(piece));
      texts.push(piece);
      start += piece.length + 1;
    }
  } catch {
    return undefined;
  }
  return { value, texts };
}
