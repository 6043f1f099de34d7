import { inspect } from './inspect.js'

/** `util.format`: printf-like, and never throws for values that cannot be printed. */
export function format(...given) {
  return formatWithOptions({}, ...given)
}

export function formatWithOptions(options, first, ...rest) {
  if (typeof first !== 'string')
    return [first, ...rest].map((value) => print(value, options)).join(' ')
  if (rest.length === 0) return first
  let used = 0
  const text = first.replace(/%[sdifjoOc%]/g, (directive) => {
    if (directive === '%%') return '%'
    if (used >= rest.length) return directive
    return fill(directive, rest[used++], options)
  })
  return [text, ...rest.slice(used).map((value) => print(value, options))].join(' ')
}

function print(value, options) {
  return typeof value === 'string' ? value : inspect(value, options)
}

function fill(directive, value, options) {
  const isNumber = typeof value === 'bigint' ? `${value}n` : undefined
  if (directive === '%s') return asText(value, options)
  if (directive === '%d') return isNumber ?? `${typeof value === 'object' ? NaN : Number(value)}`
  if (directive === '%i')
    return isNumber ?? `${typeof value === 'object' ? NaN : parseInt(value, 10)}`
  if (directive === '%f') return `${typeof value === 'symbol' ? NaN : parseFloat(value)}`
  if (directive === '%j') return asJson(value)
  if (directive === '%o') return inspect(value, { ...options, showHidden: true, depth: 4 })
  return directive === '%O' ? inspect(value, options) : ''
}

function asText(value, options) {
  if (typeof value === 'bigint') return `${value}n`
  if (Object.is(value, -0)) return '-0'
  if (typeof value !== 'object' || value === null) return String(value)
  const own = value instanceof Error || (typeof value.toString === 'function' && hasOwnText(value))
  return own ? String(value) : inspect(value, { ...options, depth: 0, compact: 3 })
}

function hasOwnText(value) {
  return value.toString !== Object.prototype.toString && value.toString !== Array.prototype.toString
}

function asJson(value) {
  try {
    return JSON.stringify(value)
  } catch {
    return '[Circular]'
  }
}
