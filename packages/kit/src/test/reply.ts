/** A response of the fake provider. */
export interface Reply {
  readonly [REPLY]: true
  /** 0 ends the connection without a response. */
  readonly status: number
  /** A string is sent unchanged, everything else as JSON. */
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>
}

/** A response with a status: `reply(400, { error: 'bad key' })`. */
export function reply(
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return { [REPLY]: true, status, body, headers }
}

/** The value as a response: itself, or a 200 with it as the body. */
export function toReply(value: unknown): Reply {
  return isReply(value) ? value : reply(200, value)
}

// Fixtures are compiled with a copy of this file, so a class would not be identical.
const REPLY: unique symbol = Symbol.for('linchpin-kit.reply') as never

function isReply(value: unknown): value is Reply {
  return typeof value === 'object' && value !== null && REPLY in value
}
