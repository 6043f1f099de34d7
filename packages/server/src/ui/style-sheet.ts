import { readFileSync } from 'node:fs'

/** The parts of the style sheet, in the order in which they count: what is general first. */
const PARTS = [
  'tokens',
  'base',
  'card',
  'head',
  'button',
  'notice',
  'list',
  'form',
  'search',
  'footer',
] as const

/** The one style sheet of our pages: a part for each kind of thing, with all that its media change. */
export function styleSheet(): Buffer {
  return Buffer.concat(
    PARTS.map((part) => readFileSync(new URL(`./styles/${part}.css`, import.meta.url))),
  )
}
