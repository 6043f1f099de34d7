import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import { type GuestText, readGuestText } from './read-guest-text.ts'

/** Handles a call from the guest. A returned string is passed to the guest; an error is thrown there. */
export type HostCallHandler = (
  kind: string,
  id: number,
  text: GuestText,
  bytes: Uint8Array | undefined,
) => string | undefined

/** Reads the arguments of a call from the guest, which may have any type, and returns the result to it. */
export function handleHostCall(
  context: QuickJSContext,
  onHostCall: HostCallHandler | undefined,
  [kind, id, text, bytes]: QuickJSHandle[],
): QuickJSHandle | { error: QuickJSHandle } {
  try {
    const name = readGuestText(context, kind).read()
    const body =
      bytes !== undefined && context.typeof(bytes) === 'object'
        ? context.getArrayBuffer(bytes).consume((view: { value: Uint8Array }) => view.value.slice())
        : undefined
    const number = id !== undefined && context.typeof(id) === 'number' ? context.getNumber(id) : 0
    const returned =
      name === 'decode'
        ? decodeUtf8(body)
        : onHostCall?.(name, number, readGuestText(context, text), body)
    return returned === undefined ? context.undefined : context.newString(returned)
  } catch (error) {
    return { error: context.newError(error instanceof Error ? error.message : 'refused') }
  }
}

/** Absent for text with U+0000, which `newString` would truncate. */
function decodeUtf8(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined || bytes.includes(0) ? undefined : utf8.decode(bytes)
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
