/** The languages that our pages speak. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'ja', 'ar'] as const

export type Language = (typeof LANGUAGES)[number]

/**
 * The language of a page: the one asked for by `lang` in the address (`de`, `de-AT`), else the first that the browser
 * asks for in `Accept-Language` (RFC 9110 section 12.5.4) and that we speak, else English.
 */
export function chooseLanguage(requested: unknown, acceptLanguage: string | undefined): Language {
  const explicit = typeof requested === 'string' ? [requested] : []
  const candidates = [...explicit, ...parseAcceptLanguage(acceptLanguage ?? '')].map(
    toSupportedLanguage,
  )
  return candidates.find((language) => language !== undefined) ?? 'en'
}

/** The direction that a language is written in. */
export function getTextDirection(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr'
}

function toSupportedLanguage(tag: string): Language | undefined {
  const primary = tag.trim().toLowerCase().split(/[-_]/)[0]
  return LANGUAGES.find((language) => language === primary)
}

/** Tags in the order of their weight; those of the same weight keep their order. */
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
