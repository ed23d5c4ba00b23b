const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)

/**
 * How well an entry of the palette fits what was typed: each typed word begins a word of the entry.
 * @returns 0 for no match, more where the label itself matches
 */
export function matchRank(typed: string, label: string, words = ''): number {
  const wanted = wordsOf(typed)
  const inLabel = wordsOf(label)
  const all = [...inLabel, ...wordsOf(words)]
  const begins = (list: readonly string[]) => wanted.every((part) => list.some((word) => word.startsWith(part)))
  if (!begins(all)) return 0
  if (!begins(inLabel)) return 1
  return label.toLowerCase().startsWith(typed.trim().toLowerCase()) ? 3 : 2
}

/** The entries that fit, the best first. All of them, in their order, while nothing is typed. */
export const fitting = <Entry extends { readonly label: string; readonly words?: string | undefined }>(
  typed: string,
  entries: readonly Entry[],
): Entry[] => {
  const rank = (entry: Entry) => matchRank(typed, entry.label, entry.words)
  return entries.filter((entry) => rank(entry) > 0).toSorted((one, other) => rank(other) - rank(one))
}
