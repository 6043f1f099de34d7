import type { Text } from '../i18n/localized-text.ts'
import { escapeAttribute, escapeText, Html } from './html.ts'

/** Attribute values by name. `true` renders the bare name; false, null and undefined render nothing. */
export type Attributes = Readonly<Record<string, Text | number | boolean | null | undefined>>

/**
 * Renders attributes, each with a leading space. Values are escaped and otherwise unchanged, because forms submit them.
 * Bidirectional control characters are removed only from attributes that are displayed.
 *
 * @throws TypeError when a name contains anything but lower-case letters, digits and hyphens; names must not be user input
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
