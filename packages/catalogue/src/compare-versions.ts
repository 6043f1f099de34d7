/** Compares versions of three numbers: `1.10.0` follows `1.9.3`. Negative if the first is older. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [one, other].map((version) => version.split('.').map(Number))
  for (const index of [0, 1, 2]) {
    const difference = (first?.[index] ?? 0) - (second?.[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
