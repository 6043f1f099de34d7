import { ar } from './languages/ar.ts'
import { de } from './languages/de.ts'
import { en } from './languages/en.ts'
import { es } from './languages/es.ts'
import { fr } from './languages/fr.ts'
import { it } from './languages/it.ts'
import { ja } from './languages/ja.ts'
import { pt } from './languages/pt.ts'
import { createTextTag, type MessageParams, type Text } from './localized-text.ts'
import type { CommonLabel, Messages } from './messages.ts'

/** The languages of our pages, by their ISO 639 code: one file each, with all their texts. English is the default. */
const MESSAGES = {
  en,
  de,
  fr,
  es,
  it,
  pt,
  ja,
  ar,
}

export type Language = keyof typeof MESSAGES

export const LANGUAGES = Object.keys(MESSAGES) as readonly Language[]

/** The messages of a language. */
export function getMessages(language: Language): Messages {
  return MESSAGES[language]
}

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
  ['client_required', 'oauth_app_missing'],
  ['mcp_server_invalid', 'wrong_host'],
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

/**
 * Translates a label that many specs use, such as "API key"; upper and lower case are alike. A host in parentheses stays:
 * "Europe (eu.example.com)". Undefined if the label is not a common one.
 */
export function translateCommonLabel(language: Language, label: string): string | undefined {
  const [, name = label, host = ''] = /^(.+?)( \([\w.-]+\))$/.exec(label) ?? []
  const key = name.toLowerCase()
  const { labels } = getMessages(language)
  return Object.hasOwn(labels, key) ? labels[key as CommonLabel] + host : undefined
}
