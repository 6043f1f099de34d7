import { addErrorResponses, type DocumentedOperation } from './add-error-responses.ts'

/** The parts of the OpenAPI document that are completed. */
interface Document {
  paths?: object | undefined
}

interface DocumentedResponse {
  headers?: Record<string, object>
}

/** Adds to the OpenAPI document what the schemas of routes do not state: the codes of errors, and the headers of responses. */
export function completeDocument<T extends Document>(document: T): T {
  const paths = Object.entries((document.paths ?? {}) as Record<string, Methods>)
  for (const [path, methods] of paths)
    for (const [method, operation] of Object.entries(methods)) {
      addErrorResponses(method, path, operation)
      addHeaders(operation)
    }
  return document
}

type Methods = Readonly<Record<string, DocumentedOperation>>

function addHeaders({ parameters = [], responses = {} }: DocumentedOperation): void {
  const hasPages = parameters.some(({ name }) => name === 'cursor')
  for (const [status, response] of Object.entries(responses as Record<string, DocumentedResponse>))
    response.headers = {
      ...response.headers,
      'X-Request-Id': REQUEST_ID,
      ...(hasPages && status === '200' ? { Link: LINK } : {}),
      ...(status === '429' || status === '503' ? { 'Retry-After': RETRY_AFTER } : {}),
      ...(status === '401' ? { 'WWW-Authenticate': WWW_AUTHENTICATE } : {}),
    }
}

const string = { type: 'string' }
const REQUEST_ID = {
  description: 'The ID of the request, which is also in the log.',
  schema: string,
}
const LINK = {
  description: 'The URL of the next page, with `rel="next"` (RFC 8288); absent on the last one.',
  schema: string,
}
const RETRY_AFTER = { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } }
const WWW_AUTHENTICATE = { description: '`Bearer` (RFC 6750, section 3).', schema: string }
