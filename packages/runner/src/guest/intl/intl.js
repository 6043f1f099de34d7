import { Collator } from './collator.js'
import { DateTimeFormat } from './date-time-format.js'
import { canonicalLocales } from './locale.js'
import { NumberFormat } from './number-format.js'
import {
  DisplayNames,
  ListFormat,
  Locale,
  PluralRules,
  RelativeTimeFormat,
  Segmenter,
} from './small-formats.js'

const classes = {
  Collator,
  DateTimeFormat,
  DisplayNames,
  ListFormat,
  Locale,
  NumberFormat,
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
