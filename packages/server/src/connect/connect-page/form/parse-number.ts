/**
 * Parses a number in the digits of any of our languages; undefined when the text is not a number. A decimal comma is
 * accepted unless it could also be a thousands separator ("1,500").
 */
export function parseNumber(text: string): number | undefined {
  const normalized = text
    .trim()
    .replace(/[\u0660-\u0669]/g, (digit) => String(digit.charCodeAt(0) - 0x660))
    .replace('\u066b', '.')
    .replace(DECIMAL_COMMA, '$1.$2')
  return NUMBER.test(normalized) ? Number(normalized) : undefined
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
const DECIMAL_COMMA = /^([+-]?(?:0|\d+(?=,(?:\d{1,2}|\d{4,})$))),(\d+)$/
