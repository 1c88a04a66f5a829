const MAX_EDITS = 3;

/** Finds the name that a mistyped one most likely means, the shorter of two; undefined if none is near. */
export function findNearest(text: string, names: readonly string[]): string | undefined {
  const word = text.toLowerCase();
  const [nearest] = names
    .map((name) => ({ name, edits: editsBetween(word, name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits || a.name.length - b.name.length);
  const isNear = nearest !== undefined && nearest.edits <= Math.min(MAX_EDITS, word.length / 2);
  return isNear ? nearest.name : undefined;
}

/** The start of a name counts as one edit. */
function editsBetween(word: string, name: string): number {
  return word !== '' && name.startsWith(word) ? 1 : countEdits(word, name);
}

/** Insertions, deletions and replacements from one word to the other (Levenshtein). */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(to).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
