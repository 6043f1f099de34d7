import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { EgressRequest, EgressStream, EgressStreamRequest } from '@linchpin/runner'
import { startFlushing } from '../../platform/rounds.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import {
  type CapturedBody,
  type CapturedExchange,
  createExchangeScrubber,
  listSecretValues,
  MAX_BODY_BYTES,
  redactExchange,
} from './debug-exchange.ts'
import {
  createExchangeContext,
  type DebugWindowStore,
  MAX_EXCHANGES,
  type NewExchange,
  type OpenWindow,
} from './debug-window-store.ts'
import type { RequestEntry } from './request-log.ts'

export interface DebugRecorderOptions {
  readonly store: Pick<DebugWindowStore, 'listOpen' | 'store'>
  readonly vault: Pick<Vault, 'seal'>
  readonly now: () => number
  readonly intervalMs?: number
}

/** Captures the exchanges of accounts with an open debug window. */
export interface DebugRecorder {
  /** Starts to capture a request; undefined without an open window. The request and its secrets are read when it has ended. */
  begin(accountId: Id<'acc'>, request: CaptureRequest): Capture | undefined
  /** Learns which windows are open, and stores what was captured. */
  flush(): Promise<void>
  /** Stops the timer and flushes. Never rejects. */
  stop(): Promise<void>
}

export interface CaptureRequest {
  readonly operation: CapturedExchange['operation']
  readonly request: EgressRequest | EgressStreamRequest
  readonly secrets: (() => unknown) | undefined
}

/** An exchange that is being captured. Without `finish` it takes the place of another until it is forgotten. */
export interface Capture {
  /** Receives the response as it arrives. */
  readonly onChunk: (chunk: Uint8Array) => void
  /** The request has ended. `entry`: what the request log has of it. */
  finish(entry: RequestEntry, response?: CapturedResponse): void
}

/** The head of a response, and its body if it did not arrive in chunks. */
export interface CapturedResponse extends Pick<EgressStream, 'status' | 'rawHeaders'> {
  readonly body?: Uint8Array | undefined
  readonly isDecoded: boolean
}

/**
 * Every node learns of a window within two seconds. Bodies are copied up to 32 kB; neither is waited for, nor delayed. What was
 * captured is searched for credentials and sealed after the request, in the flush.
 */
export function createDebugRecorder(options: DebugRecorderOptions): DebugRecorder {
  const { store, vault, now, intervalMs = 2_000 } = options
  let windows: ReadonlyMap<Id<'acc'>, KnownWindow> = new Map()
  let captures = 0
  let pending: Finished[] = []
  const learn = async () => {
    const open = await store.listOpen(now())
    const known = open.map((window): [Id<'acc'>, KnownWindow] => [
      window.accountId,
      toKnownWindow(window, windows.get(window.accountId)),
    ])
    windows = new Map(known)
  }
  const write = async () => {
    const batch = pending.splice(0, BATCH)
    const exchanges: NewExchange[] = []
    for (const each of batch) {
      exchanges.push(await toNewExchange(each, vault))
      await setImmediate()
    }
    try {
      await store.store(exchanges)
    } catch (error) {
      pending = [...batch, ...pending]
      throw error
    }
    captures -= batch.length
  }
  const { flush, stop } = startFlushing(async () => {
    try {
      await learn()
      while (pending.length > 0) await write()
    } catch {
      // The database is away: the next flush tries again.
    }
  }, intervalMs)
  return {
    begin(accountId, request) {
      const window = windows.size === 0 ? undefined : windows.get(accountId)
      if (window === undefined || window.left <= 0 || window.endsAt <= now()) return undefined
      if (captures >= MAX_CAPTURES) return undefined
      captures += 1
      window.left -= 1
      return createCapture(request, (exchange, entry) => {
        pending.push({ window, entry, exchange, secrets: request.secrets })
      })
    },
    flush,
    stop,
  }
}

/** Exchanges in memory, of which each takes up to 100 kB. */
const MAX_CAPTURES = 200
/** Exchanges per transaction. */
const BATCH = 20

