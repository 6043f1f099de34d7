/** The keys of an object: `true` accepts any value, a tree an object with its keys; `*` stands for any key. Lists are of objects. */
export interface KeyTree {
  readonly [key: string]: true | KeyTree
}

/** Names each key that the tree lacks, with its path and the key that was probably meant. */
export function findUnknownKeys(value: unknown, tree: KeyTree, path: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((each, index) => findUnknownKeys(each, tree, `${path}.${index}`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(tree, key) ? tree[key] : tree['*']
    if (known === undefined) return [`${path}: ${key} is not a known key.${suggest(key, tree)}`]
    return known === true ? [] : findUnknownKeys(inner, known, `${path}.${key}`)
  })
}

function suggest(key: string, tree: KeyTree): string {
  const [nearest] = Object.keys(tree)
    .map((name) => ({ name, distance: countEdits(key.toLowerCase(), name.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance)
  return nearest !== undefined && nearest.distance <= 2 ? ` Did you mean ${nearest.name}?` : ''
}

/** The Levenshtein distance. */
function countEdits(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1]
    for (const [at, otherLetter] of [...other].entries()) {
      const [left = 0, above = 0, diagonal = 0] = [next[at], row[at + 1], row[at]]
      next.push(Math.min(left + 1, above + 1, diagonal + (letter === otherLetter ? 0 : 1)))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
