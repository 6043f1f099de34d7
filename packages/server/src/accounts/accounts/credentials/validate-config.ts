import type { PatternTest, Runner, Tenant } from '@linchpin/runner'
import { type FieldErrors, fieldError, validationFailed } from '../../../platform/errors.ts'
import { type ConfigFields, createFindValueErrors } from './find-value-errors.ts'

/**
 * Validates a configuration against `required`, types, `enum`, `format` and `pattern` of the spec. Fields that the
 * spec does not declare are accepted.
 *
 * No JSON Schema is compiled: that takes 0.3 ms per field of a spec, and the author of the bundle controls the spec.
 */
export function createValidateConfig(runner: Runner) {
  const findValueErrors = createFindValueErrors()
  return async (
    fields: ConfigFields,
    config: Readonly<Record<string, unknown>>,
    tenant: Tenant,
  ): Promise<void> => {
    // Report all errors at once, so that a caller can fix them in one round.
    const errors = {
      ...(await validatePatterns(runner, fields, config, tenant)),
      ...findValueErrors(fields, config),
    }
    if (Object.keys(errors).length > 0) throw validationFailed(errors)
  }
}

export type ValidateConfig = ReturnType<typeof createValidateConfig>

async function validatePatterns(
  runner: Runner,
  fields: ConfigFields,
  config: Readonly<Record<string, unknown>>,
  tenant: Tenant,
): Promise<FieldErrors> {
  const names: string[] = []
  const tests: PatternTest[] = []
  for (const [name, { pattern }] of fields.properties) {
    const value = Object.hasOwn(config, name) ? config[name] : undefined
    if (pattern === undefined || typeof value !== 'string') continue
    names.push(name)
    tests.push({ pattern, value })
  }
  if (tests.length === 0) return {}
  const results = await runner.testPatterns(tests, tenant)
  const failing = names.filter((_, index) => results[index] === 'no_match')
  const message = 'Does not match the format that the integration requires.'
  return Object.assign(
    {},
    ...failing.map((name) => fieldError(`config.${name}`, 'pattern', message)),
  )
}
