import type { Language } from '../language.ts'

/** How a language writes numbers, days and spans of time (Intl). */
export interface Measures {
  number(value: number): string
  /** A day in full, UTC: `21 November 2026`. */
  day(value: Date): string
  /** A span from now: `in 3 minutes`; below a minute in seconds, then minutes, then hours, rounded up. */
  inTime(seconds: number): string
  /** The form that belongs to a count. `other` is always given. */
  plural(
    count: number,
    forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>,
  ): string
}

/** Reads the formats of a language once. */
export function measuresOf(language: Language): Measures {
  const locale = LOCALES[language] ?? language
  const numbers = new Intl.NumberFormat(locale)
  const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  const spans = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
  const plurals = new Intl.PluralRules(locale)
  return {
    number: (value) => numbers.format(value),
    day: (value) => days.format(value),
    inTime: (seconds) => {
      const whole = Math.max(1, Math.ceil(seconds))
      if (whole < 60) return spans.format(whole, 'second')
      if (whole < 3_600) return spans.format(Math.ceil(whole / 60), 'minute')
      return spans.format(Math.ceil(whole / 3_600), 'hour')
    },
    plural: (count, forms) => forms[plurals.select(count)] ?? forms.other,
  }
}

/** English with the day first, as in the other languages. */
const LOCALES: Partial<Record<Language, string>> = { en: 'en-GB' }
