import { resolvedLocale } from './locale.js'

const months =
  `January February March April May June July August September October November December`.split(' ')
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')
const styles = {
  full: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  long: { year: 'numeric', month: 'long', day: 'numeric' },
  medium: { year: 'numeric', month: 'short', day: 'numeric' },
  short: { year: '2-digit', month: 'numeric', day: 'numeric' },
}
const clock = { hour: 'numeric', minute: '2-digit', second: '2-digit' }
const iso = /^(en-CA|sv(-SE)?|fr-CA)$/
const twoDigits = /^(en-GB|fr|pt)/
const dateNames = ['weekday', 'year', 'month', 'day']
const timeNames = ['hour', 'minute', 'second', 'fractionalSecondDigits', 'dayPeriod']

/** Intl.DateTimeFormat in English, for UTC and fixed offsets: the sandbox holds no time zone tables. */
export class DateTimeFormat {
  #options
  #locale
  #zone
  constructor(locales, options = {}) {
    this.#locale = resolvedLocale(locales)
    this.#zone = readZone(options.timeZone)
    this.#options = withDefaults(options, this.#locale)
    this.format = this.format.bind(this)
  }
  static supportedLocalesOf(locales = []) {
    return [].concat(locales)
  }
  format(date) {
    return this.formatToParts(date)
      .map((part) => part.value)
      .join('')
  }
  formatToParts(date = Date.now()) {
    const time = Number(date)
    if (Number.isNaN(time)) throw new RangeError('Invalid time value')
    const at = new Date(time + this.#zone.minutes * 60000)
    const dateParts = this.#dateParts(at)
    const timeParts = this.#timeParts(at)
    const { dateStyle, month } = this.#options
    const isLong = dateStyle ? /^(full|long)$/.test(dateStyle) : month === 'long'
    const glue = isLong ? ' at ' : ', '
    return [
      ...dateParts,
      ...(dateParts.length && timeParts.length ? [literal(glue)] : []),
      ...timeParts,
    ]
  }
  formatRange(start, end) {
    return `${this.format(start)} – ${this.format(end)}`
  }
  resolvedOptions() {
    const { hour12, ...rest } = this.#options
    const base = {
      locale: this.#locale,
      calendar: 'gregory',
      numberingSystem: 'latn',
    }
    const hours = rest.hour ? { hourCycle: hour12 ? 'h12' : 'h23', hour12 } : {}
    return { ...base, timeZone: this.#zone.name, ...hours, ...rest }
  }

  #dateParts(at) {
    const { weekday, year, month, day } = this.#options
    const numeric = month === undefined || /^(numeric|2-digit)$/.test(month)
    const isWide = numeric && (iso.test(this.#locale) || twoDigits.test(this.#locale))
    const found = {
      weekday: weekday && {
        type: 'weekday',
        value: cut(days[at.getUTCDay()], weekday),
      },
      year: year && {
        type: 'year',
        value: shortened(at.getUTCFullYear(), year),
      },
      month: month && {
        type: 'month',
        value: monthText(at, isWide ? '2-digit' : month),
      },
      day: day && {
        type: 'day',
        value: padded(at.getUTCDate(), isWide ? '2-digit' : day),
      },
    }
    const order = orderOf(this.#locale, numeric)
    const parts = order.names.map((name) => found[name]).filter(Boolean)
    const joined = parts.flatMap((part, index) =>
      index ? [literal(order.glue(part, parts)), part] : [part],
    )
    if (!found.weekday) return joined
    return joined.length ? [found.weekday, literal(', '), ...joined] : [found.weekday]
  }
  #timeParts(at) {
    const { hour, minute, second, fractionalSecondDigits, hour12, timeZoneName } = this.#options
    const parts = []
    const add = (type, value, glue) =>
      parts.push(...(parts.length ? [literal(glue)] : []), { type, value })
    if (hour) {
      const hours = at.getUTCHours()
      const width = hour12 ? hour : '2-digit'
      add('hour', padded(hour12 ? hours % 12 || 12 : hours, width))
    }
    if (minute) add('minute', padded(at.getUTCMinutes(), hour || second ? '2-digit' : minute), ':')
    if (second) add('second', padded(at.getUTCSeconds(), minute ? '2-digit' : second), ':')
    if (fractionalSecondDigits) {
      const text = `${at.getUTCMilliseconds()}`.padStart(3, '0').slice(0, fractionalSecondDigits)
      add('fractionalSecond', text, '.')
    }
    if (hour && hour12) add('dayPeriod', at.getUTCHours() < 12 ? 'AM' : 'PM', ' ')
    if (timeZoneName) {
      const long = timeZoneName === 'long' && this.#zone.minutes === 0
      add('timeZoneName', long ? 'Coordinated Universal Time' : this.#zone.label, ' ')
    }
    return parts
  }
}

function withDefaults(options, locale) {
  const given = { ...options }
  delete given.timeZone
  if (given.dateStyle || given.timeStyle) {
    Object.assign(given, styles[given.dateStyle])
    if (given.timeStyle) Object.assign(given, clock)
    if (given.timeStyle === 'short') delete given.second
    if (/^(full|long)$/.test(given.timeStyle))
      given.timeZoneName ??= given.timeStyle === 'full' ? 'long' : 'short'
  } else if (![...dateNames, ...timeNames].some((name) => given[name])) {
    Object.assign(given, { year: 'numeric', month: 'numeric', day: 'numeric' })
  }
  const cycle = given.hourCycle ? /^h1[12]$/.test(given.hourCycle) : undefined
  const hour12 = given.hour12 ?? cycle ?? /^en(-(US|CA|AU|IN|NZ))?$/.test(locale)
  return { ...given, hour12 }
}

// Short names with a fixed offset and UTC; everything else would need tables.
function readZone(zone) {
  if (zone === undefined || /^(utc|gmt|etc\/(utc|gmt|uct|zulu)|z|zulu|uct)$/i.test(zone)) {
    return {
      name: /gmt$/i.test(zone ?? '') ? 'GMT' : 'UTC',
      minutes: 0,
      label: 'UTC',
    }
  }
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  if (!sign) throw new RangeError(`Invalid time zone specified: ${zone}`)
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const rest = Number(minutes) ? `:${minutes}` : ''
  return {
    name: zone,
    minutes: offset,
    label: `GMT${sign}${Number(hours)}${rest}`,
  }
}

function orderOf(locale, numeric) {
  if (numeric && iso.test(locale)) return { names: ['year', 'month', 'day'], glue: () => '-' }
  const dayFirst = !/^en(-US|-CA)?$/.test(locale)
  const names = dayFirst ? ['day', 'month', 'year'] : ['month', 'day', 'year']
  if (numeric) return { names, glue: () => (/^de/.test(locale) ? '.' : '/') }
  const glue = (part, parts) => (!dayFirst && part.type === 'year' && parts.length > 2 ? ', ' : ' ')
  return { names, glue }
}

function monthText(at, month) {
  const number = at.getUTCMonth()
  if (month === 'numeric' || month === '2-digit') return padded(number + 1, month)
  return cut(months[number], month)
}

function cut(text, width) {
  return width === 'long' ? text : text.slice(0, width === 'narrow' ? 1 : 3)
}

function padded(number, width) {
  return width === '2-digit' ? `${number}`.padStart(2, '0') : `${number}`
}

function shortened(year, width) {
  return width === '2-digit' ? padded(year % 100, width) : `${year}`
}

function literal(value) {
  return { type: 'literal', value }
}
