import { ApiError } from '../../../errors.ts'
import { TemplateError } from '../../../oauth/template/template-error.ts'
import { fillPlaceholders } from '../../../oauth/template/template-value.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import type { HeadersResult } from '../../verification/run-headers.ts'
import { bundleConfig, type Grant } from '../grant/load-grant.ts'
import type { AuthHeaders } from './get-auth-headers.ts'

/**
 * What HEADERS answered; where the bundle has no HEADERS, the `headers` of its spec, filled.
 *
 * @throws ApiError `integration_bad_output` when the configuration does not fill them
 */
export function applyHeaderTemplates(
  row: AccountRow,
  grant: Grant,
  { headers }: HeadersResult,
): AuthHeaders {
  const templates = grant.spec.auth_specification[row.auth_type]?.headers
  if (headers !== null || templates === undefined) return { row, grant, headers }
  try {
    const filled = Object.entries(templates).map(
      ([name, template]) =>
        [name, fillPlaceholders(String(template), bundleConfig(grant))] as const,
    )
    return { row, grant, headers: Object.fromEntries(filled) }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new ApiError(
      'integration_bad_output',
      "The headers of the integration's spec need more.",
      { cause: error },
    )
  }
}
