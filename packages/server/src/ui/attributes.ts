import type { Text } from '../i18n/localized-text.ts'
import { escapeAttribute, escapeText, Html } from './html.ts'

/** Names → values. `true` writes the bare name; false, null and undefined write nothing. */
export type Attributes = Readonly<Record<string, Text | number | boolean | null | undefined>>

/**
 * Writes attributes, each with a space before it, values escaped and otherwise exact: forms send them back. Only in those
 * that people read, marks that change the direction of text are taken out.
 *
 * @throws TypeError when a name is not made of lower-case letters, digits and hyphens: names are ours, never a caller's
 */
export function attributes(all: Attributes): Html {
  const rendered = Object.entries(all).map(([name, value]) => {
    if (!NAME_PATTERN.test(name)) throw new TypeError('an attribute has a name that is not ours')
    if (value === undefined || value === null || value === false) return ''
    if (value === true) return ` ${name}`
    const isVisible = typeof value === 'object' || VISIBLE_ATTRIBUTES.has(name)
    const attributeValue = isVisible
      ? escapeText(typeof value === 'object' ? value : String(value))
      : escapeAttribute(String(value))
    return ` ${name}="${attributeValue.text}"`
  })
  return new Html(rendered.join(''))
}

const VISIBLE_ATTRIBUTES = new Set(['alt', 'aria-label', 'placeholder', 'title'])
const NAME_PATTERN = /^[a-z][a-z0-9-]*$/
