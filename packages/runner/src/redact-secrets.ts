import { collectSecretValues, type SecretValues } from './secret-values.ts'
import { TextIndex, type TextRange } from './text-index.ts'

/** Removes secrets from one text. @returns undefined when there are too many values to search for */
export type Scrubber = (text: string) => string | undefined

/**
 * Removes the values of a config from texts, so that an error message cannot contain a credential.
 *
 * The first 2,000 characters of a text are read and the rest is dropped. Removed are strings of 4 characters or more
 * and numbers of 6 digits or more, at any depth, also as encoded in JSON, URLs, forms, hexadecimal and base64; shorter
 * strings only as separate words; and a value, encoded or not, that is truncated at the end of the text. Each
 * occurrence becomes `[removed]`.
 *
 * The time is linear in the text and the config. If a config has more than 1,000 values or 128 KiB, the text is
 * withheld instead.
 */
export function createScrubber(config: unknown): Scrubber {
  let values: SecretValues | 'too-many-values' | undefined
  return (text) => {
    if (text === '') return text
    values ??= collectSecretValues(config, MAX_TEXT_LENGTH) ?? 'too-many-values'
    return values === 'too-many-values' ? undefined : removeSecrets(text, values)
  }
}

/** Removes the values of a config from one text, as `createScrubber` does. */
export function redactSecrets(text: string, config: unknown): string | undefined {
  return createScrubber(config)(text)
}

const MAX_TEXT_LENGTH = 2_000
/** A shorter start of a value, at the end of a truncated text, is not removed. */
const MIN_TRUNCATED_LENGTH = 6
const MAX_WORD_LENGTH = 3

function removeSecrets(fullText: string, { long, short }: SecretValues): string {
  const text = fullText.slice(0, MAX_TEXT_LENGTH)
  const index = new TextIndex(text)
  // At our own truncation, not even the first character of a value may remain.
  const shortestCut = text.length < MAX_TEXT_LENGTH ? MIN_TRUNCATED_LENGTH : 1
  for (const { prefix, encode } of long) {
    if (index.includes(prefix, shortestCut)) index.mark(encode(), shortestCut)
  }
  const ranges = index.ranges()
  if (short.size > 0) addWords(text, short, ranges)
  return ranges.length === 0 ? text : replaceAll(text, ranges)
}

function addWords(text: string, words: ReadonlySet<string>, ranges: TextRange[]): void {
  for (let start = 0; start < text.length; start++) {
    for (let end = start + 1; end <= Math.min(start + MAX_WORD_LENGTH, text.length); end++) {
      if (words.has(text.slice(start, end)) && isStandaloneWord(text, { start, end })) {
        ranges.push({ start, end })
      }
    }
  }
}

function isStandaloneWord(text: string, { start, end }: TextRange): boolean {
  return !isWordCharacter(text[start - 1]) && !isWordCharacter(text[end])
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character)
}

function replaceAll(text: string, ranges: TextRange[]): string {
  ranges.sort((a, b) => a.start - b.start)
  let result = ''
  let copiedTo = 0
  for (const { start, end } of ranges) {
    if (start > copiedTo || (start === copiedTo && result === ''))
      result += `${text.slice(copiedTo, start)}[removed]`
    copiedTo = Math.max(copiedTo, end)
  }
  return result + text.slice(copiedTo)
}
