import type { Language } from './language.ts'

/** How a language writes numbers, days and spans of time (Intl). */
export interface Formatters {
  number(value: number): string
  /** A day in full, UTC: `21 November 2026`. */
  day(value: Date): string
  /** A span from now: `in 3 minutes`; below a minute in seconds, then minutes, then hours, rounded up. */
  relativeTime(seconds: number): string
  /** The form that belongs to a count. `other` is always given. */
  plural(
    count: number,
    forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>,
  ): string
}

/** Reads the formats of a language once. */
export function getFormatters(language: Language): Formatters {
  const locale = LOCALES[language] ?? language
  const numbers = new Intl.NumberFormat(locale)
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const relativeTimes = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
  const plurals = new Intl.PluralRules(locale)
  return {
    number: (value) => numbers.format(value),
    day: (value) => days.format(value),
    relativeTime: (seconds) => {
      const wholeSeconds = Math.max(1, Math.ceil(seconds))
      if (wholeSeconds < 60) return relativeTimes.format(wholeSeconds, 'second')
      if (wholeSeconds < 3_600) return relativeTimes.format(Math.ceil(wholeSeconds / 60), 'minute')
      return relativeTimes.format(Math.ceil(wholeSeconds / 3_600), 'hour')
    },
    plural: (count, forms) => forms[plurals.select(count)] ?? forms.other,
  }
}

/** English with the day first, as in the other languages. */
const LOCALES: Partial<Record<Language, string>> = { en: 'en-GB' }
