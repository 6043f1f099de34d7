import { once } from '../once.ts'

/** Formats numbers, dates and durations for one language (Intl). */
export interface Formatters {
  number(value: number): string
  /** A long date in UTC: `21 November 2026`. */
  day(value: Date): string
  /** Time from now, rounded up to seconds, minutes or hours: `in 3 minutes`. */
  relativeTime(seconds: number): string
  /** Whole days before today: `today`, `yesterday`, `3 days ago`. */
  daysAgo(days: number): string
  /** The plural form for a count; `other` is the default. */
  plural(
    count: number,
    forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>,
  ): string
}

/** Returns the formatters of a locale (BCP 47). Each Intl object is created on first use. */
export function getFormatters(locale: string): Formatters {
  const numbers = once(() => new Intl.NumberFormat(locale))
  const days = once(() => new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' }))
  const relativeTimes = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'always' }))
  const dayNames = once(() => new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }))
  const plurals = once(() => new Intl.PluralRules(locale))
  return {
    number: (value) => numbers().format(value),
    day: (value) => days().format(value),
    relativeTime: (seconds) => {
      const wholeSeconds = Math.max(1, Math.ceil(seconds))
      if (wholeSeconds < 60) return relativeTimes().format(wholeSeconds, 'second')
      if (wholeSeconds < 3_600)
        return relativeTimes().format(Math.ceil(wholeSeconds / 60), 'minute')
      return relativeTimes().format(Math.ceil(wholeSeconds / 3_600), 'hour')
    },
    daysAgo: (count) => dayNames().format(-count, 'day'),
    plural: (count, forms) => forms[plurals().select(count)] ?? forms.other,
  }
}
