import type { InputProperty, PatternTest, Runner, Tenant } from '@linchpin/runner'
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { type FieldError, type FieldErrors, fieldError, validationFailed } from '../../errors.ts'
import { toFieldErrors } from '../../http/validation.ts'
import { choicesOf } from './choices-of.ts'
import type { ConfigFields } from './config-fields.ts'

/** Keywords that are judged here. Patterns are not among them: they are the bundle's, so they run in the jail. */
const KEYWORDS = ['minLength', 'maxLength', 'minimum', 'maximum'] as const
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']
const FORMATS: Readonly<Record<string, string>> = {
  uri: 'uri',
  url: 'uri',
  email: 'email',
  hostname: 'hostname',
  date: 'date',
  'date-time': 'date-time',
  uuid: 'uuid',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
}
const MAX_KEPT = 500

/**
 * Judges a configuration by the spec's own `required`, types, `enum`, `format` and `pattern`. Keys that the spec does
 * not know pass.
 */
export function createJudgeConfig(runner: Runner) {
  const ajv = new Ajv({ allErrors: true, strict: false, allowUnionTypes: true })
  addFormats.default(ajv, { mode: 'fast' })
  // The fast judges of dates take the 13th month.
  addFormats.default(ajv, { mode: 'full', formats: ['date', 'date-time'] })
  const kept = new Map<string, ValidateFunction>()

  /** @param id names the fields, so that their judge can be kept: bundle and auth type */
  return async (
    id: string,
    fields: ConfigFields,
    config: Readonly<Record<string, unknown>>,
    tenant: Tenant,
  ): Promise<void> => {
    const validate = kept.get(id) ?? keep(id, fields)
    const errors = validate(config) ? {} : prefixed(toFieldErrors(validate.errors ?? []))
    // All at once: nobody should set one field right to be told of the next.
    const all = { ...(await judgePatterns(runner, fields, config, tenant)), ...errors }
    if (Object.keys(all).length > 0) throw validationFailed(all)
  }

  function keep(id: string, fields: ConfigFields): ValidateFunction {
    const schema = configSchema(fields)
    const validate = ajv.compile(schema)
    // Ajv would hold on to every schema; the bounded map is what keeps them.
    ajv.removeSchema(schema)
    const oldest = kept.size < MAX_KEPT ? undefined : kept.keys().next().value
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(id, validate)
    return validate
  }
}

export type JudgeConfig = ReturnType<typeof createJudgeConfig>

function configSchema(fields: ConfigFields): Record<string, unknown> {
  const properties = Object.fromEntries(
    [...fields.properties].map(([name, property]) => [name, propertySchema(property)]),
  )
  return { type: 'object', properties, required: [...new Set(fields.required)] }
}

/** Only what is known to be harmless is taken over from an untrusted spec. */
function propertySchema(property: InputProperty): Record<string, unknown> {
  const given = property as Readonly<Record<string, unknown>>
  const schema: Record<string, unknown> = {}
  const types = [property.type ?? []].flat().filter((type) => TYPES.includes(type))
  if (types.length > 0) schema.type = [...new Set(types)]
  for (const keyword of KEYWORDS) {
    const value = given[keyword]
    if (isCount(value)) schema[keyword] = value
  }
  const choices = choicesOf(property)
  if (choices !== undefined) schema.enum = eachOnce(choices.map(({ value }) => value))
  const format = FORMATS[property.format ?? '']
  if (format !== undefined) schema.format = format
  return schema
}

/** Ajv takes no list that names a value twice. */
function eachOnce(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value)
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

function prefixed(errors: FieldErrors): FieldErrors {
  const entries = Object.entries(errors).map(([field, faults]): [string, readonly FieldError[]] => [
    field === '' ? 'config' : `config.${field}`,
    faults,
  ])
  return Object.fromEntries(entries)
}
