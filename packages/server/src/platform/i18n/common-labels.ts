import { getMessages, type Language } from './language.ts'
import type { CommonLabel } from './messages.ts'

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
