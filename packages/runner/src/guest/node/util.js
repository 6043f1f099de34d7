import assert from 'assert'
import {
  format,
  formatWithOptions,
  inspect,
  stripVTControlCharacters,
} from 'node-inspect-extracted'
import utilPackage from 'util'
import { systemErrors } from '../net/socket-error.js'

const promisified = Symbol.for('nodejs.util.promisify.custom')
const packaged = utilPackage.promisify

/** The module `util`: the package, and what Node added after it. */
export const util = {
  ...utilPackage,
  TextEncoder: globalThis.TextEncoder,
  TextDecoder: globalThis.TextDecoder,
  promisify,
  inspect,
  format,
  formatWithOptions,
  isDeepStrictEqual,
  isArray: Array.isArray,
  debug: utilPackage.debuglog,
  aborted: (signal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  deprecate: (work) => work,
  getSystemErrorName: (number) => systemErrors.get(number)?.[0] ?? `Unknown system error ${number}`,
  getSystemErrorMap: () => systemErrors,
  parseEnv,
  stripVTControlCharacters,
  styleText: (_style, text) => `${text}`,
  toUSVString: (text) => `${text}`.toWellFormed(),
}

util.types = {
  ...utilPackage.types,
  isProxy: () => false,
  isExternal: () => false,
  isKeyObject: (value) => value?.type === 'secret' && typeof value.export === 'function',
  isCryptoKey: () => false,
  isNativeError: (value) => Object.prototype.toString.call(value) === '[object Error]',
  isBoxedPrimitive: (value) =>
    [Number, String, Boolean, BigInt, Symbol].some(
      (type) => Object(value) === value && value instanceof type,
    ),
}

function promisify(original) {
  if (typeof original?.[promisified] === 'function') {
    return Object.defineProperty(original[promisified], promisified, {
      value: original[promisified],
      configurable: true,
    })
  }
  return Reflect.apply(packaged, this, [original])
}
promisify.custom = promisified

function parseEnv(text) {
  const values = {}
  for (const line of text.split(/\r?\n/)) {
    const [, name, value] = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name) values[name] = value.replace(/^(['"`])(.*)\1$/, '$2')
  }
  return values
}

/** `util.isDeepStrictEqual`. */
function isDeepStrictEqual(first, second) {
  try {
    assert.deepStrictEqual(first, second)
    return true
  } catch {
    return false
  }
}
