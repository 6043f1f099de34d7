import { fieldError, invalidParameter } from '../errors.ts'

/** The query parameters `from` and `to` in epoch milliseconds. @throws ApiError `invalid_parameter` */
export function parseTimes({ from, to }: { from?: string; to?: string }): {
  from: number | undefined
  to: number | undefined
} {
  return { from: parseTime('from', from), to: parseTime('to', to) }
}

function parseTime(name: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const time = Date.parse(value)
  if (Number.isNaN(time))
    throw invalidParameter(
      fieldError(name, 'invalid', 'Must be a time such as 2026-11-22T10:00:00Z.'),
    )
  return time
}
