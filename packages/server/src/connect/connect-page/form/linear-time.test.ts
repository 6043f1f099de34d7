import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { measureCpuTimeGrowth } from '../../../../../runner/test/cpu-time-growth.ts'
import { listConfigFields } from '../../../accounts/accounts/credentials/account-config.ts'
import { createValidateConfig } from '../../../accounts/accounts/credentials/validate-config.ts'
import { compareSpecs } from '../../../accounts/upgrades/preview/preview-definition.ts'
import { validateSpec } from '../../../integrations/definitions/spec/validate-spec.ts'
import { buildFormQuery } from '../page/page-context.ts'
import { createAuthMethodReader, createFormFields } from './auth-method.ts'
import { parseForm } from './parse-form.ts'

const SIZES = [15_000, 30_000, 60_000]

function createNamedValues<T>(count: number, prefix: string, value: T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [prefix + at, value]))
}

function createSpec(properties: Record<string, object>, overrides: object = {}) {
  return { auth_specification: { key: { input_specification: { properties } } }, ...overrides }
}

function createFields(properties: Record<string, object>) {
  const fields = listConfigFields(createSpec(properties), 'key')
  assert.ok(fields !== undefined)
  return createFormFields(fields)
}

const ONE_OF_EACH = createFields({ list: { type: 'array' }, number: { type: 'number' } })
const oneField = (name: string, text: string) => () =>
  parseForm(ONE_OF_EACH, new URLSearchParams([[`field.${name}`, text]]))

/** Work of the connect page on about `size` bytes of a visitor or of a spec. */
const WORK: Readonly<Record<string, (size: number) => () => unknown>> = {
  'a list with a run of spaces': (size) => oneField('list', `a${' '.repeat(size)}b`),
  'a list of line breaks': (size) => oneField('list', `a${'\n'.repeat(size)}b`),
  'digits with an invalid end': (size) => oneField('number', `${'1'.repeat(size)}x`),
  'a number of commas and digits': (size) => oneField('number', '1,'.repeat(size / 2)),
  'many fields and many pairs': (size) => {
    const fields = createFields(createNamedValues(size / 40, 'field', {}))
    return () => parseForm(fields, new URLSearchParams('a&'.repeat(size / 2)))
  },
  'a form that repeats its address': (size) => {
    const address = new URLSearchParams(
      Object.keys(createNamedValues(size / 60, 'n', '')).join('&'),
    )
    return () => buildFormQuery(address, new URLSearchParams('a&'.repeat(size / 2)))
  },
  'the fields of a spec': (size) => {
    const properties = createNamedValues(size / 40, 'field', {})
    return () => [validateSpec(createSpec(properties)), createFields(properties)]
  },
  'the first configuration of a spec': (size) => {
    const properties = createNamedValues(size / 80, 'field', {
      type: ['string', 'null'],
      format: 'email',
    })
    const fields = listConfigFields(createSpec(properties), 'key')
    assert.ok(fields !== undefined)
    const config = Object.fromEntries([...fields.properties.keys()].map((name) => [name, 'x']))
    const tenant = { workspaceId: 'w' }
    return () => createValidateConfig(undefined as never)(fields, config, tenant).catch(() => {})
  },
  'two specs to compare': (size) => {
    const createScopes = (prefix: string) => Object.keys(createNamedValues(450, prefix, ''))
    const createTypes = (prefix: string) =>
      createNamedValues(size / 15_000, 'type', { default_scopes: createScopes(prefix) })
    const before = { auth_specification: createTypes('a') }
    const after = { auth_specification: createTypes('b') }
    return () => compareSpecs(before, after)
  },
}

describe('CPU time of the connect page', () => {
  for (const [name, work] of Object.entries(WORK)) {
    it(`is linear and below 100 ms: ${name}`, () => {
      const { ratio, largestMs } = measureCpuTimeGrowth(SIZES, work)
      assert.ok(ratio < 9, `four times the input took ${ratio} times as long`)
      assert.ok(largestMs < 500, `${largestMs} ms`)
    })
  }

  it('validateSpec rejects shared inputs of too many auth types', () => {
    const shared = (count: number) => ({
      auth_specification: createNamedValues(count, 'type', {}),
      other_inputs: { input_specification: { properties: createNamedValues(count, 'field', {}) } },
    })
    const many =
      'its spec has more than 5000 fields, counting those of other_inputs for each auth type.'
    assert.equal(validateSpec(shared(71)), many)
    assert.equal(validateSpec(shared(950)), many)
    assert.equal(typeof validateSpec(shared(70)), 'object')
  })

  it('reading the auth methods of the largest spec takes less than a second', async () => {
    const validated = validateSpec({
      auth_specification: createNamedValues(70, 'type', {}),
      other_inputs: { input_specification: { properties: createNamedValues(70, 'field', {}) } },
    })
    assert.ok(typeof validated === 'object')
    const definition = { bundle_sha256: 'x' }
    const before = process.cpuUsage()
    await createAuthMethodReader()([definition as never], async () => [
      { bundleSha256: 'x', specJson: validated.json, spec: validated.spec },
    ])
    const { user, system } = process.cpuUsage(before)
    assert.ok(user + system < 1_000_000, `${(user + system) / 1_000} ms`)
  })
})
