import { pipeline, type Readable, Transform } from 'node:stream'
import { isBodiless, refuseAnnounced } from './body.ts'
import type { Progress } from './circuit/through-circuit.ts'
import type { Deadline } from './deadline.ts'
import { connectionFailure, GateError } from './gate-error.ts'
import type { GateStream, GateStreamPolicy, GateStreamRequest } from './gate-types.ts'
import { type JudgeRules, judge } from './judge.ts'
import type { Lanes } from './lanes.ts'
import { send } from './send.ts'

/** What one streamed exchange runs with. */
export interface StreamContext {
  readonly lanes: Lanes
  readonly rules: JudgeRules
  readonly policy: GateStreamPolicy
  readonly deadline: Deadline
  /** Called once, when the body is over or was let go; with a failure where there was one. */
  readonly ended: (failure: GateError | undefined) => void
  readonly progress: Progress
}

/**
 * Judges and sends one request, and answers with its head and a body that comes as fast as it is read. The deadline
 * stays in force until the body is over.
 *
 * @throws GateError; `ended` is not called then
 */
export async function openStream(
  context: StreamContext,
  request: GateStreamRequest,
): Promise<GateStream> {
  const { lanes, rules, policy, deadline, progress } = context
  const { purpose, hosts, tenant } = policy
  const { signal } = deadline
  const letGo = dropBody(request)
  try {
    const target = await judge(rules, { url: request.url, purpose, hosts, tenant, signal })
    progress.sent()
    const answer = await send(lanes, target, request, {
      ...{ purpose, decompress: false, tenant, signal },
    })
    progress.began()
    const { status, statusText, rawHeaders } = answer
    const bodiless = isBodiless(request.method, status)
    try {
      refuseAnnounced(rawHeaders, { maxBytes: policy.maxResponseBytes, bodiless })
    } catch (error) {
      answer.body.on('error', () => {}).destroy()
      throw error
    }
    const body = metered(context, answer.body).once('close', letGo)
    return { status, statusText, rawHeaders, body, url: target.url.href }
  } catch (error) {
    letGo()
    throw error
  }
}

/** Ends a body that is still being read. Its failures are told by the request that they break. */
function dropBody({ body }: GateStreamRequest): () => void {
  if (body === undefined || body instanceof Uint8Array) return () => {}
  body.on('error', () => {})
  return () => void body.destroy()
}

/** The body as sent, counted, and watched for silence. */
function metered({ policy, deadline, ended }: StreamContext, body: Readable): Readable {
  let size = 0
  const meter = new Transform({
    highWaterMark: 64 * 1024,
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length
      idle.refresh()
      if (size > policy.maxResponseBytes) return done(tooLarge(policy.maxResponseBytes))
      done(null, chunk)
    },
  })
  const idle = setTimeout(() => {
    if (meter.writableLength > 0 || meter.readableLength > 0) return void idle.refresh()
    deadline.stop(new GateError('timeout', `silent for ${policy.idleMs} ms`))
  }, policy.idleMs)
  let failure: GateError | undefined
  // Before the pipeline hears of it, so that readers meet a GateError.
  body.on('error', (cause) => {
    failure = connectionFailure(cause, 'body')
    meter.destroy(failure)
  })
  pipeline(body, meter, (cause) => {
    clearTimeout(idle)
    // Letting go of a body early is no failure.
    const own = cause instanceof GateError ? cause : failure
    ended(own)
  })
  return meter
}

function tooLarge(maxBytes: number): GateError {
  return new GateError('too_large', `more than ${maxBytes} bytes as sent`)
}
