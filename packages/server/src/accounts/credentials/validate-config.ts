import type { PatternTest, Runner, Tenant } from '@linchpin/runner'
import { type FieldErrors, fieldError, validationFailed } from '../../errors.ts'
import type { ConfigFields } from './config-fields.ts'
import { createValidateValue } from './validate-value.ts'

/**
 * Judges a configuration by the spec's own `required`, types, `enum`, `format` and `pattern`. Keys that the spec does
 * not know pass.
 *
 * Nothing is compiled: a compiler of schemas takes 0.3 ms for each field of a spec, and the spec is the bundle's.
 */
export function createValidateConfig(runner: Runner) {
  const validateValue = createValidateValue()
  return async (
    fields: ConfigFields,
    config: Readonly<Record<string, unknown>>,
    tenant: Tenant,
  ): Promise<void> => {
    // No prototype: a field may be called `toString`.
    const errors: Record<string, FieldErrors[string]> = Object.create(null)
    for (const name of fields.required)
      if (!hasValue(config, name))
        Object.assign(errors, fieldError(`config.${name}`, 'required', 'This field is required.'))
    for (const [name, property] of fields.properties) {
      const valueError = hasValue(config, name) ? validateValue(property, config[name]) : undefined
      if (valueError !== undefined) errors[`config.${name}`] = [valueError]
    }
    // All at once: nobody should set one field right to be told of the next.
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
  const message = 'Does not have the form that the integration asks for.'
  return Object.assign(
    {},
    ...failing.map((name) => fieldError(`config.${name}`, 'pattern', message)),
  )
}
