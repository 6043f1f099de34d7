/** What the bindings need of the language, taken before any bundle can patch it. */
export const parseJson = JSON.parse
export const stringifyJson = JSON.stringify
export const apply = Reflect.apply
export const setPrototypeOf = Reflect.setPrototypeOf
export const defineProperty = Reflect.defineProperty
export const ownKeys = Object.keys
export const isArray = Array.isArray
export const toText = String
export const queueJob = globalThis.queueMicrotask
export const GuestError = Error
export const GuestTypeError = TypeError
export const now = Date.now
export const Bytes = Uint8Array
