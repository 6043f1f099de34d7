import { LANGUAGES, type Language } from './language.ts'
import { createTextTag, type Text } from './localized-text.ts'
import type { MessageParams } from './message-params.ts'
import type { Messages } from './messages.ts'

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

/** The sentence for an error code. An unknown code has a general one. */
export function getFailureMessage(
  { failures }: Messages,
  code: string,
  params: Pick<MessageParams, 'tool' | 'workspace'>,
): Text {
  const name = SAME_SENTENCE.get(code) ?? code
  const known = Object.hasOwn(failures, name) ? (name as keyof typeof failures) : 'unknown'
  return failures[known](params)
}

/** Codes that mean the same to a customer. */
const SAME_SENTENCE: ReadonlyMap<string, string> = new Map([
  ['oauth_app_secret_required', 'oauth_app_missing'],
])

/** The name of a workspace for customers: `thisApp` when it has none, since slugs and link names are internal. */
export function getWorkspaceDisplayName(
  { name }: { readonly name: string },
  { thisApp }: Pick<Messages, 'thisApp'>,
): string {
  return name.trim() === '' ? thisApp : name
}

/** The display name of a workspace on its own, as the first words of a sentence are written. */
export function getWorkspaceHeading(displayName: string, { thisApp }: Messages): string {
  return String(createTextTag(thisApp)`${displayName}`)
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
