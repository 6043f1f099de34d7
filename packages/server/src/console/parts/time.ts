import { type Html, html } from '../../platform/ui/html.ts'
import type { Words } from '../words/en.ts'

/** A point in time as people say it, with the exact time in UTC on hover and for screen readers. */
export function timeAgo(time: string | number, now: number, { time: words }: Words): Html {
  const at = typeof time === 'number' ? time : Date.parse(time)
  const iso = new Date(at).toISOString()
  const difference = now - at
  // What is ahead in six days and 23 hours is a week away.
  const round = difference >= 0 ? Math.floor : Math.round
  const duration = formatDuration(Math.abs(difference), round, words)
  const text =
    duration === undefined ? words.now : difference >= 0 ? words.ago(duration) : words.in(duration)
  return html`<time datetime="${iso}" title="${formatExact(iso)}">${text}</time>`
}

/** The date and time to the minute, in UTC. */
export function exactTime(time: string | number): Html {
  const iso = new Date(time).toISOString()
  return html`<time datetime="${iso}">${formatExact(iso)}</time>`
}

/** The time to the second, in UTC, with the day unless it is that of `now`. */
export function clockTime(time: string, now: number): Html {
  const isToday = time.slice(0, 10) === new Date(now).toISOString().slice(0, 10)
  const clock = time.slice(11, 19)
  const text = isToday ? clock : `${DAY.format(new Date(time))}, ${clock}`
  return html`<time datetime="${time}" title="${formatExact(time)}">${text}</time>`
}

/** When an hour or a day began, in UTC: `21 Nov, 14:00` or `21 Nov`. */
export function formatStep(time: number, step: 'hour' | 'day'): string {
  const day = DAY.format(new Date(time))
  return step === 'day' ? day : `${day}, ${new Date(time).toISOString().slice(11, 16)}`
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** `3 Oct 2026, 14:02 UTC`. */
function formatExact(iso: string): string {
  return `${EXACT.format(new Date(iso))} UTC`
}

const EXACT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
})

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Undefined for less than ten seconds. */
function formatDuration(
  ms: number,
  round: (value: number) => number,
  words: Words['time'],
): string | undefined {
  if (ms < 10_000) return undefined
  if (ms < MINUTE_MS) return words.seconds(round(ms / 1_000))
  if (ms < HOUR_MS) return words.minutes(round(ms / MINUTE_MS))
  if (ms < DAY_MS) return words.hours(round(ms / HOUR_MS))
  return words.days(round(ms / DAY_MS))
}
