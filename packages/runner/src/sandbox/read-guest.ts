import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'

/** A string of the guest. It is copied only when read, so that its length can be judged first. */
export interface GuestText {
  readonly length: number
  read(): string
}

const LONGEST = 2000

/** A string of the guest, measured but not yet copied. Anything that is no string has length 0. */
export function readText(context: QuickJSContext, handle: QuickJSHandle | undefined): GuestText {
  if (handle === undefined || context.typeof(handle) !== 'string') return EMPTY
  const length = context.getProp(handle, 'length').consume((value) => context.getNumber(value))
  return { length, read: () => context.getString(handle) }
}

/** Name and message of whatever the guest threw, at most 2,000 characters each. May run getters of the guest. */
export function thrownText(context: QuickJSContext, thrown: QuickJSHandle): string {
  const type = context.typeof(thrown)
  if (type === 'string') return bounded(readText(context, thrown))
  if (type !== 'object' && type !== 'function') return `a value of type ${type}`
  const name = property(context, thrown, 'name')
  const message = property(context, thrown, 'message')
  return name === '' || name === 'Error' ? message : `${name}: ${message}`
}

/** Says whether the text of an error is QuickJS's own for having no memory left. */
export function outOfMemory(text: string): boolean {
  return /^(InternalError: )?out of memory$/.test(text)
}

const EMPTY: GuestText = { length: 0, read: () => '' }

function property(context: QuickJSContext, object: QuickJSHandle, name: string): string {
  return context.getProp(object, name).consume((value) => bounded(readText(context, value)))
}

function bounded(text: GuestText): string {
  return text.length > 64 * LONGEST ? 'a very long text' : text.read().slice(0, LONGEST)
}
