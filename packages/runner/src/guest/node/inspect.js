import { arrange } from './inspect-layout.js'
import {
  baseName,
  constructorName,
  errorBase,
  functionBase,
  primitive,
  quote,
} from './inspect-text.js'

export const custom = Symbol.for('nodejs.util.inspect.custom')

export const defaultOptions = {
  showHidden: false,
  depth: 2,
  colors: false,
  maxArrayLength: 100,
  maxStringLength: 10000,
  breakLength: 80,
  compact: 3,
  sorted: false,
  getters: false,
}

/** `util.inspect` without colours: Node's text for the values that bundles print. */
export function inspect(value, options = {}, depth) {
  const given = typeof options === 'boolean' ? { showHidden: options, depth } : options
  const state = { seen: [], circular: new Map(), indentation: 0, currentDepth: 0 }
  const context = { ...defaultOptions, ...given, ...state }
  return print(context, value, 0)
}

inspect.custom = custom
inspect.defaultOptions = defaultOptions
inspect.colors = {}
inspect.styles = {}

function print(context, value, level) {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) {
    return primitive(context, value)
  }
  if (value[custom] && typeof value[custom] === 'function' && value[custom] !== inspect) {
    const left = context.depth === null ? null : context.depth - level
    const printed = value[custom](left, { ...context }, inspect)
    return typeof printed === 'string'
      ? printed.replaceAll('\n', `\n${' '.repeat(context.indentation)}`)
      : print(context, printed, level)
  }
  if (context.seen.includes(value)) return circular(context, value)
  const shape = shapeOf(context, value)
  if (context.depth !== null && level > context.depth && shape.nested) {
    return Array.isArray(value) ? '[Array]' : `[${shape.name || 'Object: null prototype'}]`
  }
  context.seen.push(value)
  context.currentDepth = level
  const entries = [...shape.entries(level), ...properties(context, value, shape, level)]
  context.seen.pop()
  const reference = context.circular.get(value)
  if (reference) shape.base = `<ref *${reference}>${shape.base ? ` ${shape.base}` : ''}`
  return arrange(context, shape, entries, level, shape.list ? value : undefined)
}

function circular(context, value) {
  const { circular: known } = context
  if (!known.has(value)) known.set(value, known.size + 1)
  return `[Circular *${known.get(value)}]`
}

function shapeOf(context, value) {
  const name = constructorName(value)
  const label = name || `[${baseName(value)}: null prototype]`
  const common = {
    name,
    base: '',
    open: '{',
    close: '}',
    prefix: '',
    entries: () => [],
    nested: true,
    list: false,
  }
  const tag = value[Symbol.toStringTag]
  const tagged = typeof tag === 'string' && tag !== '' && tag !== name ? `${label} [${tag}]` : label
  if (Array.isArray(value)) {
    const prefix = name === 'Array' ? '' : `${label}(${value.length})`
    return {
      ...common,
      list: true,
      open: '[',
      close: ']',
      prefix,
      entries: (level) => items(context, value, level),
    }
  }
  if (value instanceof Map) {
    const entries = (level) =>
      [...value].map(
        ([key, item]) => `${child(context, key, level)} => ${child(context, item, level)}`,
      )
    return { ...common, prefix: `${label}(${value.size})`, entries }
  }
  if (value instanceof Set) {
    const entries = (level) => [...value].map((item) => child(context, item, level))
    return { ...common, prefix: `${label}(${value.size})`, entries }
  }
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return {
      ...common,
      list: true,
      open: '[',
      close: ']',
      prefix: `${label}(${value.length})`,
      entries: (level) => items(context, value, level),
    }
  }
  if (typeof value === 'function')
    return { ...common, base: functionBase(value, name), nested: false }
  if (value instanceof Error) return { ...common, base: errorBase(value, context), nested: false }
  if (value instanceof RegExp) return { ...common, base: String(value), nested: false }
  if (value instanceof Date) {
    const base = Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
    return { ...common, base, nested: false }
  }
  if (value instanceof Promise)
    return { ...common, prefix: 'Promise', entries: () => ['<pending>'] }
  if (value instanceof WeakMap || value instanceof WeakSet)
    return { ...common, prefix: label, entries: () => ['<items unknown>'] }
  for (const type of [String, Number, Boolean, Symbol, BigInt]) {
    if (value instanceof type) {
      const inner = primitive(context, value.valueOf())
      return { ...common, base: `[${type.name}: ${inner}]`, nested: false }
    }
  }
  const prefix = name === 'Object' && tagged === label ? '' : tagged
  return { ...common, prefix }
}

function items(context, list, level) {
  const shown = Math.min(list.length, context.maxArrayLength ?? Infinity)
  const printed = []
  for (let at = 0; at < shown; at++) {
    if (at in list) printed.push(child(context, list[at], level))
    else {
      let holes = 0
      while (at + holes < shown && !(at + holes in list)) holes++
      printed.push(`<${holes} empty item${holes > 1 ? 's' : ''}>`)
      at += holes - 1
    }
  }
  const rest = list.length - shown
  if (rest > 0) printed.push(`... ${rest} more item${rest > 1 ? 's' : ''}`)
  return printed
}

function properties(context, value, shape, level) {
  const names = context.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value)
  const symbols = Object.getOwnPropertySymbols(value).filter((key) =>
    Object.prototype.propertyIsEnumerable.call(value, key),
  )
  const skipped = (key) => shape.list && typeof key === 'string' && /^(0|[1-9]\d*)$/.test(key)
  const hidden = (key) => value instanceof Error && ['stack', 'message'].includes(key)
  const keys = [...names, ...symbols].filter((key) => !skipped(key) && !hidden(key))
  if (value instanceof Error && 'cause' in value && !keys.includes('cause')) keys.push('cause')
  if (context.sorted) keys.sort()
  return keys.map((key) => property(context, value, key, level))
}

function property(context, value, key, level) {
  const descriptor = Object.getOwnPropertyDescriptor(value, key) ?? {
    value: value[key],
    enumerable: true,
  }
  let printed
  if (descriptor.get) printed = descriptor.set ? '[Getter/Setter]' : '[Getter]'
  else if (descriptor.set) printed = '[Setter]'
  else printed = child(context, descriptor.value, level)
  const plain =
    typeof key === 'symbol' ? `[${String(key)}]` : /^[a-zA-Z_$][\w$]*$/.test(key) ? key : quote(key)
  return `${descriptor.enumerable ? plain : `[${plain}]`}: ${printed}`
}

function child(context, value, level) {
  context.indentation += 2
  const printed = print(context, value, level + 1)
  context.indentation -= 2
  return printed
}
