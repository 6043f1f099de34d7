import { type SecretValues, secretValues } from './secret-values.ts'
import { type Place, TextIndex } from './text-index.ts'

/** Removes secrets from one text. @returns undefined when there are too many values to search for */
export type Scrubber = (text: string) => string | undefined

/**
 * Removes the values of a config from texts, so that an error message cannot carry a credential.
 *
 * Of a text, the first 2,000 characters are read and the rest is dropped. Removed are strings of 4 characters or more and
 * numbers of 6 digits or more, at any depth, also as they look in JSON, URLs, forms, hexadecimal and base64; shorter
 * strings only where they stand as words of their own; and a value, encoded or not, that the end of the text cuts off.
 * Each place becomes `[removed]`.
 *
 * The time is linear in the text and the config. A config of more than 1,000 values or 128 KiB is not searched
 * for: the text is then withheld.
 */
export function createScrubber(config: unknown): Scrubber {
  let values: SecretValues | 'too many' | undefined
  return (text) => {
    if (text === '') return text
    values ??= secretValues(config, LONGEST_TEXT) ?? 'too many'
    return values === 'too many' ? undefined : remove(text, values)
  }
}

/** Removes the values of a config from one text, as `createScrubber` does. */
export function scrub(text: string, config: unknown): string | undefined {
  return createScrubber(config)(text)
}

const LONGEST_TEXT = 2_000
/** How much of a value the end of a text may show. */
const CUT_OFF = 6
const LONGEST_WORD = 3

function remove(whole: string, { long, short }: SecretValues): string {
  const text = whole.slice(0, LONGEST_TEXT)
  const index = new TextIndex(text)
  // Where we cut, not even the first character of a value may stay.
  const shortestCut = text.length < LONGEST_TEXT ? CUT_OFF : 1
  for (const { beginning, encode } of long) {
    if (index.includes(beginning, shortestCut)) index.mark(encode(), shortestCut)
  }
  const places = index.places()
  if (short.size > 0) addWords(text, short, places)
  return places.length === 0 ? text : replaceAll(text, places)
}

function addWords(text: string, words: ReadonlySet<string>, places: Place[]): void {
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= Math.min(start + LONGEST_WORD, text.length); end++) {
      if (words.has(text.slice(start, end)) && standsAlone(text, { start, end })) {
        places.push({ start, end })
      }
    }
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
