import { readFileSync } from 'node:fs'

/** The parts of the style sheet in cascade order. */
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

/** The style sheet of our pages. */
export function styleSheet(): Buffer {
  return Buffer.concat(
    PARTS.map((part) => readFileSync(new URL(`./styles/${part}.css`, import.meta.url))),
  )
}
