/** The languages of our pages. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja', 'ar'] as const

export type Language = (typeof LANGUAGES)[number]

/**
 * Chooses the language of a page: the `lang` parameter (`de`, `de-AT`), else the first supported language of
 * `Accept-Language` (RFC 9110 section 12.5.4), else English.
 */
export function chooseLanguage(requested: unknown, acceptLanguage: string | undefined): Language {
  const explicit = typeof requested === 'string' ? [requested] : []
  const candidates = [...explicit, ...parseAcceptLanguage(acceptLanguage ?? '')].map(
    toSupportedLanguage,
  )
  return candidates.find((language) => language !== undefined) ?? 'en'
}

/** The writing direction of a language. */
export function getTextDirection(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr'
}

function toSupportedLanguage(tag: string): Language | undefined {
  const primary = tag.trim().toLowerCase().split(/[-_]/)[0]
  return LANGUAGES.find((language) => language === primary)
}

/** Tags by descending weight; equal weights stay in order. */
function parseAcceptLanguage(header: string): string[] {
  return header
    .slice(0, 500)
    .split(',')
    .map((item) => {
      const [tag = '', ...parameters] = item.split(';')
      const weight = parameters.find((parameter) => /^\s*q=/i.test(parameter))
      return { tag, weight: weight === undefined ? 1 : Number(weight.split('=')[1]) }
    })
    .filter(({ weight }) => weight > 0)
    .sort((left, right) => right.weight - left.weight)
    .map(({ tag }) => tag)
}

/** Formats numbers, dates and durations for one language (Intl). */
export interface Formatters {
  number(value: number): string
  /** A long date in UTC: `21 November 2026`. */
  day(value: Date): string
  /** Time from now, rounded up to seconds, minutes or hours: `in 3 minutes`. */
  relativeTime(seconds: number): string
  /** The plural form for a count; `other` is the default. */
  plural(
    count: number,
    forms: Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>,
  ): string
}

/** Creates the Intl formatters of a language. */
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

/** English uses British dates, with the day first as in the other languages. */
const LOCALES: Partial<Record<Language, string>> = { en: 'en-GB' }
