import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import imported from '@jitl/quickjs-ng-wasmfile-release-sync'
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core'
import { newQuickJSWASMModuleFromVariant, type QuickJSSyncVariant } from 'quickjs-emscripten-core'
import { buildGuest } from '../../build-guest.mjs'
import {
  type GuestEventKind,
  type GuestRequest,
  type HostCallKind,
  handleHostCall,
} from '../../src/sandbox/host-bindings.ts'
import { signForGuest } from '../../src/sandbox/sign.ts'

export interface Post {
  readonly kind: HostCallKind
  readonly id: number
  readonly text: string | undefined
  readonly bytes: Uint8Array | undefined
}

export interface GuestResponse {
  readonly status: number
  readonly statusText: string
  readonly rawHeaders: readonly string[]
  readonly body: Uint8Array
}

/** Responds to a request of a guest; throws an Error with a `code` if the request fails. */
export type Responder = (request: GuestRequest, body: Uint8Array) => Promise<GuestResponse>

export interface Guest {
  /** Everything that the guest posted, oldest first. */
  readonly posts: readonly Post[]
  /** Evaluates a bundle's source. Throws an Error with the name and message of the guest's error. */
  load(source: string): void
  /** Runs the bundle until it posts `done`, `fail` or `exit`. */
  run(command?: string, params?: unknown): Promise<Post>
  /** Stops its timers; its memory goes with the last reference. */
  dispose(): void
}

// The types describe a CommonJS package, but the import is the variant itself.
const variant = imported as unknown as QuickJSSyncVariant

await buildGuest()
const script = await readFile(new URL('../../generated/guest.js', import.meta.url), 'utf8')

/** A guest script in a real QuickJS, with the test as its VM host. */
export async function createGuest(responder: Responder = refuse): Promise<Guest> {
  const module = await newQuickJSWASMModuleFromVariant(variant)
  const context = module.newContext()
  unwrap(context, context.evalCode(script, 'guest.js')).dispose()
  const posts: Post[] = []
  const timers = new Map<number, NodeJS.Timeout>()
  const takeBindings =
    '(() => { const d = globalThis.__bindings; delete globalThis.__bindings; return d })()'
  const bindings = unwrap(context, context.evalCode(takeBindings))
  const callBinding = (name: string, ...given: QuickJSHandle[]) => {
    const fn = context.getProp(bindings, name)
    unwrap(context, context.callFunction(fn, context.undefined, ...given)).dispose()
    for (const handle of [fn, ...given]) handle.dispose()
    context.runtime.executePendingJobs()
  }
  let alive = true
  let finish: ((post: Post) => void) | undefined
  const sendEvent = (kind: GuestEventKind, id: number, json = '', bytes?: Uint8Array) => {
    if (!alive) return
    const body = bytes?.length ? context.newArrayBuffer(Uint8Array.from(bytes).buffer) : undefined
    const given = [context.newString(kind), context.newNumber(id), context.newString(json)]
    callBinding('event', ...given, body ?? context.undefined)
  }
  const serve = async ({ id, text, bytes }: Post) => {
    try {
      const { body, ...head } = await responder(JSON.parse(text ?? ''), bytes ?? new Uint8Array())
      sendEvent('response', id, JSON.stringify(head), body)
    } catch (error) {
      const { code = 'ECONNREFUSED', message } = error as { code?: string; message: string }
      sendEvent('failure', id, JSON.stringify({ code, message }))
    }
  }
  const receive = (post: Post): string | undefined => {
    posts.push(post)
    if (post.kind === 'sign') return signForGuest(post.text ?? '', post.bytes)
    if (post.kind === 'random') return randomBytes(Number(post.text)).toString('hex')
    if (post.kind === 'timer') {
      const fire = () => sendEvent('timer', post.id)
      if (post.text === '0') setImmediate(fire)
      else timers.set(post.id, setTimeout(fire, Number(post.text)))
    } else if (post.kind === 'clear') clearTimeout(timers.get(post.id))
    else if (post.kind === 'request') void serve(post)
    else if (['done', 'fail', 'exit'].includes(post.kind)) finish?.(post)
    return undefined
  }
  const post = context.newFunction('post', (...given) =>
    handleHostCall(
      context,
      (kind, id, text, bytes) =>
        receive({
          kind: kind as HostCallKind,
          id,
          text: text.length > 0 ? text.read() : undefined,
          bytes,
        }),
      () => false,
      given,
    ),
  )
  callBinding('boot', post)
  return {
    posts,
    load(source) {
      const wrapped = `(function (exports, require, module, __filename, __dirname) {${source}\n})`
      callBinding('load', unwrap(context, context.evalCode(wrapped, 'bundle.js')))
    },
    run(command = 'SPEC', params = {}) {
      const finished = new Promise<Post>((resolve) => {
        finish = resolve
      })
      const given = [command, JSON.stringify(params)].map((text) => context.newString(text))
      callBinding('run', ...given)
      return finished
    },
    dispose() {
      alive = false
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

/** Loads and runs a bundle in its own guest. Returns its result, or throws its failure. */
export async function runBundle(
  source: string,
  given: { command?: string; params?: unknown; responder?: Responder } = {},
): Promise<unknown> {
  const guest = await createGuest(given.responder)
  try {
    guest.load(source)
    const end = await guest.run(given.command, given.params)
    if (end.kind === 'done') return JSON.parse(end.text ?? '')
    throw Object.assign(new Error(end.text), end.kind === 'fail' ? JSON.parse(end.text ?? '') : {})
  } finally {
    guest.dispose()
  }
}

async function refuse(): Promise<never> {
  throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
}

function unwrap(context: QuickJSContext, result: ReturnType<QuickJSContext['evalCode']>) {
  if (!result.error) return result.value
  const thrown = context.dump(result.error)
  result.error.dispose()
  const { name = 'Error', message = String(thrown), stack = '' } = Object(thrown)
  throw Object.assign(new Error(message), { name, guestStack: stack })
}
