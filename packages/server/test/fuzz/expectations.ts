import assert from 'node:assert/strict'
import { ERRORS, type ErrorCode } from '../../src/errors.ts'

/** An answer as it came. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Holds an answer of 4xx against the error contract, field by field. */
export function assertApiException(answer: RawAnswer): Record<string, unknown> {
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  const body = JSON.parse(answer.text) as Record<string, unknown>
  assert.deepEqual(Object.keys(body).sort(), FIELDS)
  const [statusCode, status] = ERRORS[body.error as ErrorCode] ?? []
  assert.deepEqual([body.statusCode, body.status], [statusCode, status], `${body.error}`)
  assert.equal(body.statusCode, answer.status)
  assert.ok(typeof body.message === 'string' && body.message.length > 5)
  assert.equal(new Date(String(body.timestamp)).toISOString(), body.timestamp)
  assert.ok(typeof body.path === 'string' && !body.path.includes('?'))
  for (const faults of Object.values(body.errors as Record<string, unknown>))
    assert.ok(Array.isArray(faults) && faults.length > 0 && faults.every(isFault))
  return body
}

const FIELDS = ['error', 'errors', 'message', 'path', 'status', 'statusCode', 'timestamp']

function isFault(fault: unknown): boolean {
  const { code, message } = fault as { code?: unknown; message?: unknown }
  return typeof code === 'string' && typeof message === 'string'
}
