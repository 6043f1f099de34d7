import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { ERRORS, type ErrorCode } from '../src/platform/error-codes.ts'
import { RESPONSE_KEYS } from './test-context.ts'

/** A raw response. */
export interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The responses on a connection, and whether the server closed it. */
export interface RawExchange {
  readonly responses: readonly RawResponse[]
  readonly closed: boolean
}

export interface RawHttpOptions {
  /** Disconnects after this time instead of reading to the end. */
  readonly hangUpAfterMs?: number
}

/**
 * Writes these bytes to a new connection, unmodified, and reads all responses.
 *
 * No time limit decides what belongs to the exchange: once the server has responded, a last request asks it to close the
 * connection. Its response, which is left out, comes after all others, unless the server has closed the connection itself.
 */
export async function rawHttp(
  port: number,
  parts: string | Buffer | readonly (string | Buffer)[],
  { hangUpAfterMs }: RawHttpOptions = {},
): Promise<RawExchange> {
  const socket = connect({ port, host: '127.0.0.1' })
  const chunks: Buffer[] = []
  // A server that rejects early may reset the connection during the write.
  socket.on('error', () => undefined)
  for (const part of [parts].flat()) socket.write(part)
  socket.on('data', (chunk) => chunks.push(chunk))
  if (hangUpAfterMs === undefined)
    socket.once('data', () => {
      socket.write(LAST_REQUEST)
      // The last request may end up in a body that the server has rejected and ignores.
      socket.setTimeout(IGNORED_AFTER_MS)
    })
  socket.setTimeout(hangUpAfterMs ?? SILENT_AFTER_MS, () => socket.destroy(new Error('Silence')))
  const wasClosed = await new Promise<boolean>((resolve) => {
    socket.on('timeout', () => resolve(false)).on('close', () => resolve(true))
  })
  const responses = parseResponses(Buffer.concat(chunks).toString('latin1'))
  const isLastAnswered = isLastResponse(responses.at(-1))
  return {
    responses: isLastAnswered ? responses.slice(0, -1) : responses,
    closed: wasClosed && !isLastAnswered,
  }
}

const LAST_REQUEST = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
const IGNORED_AFTER_MS = 2_000
const SILENT_AFTER_MS = 60_000

function isLastResponse(response: RawResponse | undefined): boolean {
  return response?.headers.connection === 'close' && response.body === '{"status":"ok"}'
}

/** Asserts that an exchange is one response: the ApiException of this code with the headers of every error. */
export function expectRawError({ responses }: RawExchange, code: ErrorCode): RawResponse {
  assert.equal(responses.length, 1, JSON.stringify(responses))
  const [response] = responses
  assert.ok(response)
  assert.match(response.headers['content-type'] ?? '', /^application\/json/, response.body)
  const body = JSON.parse(response.body)
  assert.equal(body.error, code, response.body)
  assert.deepEqual(Object.keys(body).sort(), RESPONSE_KEYS.failure)
  assert.deepEqual(
    [response.status, body.statusCode, body.status],
    [ERRORS[code][0], ...ERRORS[code]],
  )
  assert.equal(response.headers['cache-control'], 'no-store')
  assert.match(response.headers['x-request-id'] ?? '', /^[\da-f-]{36}$/)
  return response
}

function parseResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = []
  let remaining = text
  while (remaining.startsWith('HTTP/')) {
    const end = remaining.indexOf('\r\n\r\n')
    assert.notEqual(end, -1, `incomplete response head: ${remaining.slice(0, 200)}`)
    const [line = '', ...fields] = remaining.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(fields.map((field) => parseHeader(field)))
    const length = Number(headers['content-length'] ?? 0)
    responses.push({
      status: Number(line.split(' ')[1]),
      headers,
      body: remaining.slice(end + 4, end + 4 + length),
    })
    remaining = remaining.slice(end + 4 + length)
  }
  assert.equal(remaining, '', 'expected only complete responses')
  return responses
}

function parseHeader(field: string): [string, string] {
  const colon = field.indexOf(':')
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
}
