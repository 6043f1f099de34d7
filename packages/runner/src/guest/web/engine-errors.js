import { describePosition } from './json-errors.js'

const nativeParse = JSON.parse
const longestTold = 300
const longestMessage = 10000
const LONGEST = 1_000
// What this engine says, and what Node's says: integrations show, match and log these texts.
const words = [
  [/^cannot read property '(.*)' of (undefined|null)$/s, readProperty],
  [
    /^cannot set property '(.*)' of (undefined|null)$/s,
    (_, key, of) => `Cannot set properties of ${of} (setting '${key}')`,
  ],
  [/^(.+) is not initialized$/s, (_, name) => `Cannot access '${name}' before initialization`],
  [
    /^'(.+)' is read-only$/s,
    (_, name) => `Cannot assign to read only property '${name}' of object`,
  ],
  [/^circular reference$/, () => 'Converting circular structure to JSON'],
  [/^BigInt are forbidden in JSON\.stringify$/, () => 'Do not know how to serialize a BigInt'],
  [/^cannot convert symbol to string$/, () => 'Cannot convert a Symbol value to a string'],
  [/^cannot convert symbol to number$/, () => 'Cannot convert a Symbol value to a number'],
  [/^cannot convert bigint to number$/, () => 'Cannot convert a BigInt value to a number'],
  [/^invalid array length$/, () => 'Invalid array length'],
  [/^expecting hex digit$/, () => 'URI malformed'],
  [/^invalid repeat count$/, () => 'Invalid count value'],
  [/^invalid 'instanceof' right operand$/, () => `Right-hand side of 'instanceof' is not callable`],
  [/^invalid number of digits$/, () => 'toFixed() digits argument must be between 0 and 100'],
  [
    /^value is not iterable$/,
    () => 'object is not iterable (cannot read property Symbol(Symbol.iterator))',
  ],
]

/**
 * Makes errors read as Node's do: `stack` begins with name and message, and the engine's own texts are put as V8 puts
 * them where that needs nothing but the text.
 */
export function speakAsNode() {
  Error.prepareStackTrace = prepareStackTrace
  const parse = { parse: (text, reviver) => parseJson(text, reviver) }.parse
  Object.defineProperty(JSON, 'parse', { value: parse, writable: true, configurable: true })
}

function prepareStackTrace(error, sites) {
  translate(error)
  let stack = header(error)
  for (const site of sites) stack += `\n    at ${place(site)}`
  return stack
}

function translate(error) {
  const own = Object.getOwnPropertyDescriptor(error, 'message')
  if (typeof own?.value !== 'string' || !own.writable || own.value.length > longestTold) return
  // The engine's own texts are short.
  if (own.value.length > LONGEST) return
  for (const [pattern, put] of words) {
    if (!pattern.test(own.value)) continue
    error.message = own.value.replace(pattern, put)
    return
  }
}

function readProperty(_, key, of) {
  if (key === 'Symbol.iterator') return `${of} is not iterable`
  return `Cannot read properties of ${of} (reading '${key}')`
}

function header(error) {
  try {
    const { name, message } = error
    // A text of megabytes is not worth a copy of it in every stack.
    if (message?.length > longestMessage) return `${name}: ${message.slice(0, longestMessage)}`
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}

function place(site) {
  const name = site.getFunctionName()
  const where = site.isNative()
    ? 'native'
    : `${site.getFileName()}:${site.getLineNumber()}:${site.getColumnNumber()}`
  return name ? `${name} (${where})` : where
}

function parseJson(text, reviver) {
  try {
    return nativeParse(text, reviver)
  } catch (error) {
    if (!/^unexpected (token|end)/i.test(error?.message)) throw error
    throw new SyntaxError(describePosition(`${text}`))
  }
}
