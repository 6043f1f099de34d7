/** What was cut off when a node stopped, or the sum of earlier ones. */
export interface DrainRow {
  drain_id: string
  /** `timeout`: LINCHPIN_DRAIN_TIMEOUT. `killed`: the process ended before. */
  cause: 'timeout' | 'killed'
  requests: number
  jobs: number
  /** When these count as cut off, unless the row is deleted before: epoch milliseconds. */
  counts_from: number
}
