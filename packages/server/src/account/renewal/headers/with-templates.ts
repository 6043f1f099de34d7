import { ApiError } from '../../../errors.ts'
import { TemplateError } from '../../../oauth/template/template-error.ts'
import { fillText } from '../../../oauth/template/template-value.ts'
import type { AccountRow } from '../../../storage/tables.ts'
import type { HeadersAnswer } from '../../check/run-headers.ts'
import { bundleConfig, type Grant } from '../grant/open-grant.ts'
import type { AccountHeaders } from './account-headers.ts'

/**
 * What HEADERS answered; where the bundle has no HEADERS, the `headers` of its spec, filled.
 *
 * @throws ApiError `integration_bad_output` when the configuration does not fill them
 */
export function withTemplates(
  row: AccountRow,
  grant: Grant,
  { headers }: HeadersAnswer,
): AccountHeaders {
  const templates = grant.spec.auth_specification[row.auth_type]?.headers
  if (headers !== null || templates === undefined) return { row, grant, headers }
  try {
    const filled = Object.entries(templates).map(
      ([name, template]) => [name, fillText(String(template), bundleConfig(grant))] as const,
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
