import { pipeline, type Readable, Transform } from 'node:stream'
import { type AddressPolicy, resolveTarget } from './address-policy.ts'
import type { ExchangeProgress } from './circuit/with-circuit.ts'
import type { ConnectionPool } from './connection-pool.ts'
import type { Deadline } from './deadline.ts'
import { EgressError, toConnectionError } from './egress-error.ts'
import type { EgressStream, EgressStreamPolicy, EgressStreamRequest } from './egress-types.ts'
import { assertContentLength, isBodiless } from './read-body.ts'
import { sendRequest } from './send-request.ts'

/** Dependencies of one streamed exchange. */
export interface StreamContext {
  readonly connectionPool: ConnectionPool
  readonly addressPolicy: AddressPolicy
  readonly policy: EgressStreamPolicy
  readonly deadline: Deadline
  /** Called once, when the body ended or was destroyed; with the failure, if there is one. */
  readonly onEnd: (failure: EgressError | undefined) => void
  readonly progress: ExchangeProgress
}

/**
 * Validates and sends one request, and resolves with the response head and a body that is received as fast as it is
 * read. The deadline applies until the body ends.
 *
 * @throws EgressError; `onEnd` is not called in that case
 */
export async function openStream(
  context: StreamContext,
  request: EgressStreamRequest,
): Promise<EgressStream> {
  const { connectionPool, addressPolicy, policy, deadline, progress } = context
  const { purpose, hosts, tenant } = policy
  const { signal } = deadline
  const disposeBody = createBodyDisposer(request)
  try {
    const target = await resolveTarget(addressPolicy, {
      url: request.url,
      purpose,
      hosts,
      tenant,
      signal,
    })
    progress.requestSent()
    const response = await sendRequest(connectionPool, target, request, {
      purpose,
      decompress: false,
      tenant,
      signal,
    })
    progress.responseStarted()
    const { status, statusText, rawHeaders } = response
    const bodiless = isBodiless(request.method, status)
    try {
      assertContentLength(rawHeaders, { maxBytes: policy.maxResponseBytes, bodiless })
    } catch (error) {
      response.body.on('error', () => {}).destroy()
      throw error
    }
    const body = meterBody(context, response.body).once('close', disposeBody)
    return { status, statusText, rawHeaders, body, url: target.url.href }
  } catch (error) {
    disposeBody()
    throw error
  }
}

/** Destroys a body that is still being read. The failure is reported by the request that it ends. */
function createBodyDisposer({ body }: EgressStreamRequest): () => void {
  if (body === undefined || body instanceof Uint8Array) return () => {}
  body.on('error', () => {})
  return () => void body.destroy()
}

/** The body as received, with a limit on its size and an idle timeout. */
function meterBody({ policy, deadline, onEnd }: StreamContext, body: Readable): Readable {
  let size = 0
  const meter = new Transform({
    highWaterMark: 64 * 1024,
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length
      idle.refresh()
      if (size > policy.maxResponseBytes) return done(createTooLargeError(policy.maxResponseBytes))
      const pause = policy.pace?.(chunk.length)
      if (pause === undefined) done(null, chunk)
      else void pause.then(() => done(null, chunk))
    },
  })
  const idle = setTimeout(() => {
    if (meter.writableLength > 0 || meter.readableLength > 0) return void idle.refresh()
    deadline.abort(new EgressError('timeout', `no data for ${policy.idleMs} ms`))
  }, policy.idleMs)
  let failure: EgressError | undefined
  // Before the pipeline sees the error, so that readers get an EgressError.
  body.on('error', (cause) => {
    failure = toConnectionError(cause, 'body')
    meter.destroy(failure)
  })
  pipeline(body, meter, (cause) => {
    clearTimeout(idle)
    // Destroying a body early is not a failure.
    const bodyError = cause instanceof EgressError ? cause : failure
    onEnd(bodyError)
  })
  return meter
}

function createTooLargeError(maxBytes: number): EgressError {
  return new EgressError('too_large', `more than ${maxBytes} bytes received`)
}
