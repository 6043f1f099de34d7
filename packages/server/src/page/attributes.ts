import { Html, plain } from './html.ts'
import type { Text } from './phrase.ts'

/** Names → values. `true` writes the bare name; false, null and undefined write nothing. */
export type Attributes = Readonly<Record<string, Text | number | boolean | null | undefined>>

/**
 * Writes attributes, each with a space before it, values escaped.
 *
 * @throws TypeError when a name is not made of lower-case letters, digits and hyphens: names are ours, never a caller's
 */
export function attributes(all: Attributes): Html {
  const written = Object.entries(all).map(([name, value]) => {
    if (!NAME.test(name)) throw new TypeError('an attribute has a name that is not ours')
    if (value === undefined || value === null || value === false) return ''
    return value === true
      ? ` ${name}`
      : ` ${name}="${plain(typeof value === 'object' ? value : String(value)).text}"`
  })
  return new Html(written.join(''))
}

const NAME = /^[a-z][a-z0-9-]*$/
