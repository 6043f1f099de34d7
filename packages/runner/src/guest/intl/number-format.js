import { resolvedLocale } from './locale.js'

const symbols = {
  USD: '$',
  EUR: '€',
  GBP: '£',
  JPY: '¥',
  INR: '₹',
  CNY: 'CN¥',
  KRW: '₩',
  CAD: 'CA$',
}
Object.assign(symbols, {
  AUD: 'A$',
  BRL: 'R$',
  MXN: 'MX$',
  NZD: 'NZ$',
  ILS: '₪',
  VND: '₫',
  TWD: 'NT$',
})
const withoutCents = new Set(['JPY', 'KRW', 'VND', 'CLP', 'ISK'])
const compact = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
]

/** Intl.NumberFormat with the rules of English: decimal, percent, currency and compact. */
export class NumberFormat {
  #options
  #locale
  constructor(locales, options = {}) {
    this.#locale = resolvedLocale(locales)
    this.#options = withDefaults({ ...options })
    this.format = this.format.bind(this)
  }
  static supportedLocalesOf(locales = []) {
    return [].concat(locales)
  }
  format(value) {
    return this.formatToParts(value)
      .map((part) => part.value)
      .join('')
  }
  formatToParts(value) {
    if (typeof value === 'bigint')
      return this.#sign(value < 0n, grouped(`${value < 0n ? -value : value}`))
    const number = Number(value)
    if (Number.isNaN(number)) return [{ type: 'nan', value: 'NaN' }]
    const negative = number < 0 || Object.is(number, -0)
    return this.#sign(negative, this.#digits(Math.abs(number)))
  }
  resolvedOptions() {
    return { locale: this.#locale, numberingSystem: 'latn', ...this.#options }
  }
  #digits(number) {
    if (number === Infinity) return [{ type: 'infinity', value: '∞' }]
    const { style, notation, useGrouping, minimumIntegerDigits } = this.#options
    const scale = notation === 'compact' && compact.find(([size]) => number >= size)
    const scaled = style === 'percent' ? number * 100 : scale ? number / scale[0] : number
    const most = notation === 'compact' && scaled < 100 ? { maximumSignificantDigits: 2 } : {}
    const [whole, fraction] = rounded(scaled, {
      ...this.#options,
      ...most,
    }).split('.')
    const padded = whole.padStart(minimumIntegerDigits, '0')
    const parts = useGrouping === false ? [{ type: 'integer', value: padded }] : grouped(padded)
    if (fraction) parts.push({ type: 'decimal', value: '.' }, { type: 'fraction', value: fraction })
    if (scale) parts.push({ type: 'compact', value: scale[1] })
    return parts
  }
  #sign(negative, parts) {
    const { style, currency, unit } = this.#options
    if (style === 'percent') parts.push({ type: 'percentSign', value: '%' })
    if (style === 'unit') parts.push({ type: 'literal', value: ' ' }, { type: 'unit', value: unit })
    if (style === 'currency') {
      const symbol = symbols[currency] ?? `${currency}\u00a0`
      parts.unshift({ type: 'currency', value: symbol })
    }
    if (negative) parts.unshift({ type: 'minusSign', value: '-' })
    return parts
  }
}

function withDefaults(options) {
  const style = options.style ?? 'decimal'
  if (style === 'currency' && !options.currency) {
    throw new TypeError('Currency code is required with currency style.')
  }
  const currency = options.currency?.toUpperCase()
  const cents = style === 'currency' ? (withoutCents.has(currency) ? 0 : 2) : 0
  const usual =
    style === 'currency' ? cents : style === 'percent' || options.notation === 'compact' ? 0 : 3
  const minimumFractionDigits =
    options.minimumFractionDigits ?? Math.min(cents, options.maximumFractionDigits ?? cents)
  const maximumFractionDigits =
    options.maximumFractionDigits ?? Math.max(usual, minimumFractionDigits)
  if (minimumFractionDigits > maximumFractionDigits) {
    throw new RangeError('maximumFractionDigits value is out of range.')
  }
  const { minimumIntegerDigits = 1, useGrouping = 'auto', notation = 'standard' } = options
  const counts = {
    minimumIntegerDigits,
    minimumFractionDigits,
    maximumFractionDigits,
  }
  return {
    ...options,
    style,
    ...(currency && { currency }),
    ...counts,
    useGrouping,
    notation,
  }
}

function rounded(number, options) {
  const { minimumFractionDigits, maximumFractionDigits, maximumSignificantDigits } = options
  if (maximumSignificantDigits) return plain(Number(number.toPrecision(maximumSignificantDigits)))
  const text = number >= 1e21 ? plain(number) : number.toFixed(Math.min(100, maximumFractionDigits))
  if (!text.includes('.')) return text
  const [whole, fraction] = text.split('.')
  const kept = fraction.replace(/0+$/, '').padEnd(minimumFractionDigits, '0')
  return kept ? `${whole}.${kept}` : whole
}

function plain(number) {
  return number >= 1e21 ? `${BigInt(number)}` : `${number}`
}

function grouped(digits) {
  const groups = digits.replace(/\B(?=(\d{3})+$)/g, ',').split(',')
  return groups.flatMap((value, at) => {
    const part = { type: 'integer', value }
    return at ? [{ type: 'group', value: ',' }, part] : [part]
  })
}
