import { exact, Html, plain } from './html.ts'
import type { Text } from './phrase.ts'

/** Names → values. `true` writes the bare name; false, null and undefined write nothing. */
export type Attributes = Readonly<Record<string, Text | number | boolean | null | undefined>>

/**
 * Writes attributes, each with a space before it, values escaped and otherwise exact: forms send them back. Only in those
 * that people read, marks that change the direction of text are taken out.
 *
 * @throws TypeError when a name is not made of lower-case letters, digits and hyphens: names are ours, never a caller's
 */
export function attributes(all: Attributes): Html {
  const written = Object.entries(all).map(([name, value]) => {
    if (!NAME.test(name)) throw new TypeError('an attribute has a name that is not ours')
    if (value === undefined || value === null || value === false) return ''
    if (value === true) return ` ${name}`
    const isShown = typeof value === 'object' || SHOWN.has(name)
    const written = isShown
      ? plain(typeof value === 'object' ? value : String(value))
      : exact(String(value))
    return ` ${name}="${written.text}"`
  })
  return new Html(written.join(''))
}

const SHOWN = new Set(['alt', 'aria-label', 'placeholder', 'title'])
const NAME = /^[a-z][a-z0-9-]*$/
