import type { Output } from '../io.ts'

/**
 * A text whose characters that control a terminal or the direction of text are written as `\uXXXX`: C0 besides tabs and line
 * ends, DEL, C1 such as U+009B, which begins a sequence as ESC [ does, and bidirectional controls. In JSON, the value
 * stays the same.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, escapeCharacter)
}

const CONTROLS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is escaped
  /[\0-\x08\v-\f\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|\r(?!\n)/g

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** A value as one line of JSON that a terminal can show. */
export function toJsonLine(value: unknown): string {
  return `${escapeControls(JSON.stringify(value))}\n`
}

/**
 * An output that escapes controls, whatever a command writes. A result that goes to a file or a program is unchanged;
 * `isForPeople` escapes there, too. The styles of this program pass.
 */
export function createSafeOutput(
  output: Output,
  { isForPeople }: { isForPeople: boolean },
): Output {
  return {
    get isTTY() {
      return output.isTTY
    },
    get columns() {
      return output.columns
    },
    write(text) {
      if (!isForPeople && output.isTTY !== true) return output.write(text)
      const parts = text.split(STYLE)
      return output.write(parts.map((part, at) => (at % 2 ? part : escapeControls(part))).join(''))
    },
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: bold, and its end
const STYLE = /(\x1b\[[01]m)/
