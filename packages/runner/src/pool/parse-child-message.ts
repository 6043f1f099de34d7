import type { CallStep, ChildMessage, FailureReason, Outcome } from '../sandbox/messages.ts'

/** Validates the shape of a message from a child. @returns undefined when it is not a valid message */
export function parseChildMessage(raw: unknown): ChildMessage | undefined {
  if (!isRecord(raw)) return undefined
  const { type, call, request } = raw
  if (type === 'ready') return { type }
  if (type === 'idle') return { type, steps: parseSteps(raw.steps) }
  if (type === 'crash') return { type, message: String(raw.message).slice(0, 500) }
  if (type === 'image') return { type, body: toBytes(raw.body) }
  if (!isId(call)) return undefined
  if (type === 'busy') return { type, call }
  if (type === 'code-request')
    return isString(raw.sha256)
      ? { type, call, sha256: raw.sha256, acceptsImage: raw.acceptsImage === true }
      : undefined
  if (type === 'end') return parseEnd(raw, call)
  if (!isId(request)) return undefined
  if (type === 'abort') return { type, call, request }
  if (type !== 'request' || !isString(raw.text)) return undefined
  return { type, call, request, text: raw.text, body: toBytes(raw.body) }
}

// A child can send false values only if its guest has escaped.
function parseSteps(raw: unknown): CallStep[] {
  if (!Array.isArray(raw)) return []
  return raw.slice(0, MAX_STEPS).flatMap((each: unknown) => {
    if (!isRecord(each) || !isId(each.call)) return []
    const { call, cpuMs, wallMs, bytes } = each
    return [
      {
        call,
        cpuMs: parseDuration(cpuMs),
        wallMs: parseDuration(wallMs),
        bytes: Number(bytes) || 0,
      },
    ]
  })
}

const MAX_STEPS = 1_000

function parseDuration(raw: unknown): number {
  return Math.min(Math.max(0, Number(raw) || 0), 60_000)
}

function parseEnd(raw: Record<string, unknown>, call: number): ChildMessage | undefined {
  const outcome = parseOutcome(raw.outcome, raw.body)
  if (outcome === undefined) return undefined
  const { logs, rss } = raw
  const isDeterministic = raw.isDeterministic === true
  return {
    type: 'end',
    call,
    outcome,
    logs: Number(logs) || 0,
    rss: Number(rss) || 0,
    isDeterministic,
  }
}

function parseOutcome(raw: unknown, body: unknown): Outcome | undefined {
  if (!isRecord(raw)) return undefined
  const { ok, reason, message } = raw
  if (ok === true) return body instanceof Uint8Array ? { ok, json: utf8.decode(body) } : undefined
  if (!isString(reason) || !REASONS.has(reason) || !isString(message)) return undefined
  return { ok: false, reason: reason as FailureReason, message: message.slice(0, 10_000) }
}

/** Bytes that are not UTF-8 become U+FFFD, as everywhere else. */
const utf8 = new TextDecoder()

const REASONS: ReadonlySet<string> = new Set<FailureReason>([
  ...(['load', 'threw', 'exit', 'cpu', 'slice', 'cancelled', 'wall', 'stuck'] as const),
  ...(['memory', 'depth', 'size', 'output'] as const),
])

function toBytes(value: unknown): Uint8Array | undefined {
  return value instanceof Uint8Array ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
