/** What the fake provider answers. */
export class Reply {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>>) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** An answer with a status: `reply(400, { error: 'bad key' })`. A text is sent as it is, all else as JSON. */
export function reply(
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return new Reply(status, body, headers)
}

/** The value as an answer: itself, or 200 with it as the body. */
export function toReply(value: unknown): Reply {
  return value instanceof Reply ? value : reply(200, value)
}
