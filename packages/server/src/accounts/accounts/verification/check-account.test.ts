import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { itRequiresScope } from '../../../../test/it-requires-scope.ts'
import { createMiniBundle, MINI_SPEC } from '../../../../test/mini-bundle.ts'
import {
  expectError,
  expectKeys,
  expectOk,
  hashAllTables,
  type TestContext,
  testContext,
} from '../../../../test/test-context.ts'
import { DEFAULT_REJECTION_MESSAGE } from './run-check.ts'

describe('POST /v1/integration_account/check', () => {
  let t: TestContext
  let integrationDefinitionId: string
  before(async () => {
    t = await testContext()
    integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  const post = (body: unknown, token = t.token) =>
    t.call('POST', '/v1/integration_account/check', { body, token })
  const check = (config: Record<string, unknown>, overrides: object = {}) =>
    post({
      integrationDefinitionId,
      authType: 'Api Key',
      config: { api_key: 'secret-canary', ...config },
      ...overrides,
    })
  const checkWithBundleResult = async (
    bundleResult: unknown,
    config: object = {},
    status = 200,
  ) => {
    t.stubServer.serve('/told', (_request, response) => {
      response.writeHead(status).end(JSON.stringify(bundleResult))
    })
    return expectOk(await check({ mode: 'told', base_url: t.stubServer.url, ...config }))
  }

  it('POST /v1/integration_account/check: 200 with status true for valid credentials', async () => {
    assert.deepEqual(expectOk(await check({ base_url: t.stubServer.url })), {
      status: true,
      error: '',
    })
  })

  it('POST /v1/integration_account/check: 200 with status false for invalid credentials', async () => {
    const result = expectOk(await check({ base_url: t.stubServer.url, api_key: 'wrong' }))
    assert.deepEqual(result, { status: false, error: 'the provider answered 401' })
  })

  it('POST /v1/integration_account/check: stores nothing, whatever the result', async () => {
    const before = await hashAllTables(t)
    await check({ base_url: t.stubServer.url })
    await check({ base_url: t.stubServer.url, api_key: 'wrong' })
    await check({ mode: 'throw' })
    await check({ unknown: 'x' }, { authType: 'None' })
    assert.equal(await hashAllTables(t), before)
  })

  it('POST /v1/integration_account/check: CHECK receives the authType of the request, never one inside the configuration', async () => {
    let received = ''
    t.stubServer.serve('/show', async (request, response) => {
      received = await text(request)
      response.end()
    })
    const config = { mode: 'show', base_url: t.stubServer.url, authType: 'Forged', n: [1] }
    assert.equal(expectOk(await check(config)).status, true)
    assert.deepEqual(JSON.parse(received), {
      ...config,
      api_key: 'secret-canary',
      authType: 'Api Key',
    })
  })

  describe('Results of CHECK', () => {
    it('the check response contains code, field, hint and retryable, and nothing else', async () => {
      const expected = {
        status: false,
        error: 'no',
        code: 'bad_key',
        field: 'api_key',
        hint: 'make a new one',
        retryable: false,
      }
      assert.deepEqual(
        await checkWithBundleResult({ ...expected, stack: 'at x', more: {} }),
        expected,
      )
    })

    it('the check response has no U+0000, which PostgreSQL does not store', async () => {
      const result = { status: false, error: 'a\0b', code: 'c\0', field: '\0', hint: 'd\0' }
      const [error, code, field, hint] = ['a\u{FFFD}b', 'c\u{FFFD}', '\u{FFFD}', 'd\u{FFFD}']
      assert.deepEqual(await checkWithBundleResult(result), {
        status: false,
        error,
        code,
        field,
        hint,
      })
    })

    it('the check response omits non-string values and has a default for a missing error', async () => {
      const result = await checkWithBundleResult({
        status: false,
        error: {},
        code: 7,
        field: null,
        hint: [],
      })
      expectKeys(result, ['status', 'error'])
      assert.ok(result.error.length > 0)
      assert.deepEqual(await checkWithBundleResult({ status: false }), result)
    })

    it('the check response for valid credentials has an empty error, whatever CHECK returns', async () => {
      const result = await checkWithBundleResult({
        status: true,
        error: 'well…',
        code: 'x',
        hint: 'y',
      })
      assert.deepEqual(result, { status: true, error: '' })
    })

    it('messages of CHECK are scrubbed of configuration values, plain and encoded, and truncated to 500 characters', async () => {
      const secret = 'p@ss wörd/+&=1'
      const encodings = [
        secret,
        Buffer.from(secret).toString('base64'),
        Buffer.from(secret).toString('base64url'),
        Buffer.from(`me:${secret}`).toString('base64'),
        encodeURIComponent(secret),
        new URLSearchParams({ a: secret }).toString().slice(2),
        JSON.stringify(secret),
        Buffer.from(secret).toString('hex'),
      ]
      for (const encoding of encodings) {
        const text = `before ${encoding} after`
        const result = await checkWithBundleResult(
          { status: false, error: text, code: text, field: text, hint: text },
          { nested: { deep: [secret] } },
        )
        for (const field of ['error', 'code', 'field', 'hint']) {
          assert.match(result[field], /^before .*\[removed\].* after$/, encoding)
          assert.ok(!result[field].includes(encoding), encoding)
        }
      }
      const long = await checkWithBundleResult({ status: false, error: 'x'.repeat(9_999) })
      assert.equal(long.error, 'x'.repeat(500))
    })
  })

  describe('Large results of CHECK', () => {
    const checkWith = async (bundleResult: string, config: object) => {
      const code = createMiniBundle().replace(
        'const modes = {',
        `const modes = { own: () => (${bundleResult}),`,
      )
      const { integrationDefinitionId } = await t.createDefinition({ code })
      const before = process.cpuUsage()
      const result = expectOk(await check({ mode: 'own', ...config }, { integrationDefinitionId }))
      const { user, system } = process.cpuUsage(before)
      return { answer: result, cpuMs: (user + system) / 1_000 }
    }

    it('scrubbing a result of 900 kB that repeats the start of a 60 kB secret takes less than 2 s of CPU', async () => {
      for (const base_url of ['a'.repeat(60_000), `${'ab'.repeat(29_999)}c`]) {
        const { answer: result, cpuMs } = await checkWith(
          `{ status: false, error: '${base_url.slice(0, 2)}'.repeat(450_000), hint: 'x'.repeat(9e4) }`,
          { base_url },
        )
        assert.deepEqual(result, { status: false, error: '[removed]', hint: 'x'.repeat(500) })
        assert.ok(cpuMs < 2_000, `${cpuMs} ms`)
      }
    })

    it('the result for a configuration of more than 1,000 values has the default message', async () => {
      const values = Array.from({ length: 9_000 }, (_, at) => at)
      const { answer: result, cpuMs } = await checkWith(
        "{ status: false, error: 'bad abcd', code: 'abcd', hint: 'abcd', retryable: false }",
        { lines: values.map((at) => at.toString(36).padStart(4, 'a')).join('\n') },
      )
      assert.deepEqual(result, {
        status: false,
        error: DEFAULT_REJECTION_MESSAGE,
        retryable: false,
      })
      assert.ok(cpuMs < 2_000, `${cpuMs} ms`)
    })

    it('502 integration_bad_output for a result of more than 50,000 values', async () => {
      const code = createMiniBundle().replace(
        'const modes = {',
        'const modes = { wide: () => ({ status: false, more: Array(50_001).fill(0) }),',
      )
      const { integrationDefinitionId } = await t.createDefinition({ code })
      expectError(
        await check({ mode: 'wide' }, { integrationDefinitionId }),
        'integration_bad_output',
      )
    })
  })

  describe('CHECK with an unreachable provider', () => {
    const checkUnreachable = async (config: Record<string, unknown>) => {
      const result = expectOk(await check(config))
      const { error, ...rest } = result
      assert.deepEqual(rest, { status: false, code: 'provider_unreachable', retryable: true })
      return error
    }

    it('the code is provider_unreachable for responses with status 429, 500 and 503', async () => {
      for (const status of [429, 500, 503]) {
        const url = t.stubServer.serve(`/${status}/check`, (_request, response) =>
          response.writeHead(status).end(),
        )
        const error = await checkUnreachable({ base_url: url.replace('/check', '') })
        assert.equal(error, `the provider answered ${status}`)
      }
    })

    it('the code is provider_unreachable for a closed port and a dropped connection', async () => {
      const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as { port: number }
      await checkUnreachable({ base_url: `http://127.0.0.1:${port}` })
      await new Promise((resolve) => server.close(resolve))
      await checkUnreachable({ base_url: `http://127.0.0.1:${port}` })
    })

    it('the code is provider_unreachable for a forbidden address, with no detail about it', async () => {
      const error = await checkUnreachable({ base_url: 'http://10.1.2.3' })
      assert.ok(!/private|internal|ECONN/i.test(error), error)
    })

    it('the check response has the code and hint of the integration, and the field only with wrong_host', async () => {
      const overrides = { hint: 'wait a minute', field: 'api_key', retryable: false }
      const expected = { status: false, error: 'no', hint: 'wait a minute' }
      const cases = [
        [{ code: 'rate_limited' }, { code: 'rate_limited', retryable: true }],
        [{ code: 'provider_unreachable' }, { code: 'provider_unreachable', retryable: true }],
        [
          { code: 'wrong_host', retryable: true },
          { code: 'wrong_host', retryable: false },
        ],
        [{ code: 'invalid_credentials' }, { code: 'provider_unreachable', retryable: true }],
        [{ code: 7 }, { code: 'provider_unreachable', retryable: true }],
      ] as const
      for (const [bundleFields, expectedFields] of cases) {
        const bundleResult = { status: false, error: 'no', ...overrides, ...bundleFields }
        const field = expectedFields.code === 'wrong_host' ? { field: 'api_key' } : {}
        assert.deepEqual(await checkWithBundleResult(bundleResult, {}, 503), {
          ...expected,
          ...field,
          ...expectedFields,
        })
      }
    })

    it('the code is not provider_unreachable if the last exchange was answered', async () => {
      const result = await checkWithBundleResult({ status: false, error: 'no' })
      assert.deepEqual(result, { status: false, error: 'no' })
    })
  })

  describe('CHECK with a broken integration', () => {
    for (const [mode, code] of [
      ['throw', 'integration_failed'],
      ['loop', 'integration_timeout'],
      ['never', 'integration_timeout'],
      ['memory', 'integration_limit'],
    ] as const) {
      it(`502 ${code} for a bundle in mode ${mode}; the next check succeeds`, async () => {
        const response = await check({ mode })
        const { errors } = expectError(response, code)
        assert.deepEqual(errors, {})
        assert.ok(!response.text.includes('secret-canary'))
        assert.ok(
          !response.text.includes('it broke'),
          'the message of the bundle appears only in the log',
        )
        assert.equal(expectOk(await check({})).status, true)
      })
    }

    it('502 integration_bad_output for a missing or non-boolean status', async () => {
      for (const invalidResult of [null, 7, 'yes', [], {}, { status: 'true' }, { status: 1 }])
        expectError(
          await check({ mode: 'answer', answer: invalidResult }),
          'integration_bad_output',
        )
      expectError(await check({ mode: 'answer' }), 'integration_bad_output')
    })

    it('502 integration_limit for a result of more than 1 MB', async () => {
      const code = createMiniBundle().replace(
        'const modes = {',
        "const modes = { big: () => ({ status: false, error: 'x'.repeat(2e6) }),",
      )
      const largeDefinition = await t.createDefinition({ code })
      const { integrationDefinitionId } = largeDefinition
      expectError(await check({ mode: 'big' }, { integrationDefinitionId }), 'integration_limit')
    })
  })

  describe('Rejected requests', () => {
    itRequiresScope(() => t, 'POST', '/v1/integration_account/check', {
      scope: 'accounts:write',
      body: {},
    })

    it('POST /v1/integration_account/check: 400 lists every missing, invalid or unknown field', async () => {
      assert.deepEqual(
        Object.keys(expectError(await post({}), 'validation_failed').errors).sort(),
        ['authType', 'config', 'integrationDefinitionId'],
      )
      const wrong = { integrationDefinitionId: 1, authType: [], config: 'x', name: 'a' }
      assert.deepEqual(
        Object.keys(expectError(await post(wrong), 'validation_failed').errors).sort(),
        ['authType', 'config', 'integrationDefinitionId', 'name'],
      )
    })

    it('POST /v1/integration_account/check: 400 auth_type_not_allowed lists the allowed types, case-sensitive', async () => {
      for (const authType of ['api key', 'Token', '__proto__', 'constructor', 'toString']) {
        const { errors } = expectError(await check({}, { authType }), 'auth_type_not_allowed')
        assert.equal(errors.authType[0].message, 'Must be one of "Api Key", "OAuth2".')
      }
    })

    it('POST /v1/integration_account/check: 400 unknown_reference for foreign, unknown and malformed definitions alike', async () => {
      const { token } = await t.otherUser()
      const foreign = await t.createDefinition({ token })
      const other = (await t.call('POST', '/v1/workspace', {})).body.workspaceId
      const otherDefinition = await t.createDefinition({ workspaceId: other })
      const bodies = [
        foreign.integrationDefinitionId,
        otherDefinition.integrationDefinitionId,
        'def_00000000000000000000000000',
        'nonsense',
      ].map((id) => check({}, { integrationDefinitionId: id }))
      const messages = (await Promise.all(bodies)).map((response) => {
        const { timestamp: _, ...rest } = expectError(response, 'unknown_reference')
        return JSON.stringify(rest)
      })
      assert.equal(new Set(messages).size, 1)
    })

    it('POST /v1/integration_account/check: 403 for a workspace that the token cannot access', async () => {
      const { workspaceId } = await t.otherUser()
      expectError(await check({}, { workspaceId }), 'workspace_not_accessible')
      expectError(await check({}, { workspaceId: 'wsp_0' }), 'workspace_not_accessible')
      assert.equal(expectOk(await check({}, { workspaceId: t.workspaceId })).status, true)
      assert.equal(expectOk(await check({}, { workspaceId: null })).status, true)
    })
  })

  it('POST /v1/integration_account/check: accepts auth types and fields named like members of Object.prototype', async () => {
    const spec = {
      auth_specification: {
        constructor: {
          input_specification: {
            type: 'object',
            required: ['toString', 'hasOwnProperty'],
            properties: { toString: { type: 'string' }, hasOwnProperty: { type: 'string' } },
          },
        },
      },
      note: MINI_SPEC.auth_specification,
    }
    const { integrationDefinitionId } = await t.createDefinition({ code: createMiniBundle(spec) })
    const body = { integrationDefinitionId, authType: 'constructor' }
    const { errors } = expectError(await post({ ...body, config: {} }), 'validation_failed')
    assert.deepEqual(Object.keys(errors).sort(), ['config.hasOwnProperty', 'config.toString'])
    const config = { toString: 'a', hasOwnProperty: 'b' }
    assert.deepEqual(expectOk(await post({ ...body, config })), { status: true, error: '' })
  })
})
