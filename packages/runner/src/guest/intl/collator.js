import { resolvedLocale } from './locale.js'

const marks = /\p{M}/gu
const numbers = /\d+/g

/** Intl.Collator: letters first, then accents, then case with small letters first, as the root collation has it. */
export class Collator {
  #options
  #locale
  constructor(locales, options = {}) {
    this.#locale = resolvedLocale(locales)
    this.#options = {
      usage: 'sort',
      sensitivity: 'variant',
      numeric: false,
      ...options,
    }
    this.compare = (first, second) => compare(`${first}`, `${second}`, this.#options)
  }
  static supportedLocalesOf(locales = []) {
    return [].concat(locales)
  }
  resolvedOptions() {
    return { locale: this.#locale, ...this.#options }
  }
}

function compare(first, second, { sensitivity, numeric }) {
  const [a, b] = [first, second].map((text) =>
    (numeric ? text.replace(numbers, wide) : text).normalize('NFD'),
  )
  const letters = order(key(a), key(b))
  if (letters || sensitivity === 'base') return letters
  const accents = order(a.toLowerCase(), b.toLowerCase())
  if (sensitivity !== 'case' && (accents || sensitivity === 'accent')) return accents
  // Small letters come first.
  return order(b.replace(marks, ''), a.replace(marks, ''))
}

// Spaces and punctuation come before digits, and digits before letters.
function key(text) {
  return text
    .replace(marks, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, (sign) => `\u0001${sign}`)
}

function wide(digits) {
  return digits.replace(/^0+(?=\d)/, '').padStart(20, '0')
}

function order(a, b) {
  return a < b ? -1 : a > b ? 1 : 0
}
