import assert from 'node:assert/strict'
import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { ERRORS, type ErrorCode } from '../src/errors.ts'

/** The parts of an OpenAPI document that the contract reads. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
}

export interface ApiOperation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, unknown>>
}

/** What of an answer the contract judges. */
export interface JudgedAnswer {
  readonly status: number
  readonly body: unknown
  readonly text: string
  readonly headers: Record<string, unknown>
}

/** Throws an AssertionError when an answer is not what the API's own document promises. */
export type AnswerContract = (method: string, url: string, answer: JudgedAnswer) => void

/**
 * Holds answers under /api against the OpenAPI document that the service publishes: the status is one that the
 * operation names, the body fits its schema, and the headers that every answer carries are there.
 */
export function createAnswerContract(document: ApiDocument): AnswerContract {
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction>()
  const validator = (...steps: string[]) => {
    const pointer = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    const ref = `openapi#${pointer.map(encodeURI).join('')}`
    const found = compiled.get(ref) ?? ajv.compile({ $ref: ref })
    compiled.set(ref, found)
    return found
  }
  const failure = validator('components', 'schemas', 'ApiException')
  const templates = Object.keys(document.paths).map((path) => ({ path, form: formOf(path) }))

  return (method, url, answer) => {
    const path = url.split('?', 1)[0] ?? ''
    if (path === '/api/openapi.json' || !/^\/api(?:\/|$)/.test(path)) return
    // The provider's answers are its own.
    if (answer.headers['linchpin-proxy'] === 'provider') return
    const name = `${method} ${path} → ${answer.status} ${answer.text.slice(0, 300)}`
    judgeHeaders(answer, name)
    if (method === 'HEAD') return
    if (answer.status >= 400) return judgeFailure(failure, answer, name)
    const template = templates.find(({ form }) => form.test(path))?.path ?? ''
    const operation = document.paths[template]?.[method.toLowerCase()]
    const isNamed = operation?.responses[answer.status] !== undefined
    assert.ok(isNamed, `the document does not name this answer: ${name}`)
    const validate = validator(
      ...['paths', template, method.toLowerCase(), 'responses', String(answer.status)],
      ...['content', 'application/json', 'schema'],
    )
    assert.ok(validate(answer.body), `${name}: ${ajv.errorsText(validate.errors)}`)
  }
}

/** Asserts that an answer is an ApiException as the interface and docs/errors.md have it. */
function judgeFailure(
  validate: (body: unknown) => boolean,
  answer: JudgedAnswer,
  name: string,
): void {
  const body = answer.body as Record<string, unknown>
  assert.ok(validate(body), `not an ApiException: ${name}`)
  const known = ERRORS[body.error as ErrorCode]
  assert.ok(known !== undefined, `an unknown code: ${name}`)
  assert.deepEqual([answer.status, body.statusCode, body.status], [known[0], ...known], name)
  for (const faults of Object.values(body.errors as object)) {
    assert.ok(Array.isArray(faults) && faults.length > 0, `a field without faults: ${name}`)
    for (const fault of faults) assert.deepEqual(Object.keys(fault), ['code', 'message'], name)
  }
  assert.ok(!String(body.path).includes('?'), `a query in the path: ${name}`)
  assert.doesNotMatch(String(body.message), /undefined|\[object/, name)
}

function judgeHeaders({ status, headers }: JudgedAnswer, name: string): void {
  assert.match(String(headers['x-request-id']), /^[\da-f-]{36}$/, `X-Request-Id: ${name}`)
  assert.equal(headers['cache-control'], 'no-store', `Cache-Control: ${name}`)
  assert.match(String(headers['content-type']), /^application\/json/, `Content-Type: ${name}`)
  const challenge = status === 401 ? 'Bearer error="invalid_token"' : undefined
  assert.equal(headers['www-authenticate'], challenge, `WWW-Authenticate: ${name}`)
  const retryAfter = headers['retry-after']
  // Whole seconds (RFC 9110 section 10.2.3), however long the wait is expected to be.
  if (status === 503) assert.match(String(retryAfter), /^[1-9]\d{0,2}$/, `Retry-After: ${name}`)
  else assert.equal(retryAfter, undefined, `Retry-After: ${name}`)
  assert.equal(headers.allow !== undefined, status === 405, `Allow: ${name}`)
}

/** A literal segment wins over a parameter, so templates with fewer parameters must match first: `[^/]+` is last. */
function formOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]*')}$`)
}
