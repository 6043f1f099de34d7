// The server and the page's script use the same rules.

/** Words shorter than this must be spelled correctly: one edit turns them into too many others. */
const MIN_FUZZY_LENGTH = 4

/**
 * The items whose text contains every word of the query, ignoring case and accents. If there is none, those that contain
 * a word which differs by one edit: "slak", "hubsopt". The last word may be incomplete.
 */
export function searchItems<T>(
  items: readonly T[],
  getText: (item: T) => string,
  query: string,
): readonly T[] {
  const words = normalizeText(query).split(/\s+/)
  const texts = items.map((item) => normalizeText(getText(item)))
  const exact = items.filter((_, at) => words.every((word) => texts[at]?.includes(word)))
  if (exact.length > 0 || words.every((word) => word.length < MIN_FUZZY_LENGTH)) return exact
  return items.filter((_, at) => words.every((word) => isSimilarTo(texts[at] ?? '', word)))
}

/** Removes case and accents. */
export function normalizeText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().trim()
}

function isSimilarTo(text: string, word: string): boolean {
  if (text.includes(word)) return true
  const { length } = word
  if (length < MIN_FUZZY_LENGTH) return false
  return text
    .split(/\s+/)
    .some((other) =>
      [length - 1, length, length + 1].some((end) => isOneEdit(word, other.slice(0, end))),
    )
}

/** Whether the Damerau–Levenshtein distance is at most 1. */
function isOneEdit(one: string, other: string): boolean {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const [a, b] = [one.slice(at), other.slice(at)]
  return (
    a.slice(1) === b.slice(1) ||
    a.slice(1) === b ||
    a === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  )
}
