import { encodingsOf } from './secret-encodings.ts'

/**
 * Removes the values of a config from a text, so that an error message cannot carry a credential.
 *
 * Removed are strings of 4 characters or more and numbers of 6 digits or more, at any depth, also as they look in
 * JSON, URLs, forms, hexadecimal and base64; shorter strings only where they stand as words of their own; and a value
 * that the end of the text cuts off. Each place becomes `[removed]`.
 */
export function scrub(text: string, config: unknown): string {
  const { long, short } = collectValues(config)
  const places: Place[] = []
  const pieces = gramsOf(text)
  const sought = new Set<string>()
  for (const value of long) {
    addCutOff(text, value, places)
    for (const encoded of encodingsOf(value)) sought.add(encoded)
  }
  for (const needle of sought) {
    if (needle.length <= text.length && pieces.has(needle.slice(0, GRAM))) {
      addPlaces(text, needle, places, () => true)
    }
  }
  for (const word of short) addPlaces(text, word, places, standsAlone)
  return places.length === 0 ? text : replaceAll(text, places)
}

interface Place {
  start: number
  end: number
}

const GRAM = 4
const CUT_OFF = 6

function collectValues(config: unknown): { long: Set<string>; short: Set<string> } {
  const long = new Set<string>()
  const short = new Set<string>()
  const open = [config]
  const seen = new Set<object>()
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value)
      for (const inner of Object.values(value)) open.push(inner)
    } else if (typeof value === 'string') addText(value, long, short)
    else if (typeof value === 'number' || typeof value === 'bigint') {
      if (String(value).replace(/\D/g, '').length >= 6) long.add(String(value))
    }
  }
  return { long, short }
}

// Keys and certificates are often quoted line by line.
function addText(value: string, long: Set<string>, short: Set<string>): void {
  for (const part of [value, value.trim(), ...value.split(/\r?\n/)]) {
    if (part.length >= GRAM) long.add(part)
    else if (part === value && part.trim() !== '') short.add(part)
  }
}

/** The beginnings that a needle could have in this text. */
function gramsOf(text: string): Set<string> {
  const grams = new Set<string>()
  for (let at = 0; at + GRAM <= text.length; at++) grams.add(text.slice(at, at + GRAM))
  return grams
}

function addPlaces(
  text: string,
  needle: string,
  places: Place[],
  counts: (text: string, place: Place) => boolean,
): void {
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) {
    const place = { start: at, end: at + needle.length }
    if (counts(text, place)) places.push(place)
  }
}

function addCutOff(text: string, value: string, places: Place[]): void {
  const first = value.slice(0, CUT_OFF)
  if (value.length <= CUT_OFF) return
  const earliest = Math.max(0, text.length - value.length)
  for (let at = text.indexOf(first, earliest); at >= 0; at = text.indexOf(first, at + 1)) {
    if (value.startsWith(text.slice(at))) places.push({ start: at, end: text.length })
  }
}

function standsAlone(text: string, { start, end }: Place): boolean {
  return !isWordCharacter(text[start - 1]) && !isWordCharacter(text[end])
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character)
}

function replaceAll(text: string, places: Place[]): string {
  places.sort((a, b) => a.start - b.start)
  let result = ''
  let at = 0
  for (const { start, end } of places) {
    if (start > at || (start === at && result === '')) result += `${text.slice(at, start)}[removed]`
    at = Math.max(at, end)
  }
  return result + text.slice(at)
}
