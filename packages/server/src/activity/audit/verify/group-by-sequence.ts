/** Groups by sequence number, as `Map.groupBy` does, which Node 20 does not have: the command line runs there. */
export function groupBySequence<T extends { readonly sequence: number }>(
  values: readonly T[],
): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const value of values) {
    const group = groups.get(value.sequence)
    if (group === undefined) groups.set(value.sequence, [value])
    else group.push(value)
  }
  return groups
}
