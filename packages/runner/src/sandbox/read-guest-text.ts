import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'

/** A string of the guest. It is copied only when read, so that its length can be checked first. */
export interface GuestText {
  readonly length: number
  read(): string
}

const MAX_TEXT_LENGTH = 2000

/** Measures a string of the guest without copying it. Anything that is not a string has length 0. */
export function readGuestText(
  context: QuickJSContext,
  handle: QuickJSHandle | undefined,
): GuestText {
  if (handle === undefined || context.typeof(handle) !== 'string') return EMPTY_TEXT
  const length = context.getProp(handle, 'length').consume((value) => context.getNumber(value))
  return { length, read: () => context.getString(handle) }
}

/** Name and message of a value that the guest threw, at most 2,000 characters each. May run getters of the guest. */
export function formatThrownValue(context: QuickJSContext, thrownValue: QuickJSHandle): string {
  const type = context.typeof(thrownValue)
  if (type === 'string') return truncate(readGuestText(context, thrownValue))
  if (type !== 'object' && type !== 'function') return `a value of type ${type}`
  const name = readProperty(context, thrownValue, 'name')
  const message = readProperty(context, thrownValue, 'message')
  return name === '' || name === 'Error' ? message : `${name}: ${message}`
}

/** Returns true if the text of an error is QuickJS's own out-of-memory error. */
export function isOutOfMemoryMessage(text: string): boolean {
  return /^(InternalError: )?out of memory$/.test(text)
}

const EMPTY_TEXT: GuestText = { length: 0, read: () => '' }

function readProperty(context: QuickJSContext, object: QuickJSHandle, name: string): string {
  return context.getProp(object, name).consume((value) => truncate(readGuestText(context, value)))
}

function truncate(text: GuestText): string {
  return text.length > 64 * MAX_TEXT_LENGTH
    ? 'a very long text'
    : text.read().slice(0, MAX_TEXT_LENGTH)
}
