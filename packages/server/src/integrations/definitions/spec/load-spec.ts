import { type Runner, RunnerError, type Spec, type Tenant } from '@linchpin/runner'
import { ApiError, fieldError } from '../../../platform/errors.ts'
import { listPatterns, type ValidatedSpec, validateSpec } from './validate-spec.ts'

/**
 * Runs SPEC of a bundle in the sandbox and validates the result. Errors name `field`. What a busy machine may have caused is no
 * verdict about the bundle.
 *
 * @param complete adds what the bundle's own spec lacks; a result that is not valid is ignored
 * @throws ApiError `bundle_invalid`
 * @throws RunnerError `integration_timeout`, `integration_failed` after a crash, `overloaded`
 */
export async function loadSpec(
  runner: Runner,
  sha256: string,
  code: Uint8Array,
  tenant: Tenant,
  field: 'bundle' | 'sourceUrl' = 'sourceUrl',
  complete?: (spec: unknown) => unknown,
): Promise<ValidatedSpec> {
  const bundle = { sha256, load: async () => new TextDecoder().decode(code) }
  try {
    const { value } = await runner.run({ bundle, tenant, command: 'SPEC', params: {} })
    const completed = complete === undefined ? 'incomplete' : validateSpec(complete(value))
    const validated = typeof completed === 'string' ? validateSpec(value) : completed
    if (typeof validated === 'string') throw createBundleInvalidError(field, validated)
    const patterns = listPatterns(validated.spec).map((pattern) => ({ pattern }))
    const results = patterns.length === 0 ? [] : await runner.testPatterns(patterns, tenant)
    if (results.includes('invalid'))
      throw createBundleInvalidError(field, 'its spec contains an invalid regular expression.')
    return validated
  } catch (error) {
    if (error instanceof RunnerError && error.code !== 'overloaded' && error.isConclusive)
      throw createBundleInvalidError(field, error.message, error)
    throw error
  }
}

function createBundleInvalidError(field: string, reason: string, cause?: unknown): ApiError {
  const message = `The bundle cannot be used: ${reason}`
  return new ApiError('bundle_invalid', `${field}: ${message}`, {
    errors: fieldError(field, 'bundle_invalid', message),
    cause,
  })
}

/** The version declared in a spec; undefined if it is absent or invalid. */
export function getSpecVersion({ version }: Spec): string | undefined {
  return typeof version === 'string' && /^[\w.+-]{1,50}$/.test(version) ? version : undefined
}
