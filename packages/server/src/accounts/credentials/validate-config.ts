import type { InputProperty, PatternTest, Runner, Tenant } from '@linchpin/runner'
import { type FieldErrors, fieldError, validationFailed } from '../../errors.ts'
import { once } from '../../once.ts'
import { createFormats, findValueError } from './find-value-error.ts'

/** The fields that a spec defines for one auth type: its own inputs and the inputs shared by all types. */
export interface ConfigFields {
  readonly properties: ReadonlyMap<string, InputProperty>
  readonly required: readonly string[]
  /** Whether the spec has a `required` list at all: many published specs have none. */
  readonly declaresRequired: boolean
}

/**
 * Validates a configuration against `required`, types, `enum`, `format` and `pattern` of the spec. Fields that the
 * spec does not declare are accepted.
 *
 * No JSON Schema is compiled: that takes 0.3 ms per field of a spec, and the author of the bundle controls the spec.
 */
export function createValidateConfig(runner: Runner) {
  const getFormats = once(createFormats)
  return async (
    fields: ConfigFields,
    config: Readonly<Record<string, unknown>>,
    tenant: Tenant,
  ): Promise<void> => {
    // Without a prototype, because a field may be named `toString`.
    const errors: Record<string, FieldErrors[string]> = Object.create(null)
    for (const name of fields.required)
      if (!hasValue(config, name))
        Object.assign(errors, fieldError(`config.${name}`, 'required', 'This field is required.'))
    for (const [name, property] of fields.properties) {
      if (!hasValue(config, name)) continue
      const error = findValueError(getFormats, property, config[name])
      if (error !== undefined) errors[`config.${name}`] = [error]
    }
    // Report all errors at once, so that a caller can fix them in one round.
    const allErrors = { ...(await validatePatterns(runner, fields, config, tenant)), ...errors }
    if (Object.keys(allErrors).length > 0) throw validationFailed(allErrors)
  }
}

export type ValidateConfig = ReturnType<typeof createValidateConfig>

function hasValue(config: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(config, name) && config[name] !== undefined
}

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
