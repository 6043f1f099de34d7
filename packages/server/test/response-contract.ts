import assert from 'node:assert/strict'
import { Ajv2020 as Ajv, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { ERRORS, type ErrorCode } from '../src/platform/error-codes.ts'

/** The parts of an OpenAPI document that the contract uses. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly components?: { readonly responses?: Readonly<Record<string, ErrorResponse>> }
}

export interface ApiOperation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, unknown>>
}

interface ErrorResponse {
  readonly $ref?: string
  readonly 'x-error-codes'?: readonly string[]
}

/** The parts of a response that the contract checks. */
export interface ContractResponse {
  readonly status: number
  readonly body: unknown
  readonly text: string
  readonly headers: Record<string, unknown>
}

/** Throws an AssertionError when a response does not match the OpenAPI document. */
export type ResponseContract = (method: string, url: string, response: ContractResponse) => void

/**
 * Checks responses under /api against the OpenAPI document that the service publishes: the operation lists the status,
 * the body matches its schema without further fields, and the headers of every response are present.
 */
export function createResponseContract(document: ApiDocument): ResponseContract {
  const ajv = new Ajv({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(closeObjects(document) as object, 'openapi')
  const validators = new Map<string, ValidateFunction>()
  const getValidator = (...steps: string[]) => {
    const pointer = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`)
    const ref = `openapi#${pointer.map(encodeURI).join('')}`
    const compiledValidator = validators.get(ref) ?? ajv.compile({ $ref: ref })
    validators.set(ref, compiledValidator)
    return compiledValidator
  }
  const validateError = getValidator('components', 'schemas', 'ApiException')
  // A path without parameters takes precedence over one with them, as in OpenAPI and in the router.
  const templates = Object.keys(document.paths)
    .sort((one, other) => one.split('{').length - other.split('{').length)
    .map((path) => ({ path, pattern: toPattern(path) }))

  return (method, url, response) => {
    const path = url.split('?', 1)[0] ?? ''
    if (path === '/api/openapi.json' || !/^\/api(?:\/|$)/.test(path)) return
    // Responses of providers follow none of our schemas.
    if (response.headers['linchpin-proxy'] === 'provider') return
    const name = `${method} ${path} → ${response.status} ${response.text.slice(0, 300)}`
    assertHeaders(response, name)
    if (method === 'HEAD') return
    const template = templates.find(({ pattern }) => pattern.test(path))?.path ?? ''
    const operation = document.paths[template]?.[method.toLowerCase()]
    if (response.status >= 400) {
      assertErrorResponse(validateError, response, name)
      return assertDocumentedCode(document, operation, response, name)
    }
    const isDocumented = operation?.responses[response.status] !== undefined
    assert.ok(isDocumented, `the document does not list this response: ${name}`)
    if (isJsonLines(response)) return
    const validate = getValidator(
      ...['paths', template, method.toLowerCase(), 'responses', String(response.status)],
      ...['content', 'application/json', 'schema'],
    )
    assert.ok(validate(response.body), `${name}: ${ajv.errorsText(validate.errors)}`)
  }
}

/** Objects without the fields of later versions, which the document allows: this version has none of them. */
function closeObjects(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closeObjects)
  if (typeof part !== 'object' || part === null) return part
  const entries = Object.entries(part).map(([name, value]) => [name, closeObjects(value)])
  const isClosed = 'properties' in part && 'type' in part && !('additionalProperties' in part)
  return { ...Object.fromEntries(entries), ...(isClosed && { additionalProperties: false }) }
}

/** Asserts that the operation lists the code under the status. Unknown paths and methods have no operation. */
function assertDocumentedCode(
  { components }: ApiDocument,
  operation: ApiOperation | undefined,
  { status, body }: ContractResponse,
  name: string,
): void {
  if (operation === undefined) return
  const listed = operation.responses[status] as ErrorResponse | undefined
  const documented = components?.responses?.[listed?.$ref?.split('/').at(-1) ?? ''] ?? listed
  const { error = '' } = body as { error?: string }
  const isListed = documented?.['x-error-codes']?.includes(error) === true
  assert.ok(
    isListed,
    `operation-codes.ts does not list this code for ${operation.operationId}: ${name}`,
  )
}

/** Asserts that a response is an ApiException with a status and class of docs/errors.md. */
function assertErrorResponse(
  validate: (body: unknown) => boolean,
  response: ContractResponse,
  name: string,
): void {
  const body = response.body as Record<string, unknown>
  assert.ok(validate(body), `not an ApiException: ${name}`)
  const expectedError = ERRORS[body.error as ErrorCode]
  assert.ok(expectedError !== undefined, `unknown code: ${name}`)
  assert.deepEqual(
    [response.status, body.statusCode, body.status],
    [expectedError[0], ...expectedError],
    name,
  )
  for (const fieldErrors of Object.values(body.errors as object)) {
    assert.ok(
      Array.isArray(fieldErrors) && fieldErrors.length > 0,
      `a field without errors: ${name}`,
    )
    for (const fieldError of fieldErrors)
      assert.deepEqual(
        Object.keys(fieldError),
        [
          'code',
          'message',
          ...(/^(?:choice|pending|approved|missing_scope)$/.test(fieldError.code) ? ['value'] : []),
        ],
        name,
      )
  }
  assert.ok(!String(body.path).includes('?'), `a query in the path: ${name}`)
  assert.doesNotMatch(String(body.message), /undefined|\[object/, name)
}

function assertHeaders({ status, body, headers }: ContractResponse, name: string): void {
  assert.match(String(headers['x-request-id']), /^[\w.:;=+/@-]{1,128}$/, `X-Request-Id: ${name}`)
  assert.equal(headers['cache-control'], 'no-store', `Cache-Control: ${name}`)
  assert.match(String(headers['content-type']), /^application\/json/, `Content-Type: ${name}`)
  const challenge = status === 401 ? 'Bearer error="invalid_token"' : undefined
  assert.equal(headers['www-authenticate'], challenge, `WWW-Authenticate: ${name}`)
  const retryAfter = headers['retry-after']
  // Whole seconds (RFC 9110 section 10.2.3), of any length.
  const { error } = (body ?? {}) as { error?: ErrorCode }
  const isRate = status === 429 && error !== 'agent_budget_spent'
  const isTemporary = status === 503 || isRate || error === 'idempotency_in_progress'
  if (isTemporary) assert.match(String(retryAfter), /^[1-9]\d{0,2}$/, `Retry-After: ${name}`)
  else assert.equal(retryAfter, undefined, `Retry-After: ${name}`)
  assert.equal(headers.allow !== undefined, status === 405, `Allow: ${name}`)
}

function isJsonLines({ headers }: ContractResponse): boolean {
  return headers['content-type'] === 'application/jsonl; charset=utf-8'
}

/** Each parameter of the template matches one segment. */
function toPattern(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{[^}]+\}/g, '[^/]*')}$`)
}
