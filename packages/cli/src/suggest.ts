/** ` Did you mean x?` for the name nearest to what was typed; empty if none is near. */
export function suggest(typed: string, names: Iterable<string>): string {
  const [nearest] = [...names]
    .map((name) => ({ name, distance: getDistance(typed, name) }))
    .filter(({ name, distance }) => distance <= Math.max(1, Math.floor(name.length / 3)))
    .toSorted((one, other) => one.distance - other.distance)
  return nearest === undefined ? '' : ` Did you mean ${nearest.name}?`
}

/** How many characters have to be inserted, removed or replaced (Levenshtein). */
function getDistance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [row, character] of [...one].entries()) {
    const current = [row + 1]
    for (const [column, expected] of [...other].entries()) {
      const replaced = (previous[column] ?? 0) + (character === expected ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
