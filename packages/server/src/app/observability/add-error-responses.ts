import { ERRORS, type ErrorCode } from '../../platform/error-codes.ts'
import { ERROR_MEANINGS } from './error-meanings.ts'
import {
  BODY_CODES,
  COMMON_CODES,
  KEYED_CODES,
  OPERATION_CODES,
  WRITE_CODES,
} from './operation-codes.ts'

/** The parts of an operation of the OpenAPI document that its error responses depend on. */
export interface DocumentedOperation {
  readonly operationId?: string
  readonly parameters?: readonly { readonly name?: string }[]
  readonly requestBody?: unknown
  responses?: Record<string, unknown>
}

/**
 * Replaces the error responses of an operation: one for each status, with the codes that it may have (`x-error-codes`), what
 * they mean, and an example. `default` stands for codes of later versions.
 */
export function addErrorResponses(
  method: string,
  path: string,
  operation: DocumentedOperation,
): void {
  const statuses = Map.groupBy(listCodes(method, operation), (code) => ERRORS[code][0])
  const errors = [...statuses].sort(([one], [other]) => one - other)
  const success = Object.entries(operation.responses ?? {}).filter(([name]) => name.startsWith('2'))
  operation.responses = {
    ...Object.fromEntries(success),
    ...Object.fromEntries(errors.map(([status, codes]) => [status, describe(codes, path)])),
    default: { description: 'A code of a later version.', content: toContent(undefined) },
  }
}

/** The codes that an operation may answer, its own first. */
function listCodes(method: string, operation: DocumentedOperation): ErrorCode[] {
  const { operationId = '', parameters = [], requestBody } = operation
  const isKeyed = parameters.some(({ name }) => name === 'Idempotency-Key')
  return [
    ...new Set([
      ...(OPERATION_CODES[operationId] ?? []),
      ...(requestBody === undefined ? [] : BODY_CODES),
      ...(isKeyed ? KEYED_CODES : []),
      ...(method === 'get' ? [] : WRITE_CODES),
      ...COMMON_CODES,
    ]),
  ]
}

function describe(codes: readonly ErrorCode[], path: string) {
  const [first] = codes
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code]}`).join('\n\n'),
    'x-error-codes': codes,
    content: toContent(first && createExample(first, path)),
  }
}

function toContent(example: object | undefined) {
  const schema = { $ref: '#/components/schemas/ApiException' }
  return { 'application/json': { schema, ...(example && { example }) } }
}

function createExample(code: ErrorCode, path: string) {
  const [statusCode, status] = ERRORS[code]
  return {
    statusCode,
    message: ERROR_MEANINGS[code],
    status,
    error: code,
    errors: {},
    timestamp: '2026-11-21T10:00:00.000Z',
    path,
  }
}
