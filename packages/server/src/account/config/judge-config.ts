import type { PatternTest, Runner, Tenant } from '@linchpin/runner'
import { type FieldErrors, fieldError, validationFailed } from '../../errors.ts'
import type { ConfigFields } from './config-fields.ts'
import { createValueFault } from './value-fault.ts'

/**
 * Judges a configuration by the spec's own `required`, types, `enum`, `format` and `pattern`. Keys that the spec does
 * not know pass.
 *
 * Nothing is compiled: a compiler of schemas takes 0.3 ms for each field of a spec, and the spec is the bundle's.
 */
export function createJudgeConfig(runner: Runner) {
  const valueFault = createValueFault()
  return async (
    fields: ConfigFields,
    config: Readonly<Record<string, unknown>>,
    tenant: Tenant,
  ): Promise<void> => {
    // No prototype: a field may be called `toString`.
    const errors: Record<string, FieldErrors[string]> = Object.create(null)
    for (const name of fields.required)
      if (!isGiven(config, name))
        Object.assign(errors, fieldError(`config.${name}`, 'required', 'This field is required.'))
    for (const [name, property] of fields.properties) {
      const fault = isGiven(config, name) ? valueFault(property, config[name]) : undefined
      if (fault !== undefined) errors[`config.${name}`] = [fault]
    }
    // All at once: nobody should set one field right to be told of the next.
    const all = { ...(await judgePatterns(runner, fields, config, tenant)), ...errors }
    if (Object.keys(all).length > 0) throw validationFailed(all)
  }
}

export type JudgeConfig = ReturnType<typeof createJudgeConfig>

function isGiven(config: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(config, name) && config[name] !== undefined
}

async function judgePatterns(
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
  const verdicts = await runner.testPatterns(tests, tenant)
  const wrong = names.filter((_, index) => verdicts[index] === 'no_match')
  const message = 'Does not have the form that the integration asks for.'
  return Object.assign({}, ...wrong.map((name) => fieldError(`config.${name}`, 'pattern', message)))
}
