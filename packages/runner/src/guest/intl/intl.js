import { DateTimeFormat } from './date-time-format.js'
import { canonicalLocales, resolvedLocale } from './locale.js'
import { NumberFormat } from './number-format.js'

/** Intl.Collator: letters first, then accents, then case with small letters first, as the root collation has it. */
class Collator {
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

/** Intl.DisplayNames that knows codes only, and answers them. */
class DisplayNames {
  of(code) {
    return `${code}`
  }
}

/** Intl.ListFormat of English. */
class ListFormat {
  #word
  constructor(_locales, options) {
    this.#word = options?.type === 'disjunction' ? 'or' : 'and'
  }
  format(items) {
    const list = [...items]
    if (list.length < 3) return list.join(` ${this.#word} `)
    return `${list.slice(0, -1).join(', ')}, ${this.#word} ${list.at(-1)}`
  }
}

/** Intl.Locale: the parts of a language tag. */
class Locale {
  constructor(tag) {
    this.baseName = resolvedLocale(tag)
    const [language, ...rest] = this.baseName.split('-')
    this.language = language
    this.region = rest.find((part) => part.length === 2)
  }
  toString() {
    return this.baseName
  }
}

const classes = {
  Collator,
  DateTimeFormat,
  DisplayNames,
  ListFormat,
  Locale,
  NumberFormat,
}

/** Intl.PluralRules of English. */
class PluralRules {
  #ordinal
  constructor(_locales, options) {
    this.#ordinal = options?.type === 'ordinal'
  }
  select(count) {
    if (!this.#ordinal) return count === 1 ? 'one' : 'other'
    const teen = count % 100 > 10 && count % 100 < 14
    return teen ? 'other' : (['other', 'one', 'two', 'few'][count % 10] ?? 'other')
  }
  resolvedOptions() {
    return { locale: 'en-US', type: this.#ordinal ? 'ordinal' : 'cardinal' }
  }
}

/** Intl.RelativeTimeFormat of English. */
class RelativeTimeFormat {
  #auto
  constructor(_locales, options) {
    this.#auto = options?.numeric === 'auto'
  }
  format(value, unit) {
    const name = `${unit}`.replace(/s$/, '')
    const near = { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' }[value]
    if (this.#auto && name === 'day' && near) return near
    const count = Math.abs(value)
    const text = `${number.format(count)} ${name}${count === 1 ? '' : 's'}`
    return value < 0 || Object.is(value, -0) ? `${text} ago` : `in ${text}`
  }
  resolvedOptions() {
    return {
      locale: 'en-US',
      numeric: this.#auto ? 'auto' : 'always',
      style: 'long',
    }
  }
}

/** Intl.Segmenter by code points, and by runs of letters for words. */
class Segmenter {
  #words
  constructor(_locales, options) {
    this.#words = options?.granularity === 'word'
  }
  segment(input) {
    const pattern = this.#words ? /[\p{L}\p{N}_'’]+|./gsu : /.\p{M}*/gsu
    return [...input.matchAll(pattern)].map(({ 0: segment, index }) => ({
      segment,
      index,
      input,
    }))
  }
}

const more = { PluralRules, RelativeTimeFormat, Segmenter }

/**
 * Intl, in English and without time zone tables: enough for what libraries do while they load, and for common texts.
 * The polyfills of FormatJS format more languages, but in this engine the first date takes a second, and each further one
 * 14 ms; their English alone is 0.9 MB of code.
 */
export const intl = {
  getCanonicalLocales: canonicalLocales,
  supportedValuesOf: () => [],
}
for (const [name, type] of Object.entries({ ...classes, ...more })) intl[name] = callable(type)
Object.defineProperty(intl, Symbol.toStringTag, {
  value: 'Intl',
  configurable: true,
})

const date = { year: 'numeric', month: 'numeric', day: 'numeric' }
const time = { hour: 'numeric', minute: '2-digit', second: '2-digit' }
const dateNames = ['weekday', 'year', 'month', 'day', 'dateStyle']
const timeNames = ['hour', 'minute', 'second', 'fractionalSecondDigits', 'timeStyle']

/** Gives numbers, dates and texts the methods that depend on Intl. */
export function speakIntl() {
  define(Number.prototype, 'toLocaleString', function print(locales, options) {
    return new NumberFormat(locales, options).format(Number(this))
  })
  define(BigInt.prototype, 'toLocaleString', function print(locales, options) {
    return new NumberFormat(locales, options).format(BigInt(this))
  })
  define(String.prototype, 'localeCompare', function compare(other, locales, options) {
    return new Collator(locales, options).compare(this, other)
  })
  for (const name of ['toString', 'toTimeString']) {
    const native = Date.prototype[name]
    define(Date.prototype, name, function print() {
      return native.call(this).replace(/GMT\+0000$/, '$& (Coordinated Universal Time)')
    })
  }
  const dates = {
    toLocaleString: [[...dateNames, ...timeNames], { ...date, ...time }],
    toLocaleDateString: [dateNames, date],
    toLocaleTimeString: [timeNames, time],
  }
  for (const [name, [names, defaults]] of Object.entries(dates)) {
    define(Date.prototype, name, function format(locales, options = {}) {
      if (Number.isNaN(this.getTime())) return 'Invalid Date'
      const own = names.some((each) => options?.[each] !== undefined)
      return new DateTimeFormat(locales, own ? options : { ...defaults, ...options }).format(this)
    })
  }
}

// `Intl.DateTimeFormat()` works without `new`.
function callable(type) {
  return new Proxy(type, {
    apply: (target, _self, given) => new target(...given),
  })
}

function define(target, name, value) {
  Object.defineProperty(target, name, {
    value,
    writable: true,
    configurable: true,
  })
}

const marks = /\p{M}/gu
const numbers = /\d+/g

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

const number = new NumberFormat('en-US')