interface KnownWindow extends OpenWindow {
  /** How many exchanges it has room for, as far as this node knows. */
  left: number
  /** Credentials of the requests so far: a response may have a token that a later request is sent with. */
  readonly secrets: Set<string>
  readonly publicValues: ReadonlySet<string>
}

function toKnownWindow(window: OpenWindow, known: KnownWindow | undefined): KnownWindow {
  const isSame = known?.openedAt === window.openedAt
  const room = MAX_EXCHANGES - window.exchanges
  return {
    ...window,
    left: isSame ? Math.min(known.left, room) : room,
    secrets: isSame ? known.secrets : new Set(),
    publicValues: new Set(Object.values(window.publicConfig ?? {}).map(String)),
  }
}

interface Finished {
  readonly window: KnownWindow
  readonly entry: RequestEntry
  readonly exchange: CapturedExchange
  readonly secrets: (() => unknown) | undefined
}

async function toNewExchange(
  { window, entry, exchange, secrets }: Finished,
  vault: Pick<Vault, 'seal'>,
): Promise<NewExchange> {
  const requestLogId = newId('req', entry.at)
  const workspaceId = entry.workspaceId as Id<'wsp'>
  for (const value of listSecretValues(secrets?.(), window.publicValues)) window.secrets.add(value)
  const context = createExchangeContext(workspaceId, requestLogId)
  const sealed = await redactExchange(exchange, createExchangeScrubber(window.secrets))
    .then((redacted) => vault.seal(context, JSON.stringify(redacted)))
    // Its workspace may have been deleted, with its key.
    .catch(() => undefined)
  return {
    requestLogId,
    workspaceId,
    accountId: window.accountId,
    openedAt: window.openedAt,
    entry: { entry: { ...entry, requestLogId }, represents: 1 },
    sealed,
  }
}

function createCapture(
  { operation, request }: CaptureRequest,
  onEnd: (exchange: CapturedExchange, entry: RequestEntry) => void,
): Capture {
  const response = createBodyCopy()
  const { url, headers = {} } = request
  const requestBody = copyRequestBody(request)
  let hasEnded = false
  return {
    onChunk: response.add,
    finish(entry, head) {
      if (hasEnded) return
      hasEnded = true
      if (head?.body !== undefined) response.add(head.body)
      const rawHeaders = Object.entries(headers).flatMap(([name, values]) =>
        [values].flat().flatMap((value) => [name, value]),
      )
      const exchange = {
        operation,
        url,
        request: { rawHeaders, body: requestBody },
        response: head && {
          status: head.status,
          rawHeaders: head.rawHeaders,
          body: { ...response.read(), isDecoded: head.isDecoded },
        },
      }
      onEnd(exchange, entry)
    },
  }
}

/** Copies the beginning of a body. The chunks themselves would keep larger buffers in memory. */
function createBodyCopy() {
  const chunks: Uint8Array[] = []
  let copied = 0
  let size = 0
  return {
    add(chunk: Uint8Array): void {
      size += chunk.length
      const room = MAX_BODY_BYTES - copied
      if (room <= 0) return
      const start = Buffer.from(chunk.subarray(0, room))
      copied += start.length
      chunks.push(start)
    },
    read: () => ({ bytes: Buffer.concat(chunks), size }),
  }
}

function copyRequestBody({ body, ...request }: CaptureRequest['request']): CapturedBody {
  const isDecoded = false
  if (body === undefined) return { bytes: new Uint8Array(0), size: 0, isDecoded }
  if (body instanceof Uint8Array)
    return { bytes: Buffer.from(body.subarray(0, MAX_BODY_BYTES)), size: body.length, isDecoded }
  const size = 'contentLength' in request ? (request.contentLength ?? null) : null
  return { bytes: copyStart(body), size, isDecoded }
}

/** What of a stream is already here, which stays in it. A body is streamed only if it is longer than what is stored. */
function copyStart(body: Readable): Uint8Array {
  const start: unknown = body.read(Math.min(MAX_BODY_BYTES, body.readableLength))
  if (!(start instanceof Uint8Array)) return new Uint8Array(0)
  const copy = Buffer.from(start)
  body.unshift(start)
  return copy
}
