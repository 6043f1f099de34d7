import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { Ajv2020 as Ajv } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { AnyBody } from '../../../test/any-body.ts'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { expectOk } from '../../../test/test-context.ts'
import { ERRORS, type ErrorCode } from '../../platform/error-codes.ts'
import { OPERATION_CODES } from './operation-codes.ts'

/** The required operations of the interface document, by operationId. */
const REQUIRED_OPERATIONS: Readonly<Record<string, string>> = {
  createLink: 'POST /v1/link',
  getLink: 'GET /v1/link/{linkId}',
  createDefinition: 'POST /v1/integration_definition',
  getDefinition: 'GET /v1/integration_definition/{integrationDefinitionId}',
  getDefinitionSpec: 'GET /v1/integration_definition/{integrationDefinitionId}/spec',
  createAccount: 'POST /v1/integration_account',
  checkAccount: 'POST /v1/integration_account/check',
  getAccount: 'GET /v1/integration_account/{integrationAccountId}',
  listAccounts: 'GET /v1/integration_account',
  deleteAccount: 'DELETE /v1/integration_account/{integrationAccountId}',
  getUser: 'GET /v1/user',
}

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly responses: Readonly<Record<string, unknown>>
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
}

// The types of the package are narrower than what the linter accepts.
const OAS_RULESET = rulesets.oas as unknown as RulesetDefinition

describe('GET /api/openapi.json', () => {
  let t: TestApp
  let document: AnyBody
  let operations: { name: string; operation: Operation }[]
  before(async () => {
    t = await testApp()
    document = expectOk(await t.call('GET', '!/api/openapi.json', { token: null }))
    operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          name: `${method.toUpperCase()} ${path.replace(/^\/api/, '')}`,
          operation: { ...operation, responses: resolveResponses(operation) },
        })),
    )
    assert.ok(operations.length >= 11)

    function resolveResponses({ responses }: Operation) {
      const entries = Object.entries<AnyBody>(responses).map(([status, response]) => [
        status,
        document.components.responses[response.$ref?.split('/').at(-1)] ?? response,
      ])
      return Object.fromEntries(entries)
    }
  })
  after(() => t.close())

  it('is OpenAPI 3.1 without lint errors, warnings or hints', async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({
      extends: [OAS_RULESET],
      // The tags are in the order in which a newcomer meets them.
      rules: { 'oas3-parameter-description': 'warn', 'openapi-tags-alphabetical': 'off' },
    })
    assert.equal(document.openapi, '3.1.0')
    const findings = await linter.run(document)
    assert.deepEqual(
      findings.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`),
      [],
    )
  })

  it('the linter reports an invalid document: one without a server', async () => {
    const linter = new spectral.Spectral()
    linter.setRuleset({ extends: [OAS_RULESET] })
    const { openapi, info } = document
    assert.notEqual((await linter.run({ openapi, info, paths: {} })).length, 0)
  })

  it('has every operation of the interface under its operationId', () => {
    const found = new Map(operations.map(({ name, operation }) => [operation.operationId, name]))
    for (const [operationId, name] of Object.entries(REQUIRED_OPERATIONS))
      assert.equal(found.get(operationId), name)
  })

  it('describes every operation and its error responses', () => {
    for (const { name, operation } of operations) {
      assert.ok(operation.summary.length > 5, name)
      assert.ok(operation.description.length > 10, name)
      assert.equal(operation.tags.length, 1, name)
      const statuses = Object.keys(operation.responses)
      const success = statuses.filter((status) => status.startsWith('2'))
      assert.equal(success.length, 1, name)
      const failures = statuses.filter((status) => !status.startsWith('2'))
      for (const status of ['400', '401', '403', '429', '500', '503', 'default'])
        assert.ok(failures.includes(status), `${name}: ${status}`)
    }
  })

  it('lists the codes of each error with its status and an example, and the headers of responses', () => {
    for (const { name, operation } of operations)
      for (const [status, response] of Object.entries<AnyBody>(operation.responses)) {
        assert.ok(response.headers['X-Request-Id'], `${name} ${status}`)
        if (!/^[45]/.test(status)) continue
        const codes: ErrorCode[] = response['x-error-codes']
        assert.ok(codes.length > 0, `${name} ${status}`)
        for (const code of codes) assert.equal(ERRORS[code][0], Number(status), name)
        const { example } = response.content['application/json']
        assert.deepEqual([example.error, example.statusCode], [codes[0], Number(status)], name)
        assert.equal('Retry-After' in response.headers, status === '429' || status === '503', name)
      }
    const listed = new Set(Object.keys(OPERATION_CODES))
    for (const { operation } of operations) listed.delete(operation.operationId)
    assert.deepEqual([...listed], [], 'codes of operations that do not exist')
    assert.ok(document.paths['/api/v1/link'].get.responses[200].headers.Link)
  })

  it('lists 201 for create operations and 200 for all others', () => {
    for (const { operation } of operations) {
      const isCreate = operation.operationId.startsWith('create')
      assert.ok(operation.responses[isCreate ? 201 : 200] !== undefined, operation.operationId)
    }
  })

  it('has a valid example for every named schema', () => {
    const ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi')
    let count = 0
    for (const [name, schema] of Object.entries<{ examples?: unknown[] }>(
      document.components.schemas,
    )) {
      assert.ok(schema.examples !== undefined && schema.examples.length > 0, name)
      const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}` })
      for (const example of schema.examples) {
        assert.ok(validate(example), `${name}: ${ajv.errorsText(validate.errors)}`)
        count++
      }
    }
    assert.ok(count >= 20, 'examples were found')
  })

  it('requires the bearer token for every operation', () => {
    assert.deepEqual(document.security, [{ bearer: [] }])
    assert.equal(document.components.securitySchemes.bearer.scheme, 'bearer')
    for (const { operation } of operations) assert.ok(!('security' in operation))
  })

  it('has the public base URL as its server', () => {
    assert.deepEqual(document.servers, [{ url: 'http://localhost:3000' }])
  })

  it('is not cached', async () => {
    const response = await t.call('GET', '!/api/openapi.json', { token: null })
    assert.equal(response.headers['cache-control'], 'no-store')
  })
})
