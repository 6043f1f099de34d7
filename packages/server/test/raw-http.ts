import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { ERRORS, type ErrorCode } from '../src/errors.ts'
import { KEYS } from './fixtures.ts'

/** An answer as it stood on the wire. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What a connection gave back, and whether the server closed it. */
export interface RawExchange {
  readonly answers: readonly RawAnswer[]
  readonly closed: boolean
}

/**
 * Writes these bytes on a connection of their own and reads until the server closes it or says nothing for `quietMs`.
 * Nothing between the test and the wire tidies what is sent.
 */
export async function rawHttp(
  port: number,
  parts: string | Buffer | readonly (string | Buffer)[],
  quietMs = 250,
): Promise<RawExchange> {
  const socket = connect({ port, host: '127.0.0.1' })
  const chunks: Buffer[] = []
  let closed = false
  socket.on('data', (chunk) => chunks.push(chunk))
  // A server that refuses early may reset what is still being written.
  socket.on('error', () => undefined)
  for (const part of [parts].flat()) socket.write(part)
  await new Promise<void>((resolve) => {
    socket.setTimeout(quietMs, resolve)
    socket.on('close', () => {
      closed = true
      resolve()
    })
  })
  socket.destroy()
  return { answers: parseAnswers(Buffer.concat(chunks).toString('latin1')), closed }
}

/** Holds an exchange to be one answer: the ApiException of this code, with the headers of every refusal. */
export function refusedRaw({ answers }: RawExchange, code: ErrorCode): RawAnswer {
  assert.equal(answers.length, 1, JSON.stringify(answers))
  const [answer] = answers
  assert.ok(answer)
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/, answer.body)
  const body = JSON.parse(answer.body)
  assert.equal(body.error, code, answer.body)
  assert.deepEqual(Object.keys(body).sort(), KEYS.failure)
  assert.deepEqual(
    [answer.status, body.statusCode, body.status],
    [ERRORS[code][0], ...ERRORS[code]],
  )
  assert.equal(answer.headers['cache-control'], 'no-store')
  assert.match(answer.headers['x-request-id'] ?? '', /^[\da-f-]{36}$/)
  return answer
}

function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest.startsWith('HTTP/')) {
    const end = rest.indexOf('\r\n\r\n')
    assert.notEqual(end, -1, `half a head: ${rest.slice(0, 200)}`)
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(fields.map((field) => splitField(field)))
    const length = Number(headers['content-length'] ?? 0)
    answers.push({
      status: Number(line.split(' ')[1]),
      headers,
      body: rest.slice(end + 4, end + 4 + length),
    })
    rest = rest.slice(end + 4 + length)
  }
  assert.equal(rest, '', 'nothing but whole answers')
  return answers
}

function splitField(field: string): [string, string] {
  const colon = field.indexOf(':')
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
}
