/** The locale that Intl reports: the first one asked for, in its usual spelling, else en-US. */
export function resolvedLocale(locales) {
  return canonicalLocales(locales)[0] ?? 'en-US'
}

/** Intl.getCanonicalLocales. Throws RangeError for what is no language tag. */
export function canonicalLocales(locales) {
  if (locales === undefined || locales === null) return []
  const list = Array.isArray(locales) ? locales : [locales]
  return list.map((locale) => {
    const tag = `${locale}`
    if (!/^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(tag)) {
      throw new RangeError(`Incorrect locale information provided`)
    }
    return tag
      .split('-')
      .map((part, at) => (at === 0 ? part.toLowerCase() : spelled(part)))
      .join('-')
  })
}

function spelled(part) {
  if (part.length === 2) return part.toUpperCase()
  if (part.length === 4) return part[0].toUpperCase() + part.slice(1).toLowerCase()
  return part.toLowerCase()
}
