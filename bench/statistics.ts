/** Median, least and greatest of several values. */
export interface Range {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** The median. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

export function toRange(values: readonly number[]): Range {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}
