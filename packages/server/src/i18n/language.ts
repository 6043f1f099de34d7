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
