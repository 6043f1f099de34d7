import type { Id } from '../id.ts'

/** How often something happened within an hour or a day (UTC). Of an event there are up to four rows for each. */
export interface StatisticsRow {
  workspace_id: Id<'wsp'>
  step: 'hour' | 'day'
  /** Empty: of all tools, and of none. */
  definition_id: Id<'def'> | ''
  /** Empty: with all codes, and without. */
  code: string
  metric: string
  /** When the hour or day began. */
  bucket: number
  count: number
  sum: number
}
