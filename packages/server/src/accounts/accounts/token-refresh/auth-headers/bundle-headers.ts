import {
  fillHeaderTemplate,
  TemplateError,
} from '../../../../integrations/oauth/template/template-value.ts'
import { guardSecret } from '../../../../integrations/oauth/token/client-request.ts'
import { ApiError } from '../../../../platform/errors.ts'
import type { Account } from '../../account.ts'
import { getRunnerTenant } from '../../credentials/check-params.ts'
import type { HeadersResult } from '../../verification/run-headers.ts'
import { type AuthHeaders, createBundleConfig, type Grant } from '../grant.ts'
import type { RefreshCache } from '../refresh-cache.ts'
import type { RefreshDeps } from '../refresh-deps.ts'

/** The cache key for how HEADERS of a bundle behaves: digest and auth type. */
export function getBundleKey(row: Account, { bundleSha256 }: Grant): string {
  return `${bundleSha256} ${row.authType}`
}

/**
 * Whether the spec's templates are all the headers there are: the kit marked them complete, or the bundle has no
 * HEADERS.
 */
export function hasTemplatesOnly(
  { bundlesWithoutHeaders }: Pick<RefreshCache, 'bundlesWithoutHeaders'>,
  row: Account,
  grant: Grant,
): boolean {
  const type = grant.spec.auth_specification[row.authType]
  return type?.['x-headers'] === 'complete' || bundlesWithoutHeaders.has(getBundleKey(row, grant))
}

/** The cache key for how HEADERS behaves for an account: changes with its credentials. */
export function getCredentialsCacheKey(row: Account): string {
  return `${row.accountId} ${row.credentialVersion}`
}

/** Adds a key to a set of bounded size, which is cleared when full. */
export function addWithLimit(set: Set<string>, key: string): void {
  if (set.size >= MAX_KEYS) set.clear()
  set.add(key)
}

/** The parameters of a HEADERS call, without the configuration. */
export function buildHeadersCall(
  { bundles }: Pick<RefreshDeps, 'bundles'>,
  row: Account,
  { bundleSha256, spec, client }: Grant,
) {
  const base = {
    bundle: { sha256: bundleSha256, load: () => bundles.load(bundleSha256) },
    tenant: getRunnerTenant(row),
    hosts: spec['x-hosts'],
  }
  return { ...base, authType: row.authType, secret: guardSecret(client) }
}

const MAX_KEYS = 10_000

/**
 * Returns the headers of HEADERS; for a bundle without HEADERS, the `headers` templates of its spec, filled in.
 *
 * @throws ApiError `integration_bad_output` when the configuration cannot fill a template; it names the field
 */
export function applyHeaderTemplates(
  row: Account,
  grant: Grant,
  { headers }: Pick<HeadersResult, 'headers'>,
): AuthHeaders {
  const templates = grant.spec.auth_specification[row.authType]?.headers
  if (headers !== null || templates === undefined) return { row, grant, headers }
  try {
    const filled = Object.entries(templates).map(
      ([name, template]) =>
        [name, fillHeaderTemplate(String(template), createBundleConfig(grant))] as const,
    )
    return { row, grant, headers: Object.fromEntries(filled) }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new ApiError(
      'integration_bad_output',
      `A header of the integration's spec can't be filled in: ${error.message}`,
      { cause: error },
    )
  }
}
