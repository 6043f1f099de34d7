import assert from 'node:assert/strict'
import { ERRORS, type ErrorCode } from '../../src/platform/error-codes.ts'

/** A raw response. */
export interface FuzzResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly text: string
}

/** Asserts that a 4xx response satisfies the error contract, field by field. */
export function assertApiException(response: FuzzResponse): Record<string, unknown> {
  assert.match(String(response.headers['content-type']), /^application\/json/)
  const body = JSON.parse(response.text) as Record<string, unknown>
  assert.deepEqual(Object.keys(body).sort(), ERROR_KEYS)
  const [statusCode, status] = ERRORS[body.error as ErrorCode] ?? []
  assert.deepEqual([body.statusCode, body.status], [statusCode, status], `${body.error}`)
  assert.equal(body.statusCode, response.status)
  assert.ok(typeof body.message === 'string' && body.message.length > 5)
  assert.equal(new Date(String(body.timestamp)).toISOString(), body.timestamp)
  assert.ok(typeof body.path === 'string' && !body.path.includes('?'))
  for (const fieldErrors of Object.values(body.errors as Record<string, unknown>))
    assert.ok(
      Array.isArray(fieldErrors) && fieldErrors.length > 0 && fieldErrors.every(isFieldError),
    )
  return body
}

const ERROR_KEYS = ['error', 'errors', 'message', 'path', 'status', 'statusCode', 'timestamp']

function isFieldError(fieldError: unknown): boolean {
  const { code, message } = fieldError as { code?: unknown; message?: unknown }
  return typeof code === 'string' && typeof message === 'string'
}
