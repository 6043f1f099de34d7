let sendToHost

/** Stores the guest's only connection to the host. Called once, by the `boot` binding. */
export function bindPost(post) {
  sendToHost = post
}

/** Sends to the VM host; see `sandbox/host-bindings.ts` for the kinds. */
export function post(kind, id, text, bytes) {
  return sendToHost?.(kind, id, text, bytes)
}

/** What the bindings need of the language, taken before any bundle can patch it. */
export const parseJson = JSON.parse
export const stringifyJson = JSON.stringify
export const apply = Reflect.apply
export const setPrototypeOf = Reflect.setPrototypeOf
export const ownKeys = Object.keys
export const isArray = Array.isArray
export const toText = String
export const queueJob = globalThis.queueMicrotask
export const GuestError = Error
export const now = Date.now

const longestMessage = 2000
const longestName = 100

/**
 * Turns anything that can be thrown into `{ name, message }` of bounded length. Never throws, also not for
 * proxies and getters that do.
 */
export function describeError(thrown) {
  const error = { __proto__: null, name: 'Error', message: '' }
  try {
    if (thrown !== null && (typeof thrown === 'object' || typeof thrown === 'function')) {
      error.name = cut(text(() => thrown.name) || 'Error', longestName)
      error.message = cut(text(() => thrown.message) || asJson(thrown), longestMessage)
    } else {
      error.message = cut(toText(thrown), longestMessage)
    }
  } catch {
    error.message = 'A value that cannot be printed was thrown.'
  }
  return error
}

function text(read) {
  try {
    const value = read()
    return typeof value === 'string' ? value : ''
  } catch {
    return ''
  }
}

function asJson(value) {
  try {
    return stringifyJson(value) ?? 'A value without a message was thrown.'
  } catch {
    return 'A value that cannot be printed was thrown.'
  }
}

function cut(string, length) {
  let result = ''
  for (let at = 0; at < length && at < string.length; at++) result += string[at]
  return result
}
