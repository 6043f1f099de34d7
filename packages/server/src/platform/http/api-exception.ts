import Type from 'typebox'
import { ERRORS } from '../error-codes.ts'
import type { ApiError } from '../errors.ts'

const FieldError = Type.Object(
  {
    code: Type.String({ description: 'The stable code of the mistake.' }),
    message: Type.String({ description: 'A sentence for the caller. May change.' }),
  },
  { description: 'A mistake in a field.' },
)

/** The body of every error response (interface: ApiException). */
export const ApiException = Type.Object(
  {
    statusCode: Type.Number({ description: 'The HTTP status.' }),
    message: Type.String({ description: 'A human-readable sentence. May change.' }),
    status: Type.String({
      'x-known-values': [...new Set(Object.values(ERRORS).map(([, errorClass]) => errorClass))],
      description: 'The class of the error.',
    }),
    error: Type.String({
      'x-known-values': Object.keys(ERRORS),
      description: 'The stable code of the error. Branch on it.',
    }),
    errors: Type.Object(
      {},
      {
        additionalProperties: { type: 'array', items: FieldError },
        description:
          'Field path to a list of { code, message }. Empty when the error concerns no field.',
      },
    ),
    timestamp: Type.String({ format: 'date-time', description: 'The time of the response.' }),
    path: Type.String({ description: 'The request path, without its query.' }),
  },
  {
    $id: 'ApiException',
    additionalProperties: false,
    description: 'An error. docs/errors.md documents every code.',
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

/** Converts an error to the body of its response. Link ids are capabilities, so `path` has only their first letters. */
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

/** The path of a URL without secrets, for responses and logs. */
function redactPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  return path.slice(0, 512).replaceAll(/((?:lnk|cnt)_[^/]{4})[^/]+/g, '$1')
}
