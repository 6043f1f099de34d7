import Type from 'typebox'
import { type ApiError, ERRORS } from '../errors.ts'

/** The error body of every refusal (interface: ApiException). */
export const ApiException = Type.Object(
  {
    statusCode: Type.Number({ description: 'The HTTP status.' }),
    message: Type.String({ description: 'A sentence for people. May change.' }),
    status: Type.String({ description: 'The class of the failure.' }),
    error: Type.String({ description: 'The stable code. Branch on this one.' }),
    errors: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Field path to a list of { code, message }. Empty when no field is at fault.',
      },
    ),
    timestamp: Type.String({ format: 'date-time' }),
    path: Type.String({ description: 'The request path, without its query.' }),
  },
  {
    $id: 'ApiException',
    additionalProperties: false,
    description: 'What went wrong. docs/errors.md explains every code.',
    examples: [
      {
        statusCode: 404,
        message: 'There is no such link.',
        status: 'NOT_FOUND',
        error: 'link_not_found',
        errors: {},
        timestamp: '2026-11-21T10:00:00.000Z',
        path: '/api/v1/link/lnk_3f9k',
      },
    ],
  },
)

/** Writes a failure as the interface's error body. Link ids are capabilities: paths show their first letters only. */
export function toApiException(error: ApiError, url: string, now: number): Record<string, unknown> {
  const [statusCode, status] = ERRORS[error.code]
  return {
    statusCode,
    message: error.message,
    status,
    error: error.code,
    errors: error.errors,
    timestamp: new Date(now).toISOString(),
    path: redactPath(url),
  }
}

/** The path of a URL as it may stand in answers and logs. */
function redactPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  return path.slice(0, 512).replaceAll(/(lnk_[^/]{4})[^/]+/g, '$1')
}
