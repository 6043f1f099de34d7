import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { itGuards } from '../../../test/access.ts'
import { digest, fine, hasKeys, refused, startWorld, type World } from '../../../test/fixtures.ts'
import { MINI_SPEC, miniBundle } from '../../../test/mini-bundle.ts'
import { NOT_ACCEPTED } from './not-accepted.ts'

describe('POST /v1/integration_account/check', () => {
  let t: World
  let integrationDefinitionId: string
  before(async () => {
    t = await startWorld()
    integrationDefinitionId = String((await t.define()).integrationDefinitionId)
  })
  after(() => t.close())

  const post = (body: unknown, token = t.token) =>
    t.call('POST', '/v1/integration_account/check', { body, token })
  const check = (config: Record<string, unknown>, more: object = {}) =>
    post({
      integrationDefinitionId,
      authType: 'Api Key',
      config: { api_key: 'secret-canary', ...config },
      ...more,
    })
  const says = async (answer: unknown, config: object = {}, status = 200) => {
    t.origin.serve('/told', (_request, response) => {
      response.writeHead(status).end(JSON.stringify(answer))
    })
    return fine(await check({ mode: 'told', base_url: t.origin.url, ...config }))
  }

  it('200: tells that credentials work', async () => {
    assert.deepEqual(fine(await check({ base_url: t.origin.url })), { status: true, error: '' })
  })

  it('200: tells that they do not, as a normal answer', async () => {
    const answer = fine(await check({ base_url: t.origin.url, api_key: 'wrong' }))
    assert.deepEqual(answer, { status: false, error: 'the provider answered 401' })
  })

  it('stores nothing, whatever comes out', async () => {
    const before = await digest(t)
    await check({ base_url: t.origin.url })
    await check({ base_url: t.origin.url, api_key: 'wrong' })
    await check({ mode: 'throw' })
    await check({ unknown: 'x' }, { authType: 'None' })
    assert.equal(await digest(t), before)
  })

  it('gives CHECK the configuration with our authType, never the one inside', async () => {
    let shown = ''
    t.origin.serve('/show', async (request, response) => {
      shown = await text(request)
      response.end()
    })
    const config = { mode: 'show', base_url: t.origin.url, authType: 'Forged', n: [1] }
    assert.equal(fine(await check(config)).status, true)
    assert.deepEqual(JSON.parse(shown), {
      ...config,
      api_key: 'secret-canary',
      authType: 'Api Key',
    })
  })

  describe('what the bundle says', () => {
    it('passes code, field, hint and retryable on, and nothing else', async () => {
      const verdict = {
        status: false,
        error: 'no',
        code: 'bad_key',
        field: 'api_key',
        hint: 'make a new one',
        retryable: false,
      }
      assert.deepEqual(await says({ ...verdict, stack: 'at x', more: {} }), verdict)
    })

    it('leaves out what is no text, and has words of its own for a missing error', async () => {
      const answer = await says({ status: false, error: {}, code: 7, field: null, hint: [] })
      hasKeys(answer, ['status', 'error'])
      assert.ok(answer.error.length > 0)
      assert.deepEqual(await says({ status: false }), answer)
    })

    it('is an empty error when they work, whatever else it says', async () => {
      const answer = await says({ status: true, error: 'well…', code: 'x', hint: 'y' })
      assert.deepEqual(answer, { status: true, error: '' })
    })

    it('is scrubbed of the configuration, as it is and encoded, and cut to 500 characters', async () => {
      const secret = 'p@ss wörd/+&=1'
      const words = [
        secret,
        Buffer.from(secret).toString('base64'),
        Buffer.from(secret).toString('base64url'),
        Buffer.from(`me:${secret}`).toString('base64'),
        encodeURIComponent(secret),
        new URLSearchParams({ a: secret }).toString().slice(2),
        JSON.stringify(secret),
        Buffer.from(secret).toString('hex'),
      ]
      for (const word of words) {
        const text = `before ${word} after`
        const answer = await says(
          { status: false, error: text, code: text, field: text, hint: text },
          { nested: { deep: [secret] } },
        )
        for (const field of ['error', 'code', 'field', 'hint']) {
          assert.match(answer[field], /^before .*\[removed\].* after$/, word)
          assert.ok(!answer[field].includes(word), word)
        }
      }
      const long = await says({ status: false, error: 'x'.repeat(9_999) })
      assert.equal(long.error, 'x'.repeat(500))
    })
  })

  describe('a verdict that is large or has much in it', () => {
    const checkWith = async (verdict: string, config: object) => {
      const code = miniBundle().replace(
        'const modes = {',
        `const modes = { own: () => (${verdict}),`,
      )
      const { integrationDefinitionId } = await t.define({ code })
      const before = process.cpuUsage()
      const answer = fine(await check({ mode: 'own', ...config }, { integrationDefinitionId }))
      const { user, system } = process.cpuUsage(before)
      return { answer, cpuMs: (user + system) / 1_000 }
    }

    it('costs the service less than 2 s of CPU: 900 kB that repeat the start of a secret of 60 kB', async () => {
      for (const base_url of ['a'.repeat(60_000), `${'ab'.repeat(29_999)}c`]) {
        const { answer, cpuMs } = await checkWith(
          `{ status: false, error: '${base_url.slice(0, 2)}'.repeat(450_000), hint: 'x'.repeat(9e4) }`,
          { base_url },
        )
        assert.deepEqual(answer, { status: false, error: '[removed]', hint: 'x'.repeat(500) })
        assert.ok(cpuMs < 2_000, `${cpuMs} ms`)
      }
    })

    it('is told in words of ours beside a configuration of more than 1,000 values', async () => {
      const values = Array.from({ length: 9_000 }, (_, at) => at)
      const { answer, cpuMs } = await checkWith(
        "{ status: false, error: 'bad abcd', code: 'abcd', hint: 'abcd', retryable: false }",
        { lines: values.map((at) => at.toString(36).padStart(4, 'a')).join('\n') },
      )
      assert.deepEqual(answer, { status: false, error: NOT_ACCEPTED, retryable: false })
      assert.ok(cpuMs < 2_000, `${cpuMs} ms`)
    })

    it('502 integration_bad_output: more than 50,000 values', async () => {
      const code = miniBundle().replace(
        'const modes = {',
        'const modes = { wide: () => ({ status: false, more: Array(50_001).fill(0) }),',
      )
      const { integrationDefinitionId } = await t.define({ code })
      refused(await check({ mode: 'wide' }, { integrationDefinitionId }), 'integration_bad_output')
    })
  })

  describe('when the provider is not there to judge', () => {
    const unreachable = async (config: Record<string, unknown>) => {
      const answer = fine(await check(config))
      const { error, ...rest } = answer
      assert.deepEqual(rest, { status: false, code: 'provider_unreachable', retryable: true })
      return error
    }

    it('says so: 429, 500, 503', async () => {
      for (const status of [429, 500, 503]) {
        const url = t.origin.serve(`/${status}/check`, (_request, response) =>
          response.writeHead(status).end(),
        )
        const error = await unreachable({ base_url: url.replace('/check', '') })
        assert.equal(error, `the provider answered ${status}`)
      }
    })

    it('says so: a closed port, and a connection that breaks off', async () => {
      const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as { port: number }
      await unreachable({ base_url: `http://127.0.0.1:${port}` })
      await new Promise((resolve) => server.close(resolve))
      await unreachable({ base_url: `http://127.0.0.1:${port}` })
    })

    it('says so: an address that may not be reached, without a word about it', async () => {
      const error = await unreachable({ base_url: 'http://10.1.2.3' })
      assert.ok(!/private|internal|ECONN/i.test(error), error)
    })

    it('says why in the code of the integration, and what to do; names a field only for its address', async () => {
      const more = { hint: 'wait a minute', field: 'api_key', retryable: false }
      const said = { status: false, error: 'no', hint: 'wait a minute' }
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
      for (const [given, wanted] of cases) {
        const verdict = { status: false, error: 'no', ...more, ...given }
        const field = wanted.code === 'wrong_host' ? { field: 'api_key' } : {}
        assert.deepEqual(await says(verdict, {}, 503), { ...said, ...field, ...wanted })
      }
    })

    it('does not say so when the last exchange was answered', async () => {
      const answer = await says({ status: false, error: 'no' })
      assert.deepEqual(answer, { status: false, error: 'no' })
    })
  })

  describe('when the integration itself is broken', () => {
    for (const [mode, code] of [
      ['throw', 'integration_failed'],
      ['loop', 'integration_timeout'],
      ['never', 'integration_timeout'],
      ['memory', 'integration_limit'],
    ] as const) {
      it(`502 ${code}: ${mode}, and the next check is fine`, async () => {
        const answer = await check({ mode })
        const { errors } = refused(answer, code)
        assert.deepEqual(errors, {})
        assert.ok(!answer.text.includes('secret-canary'))
        assert.ok(!answer.text.includes('it broke'), 'its words stay in the log')
        assert.equal(fine(await check({})).status, true)
      })
    }

    it('502 integration_bad_output: no verdict, or none that is true or false', async () => {
      for (const answer of [null, 7, 'yes', [], {}, { status: 'true' }, { status: 1 }])
        refused(await check({ mode: 'answer', answer }), 'integration_bad_output')
      refused(await check({ mode: 'answer' }), 'integration_bad_output')
    })

    it('502 integration_limit: an answer of more than 1 MB', async () => {
      const code = miniBundle().replace(
        'const modes = {',
        "const modes = { big: () => ({ status: false, error: 'x'.repeat(2e6) }),",
      )
      const big = await t.define({ code })
      const { integrationDefinitionId } = big
      refused(await check({ mode: 'big' }, { integrationDefinitionId }), 'integration_limit')
    })
  })

  describe('refusals', () => {
    itGuards(() => t, 'POST', '/v1/integration_account/check', {
      scope: 'accounts:write',
      body: {},
    })

    it('400: names every field that is missing, wrong or unknown', async () => {
      assert.deepEqual(Object.keys(refused(await post({}), 'validation_failed').errors).sort(), [
        'authType',
        'config',
        'integrationDefinitionId',
      ])
      const wrong = { integrationDefinitionId: 1, authType: [], config: 'x', name: 'a' }
      assert.deepEqual(Object.keys(refused(await post(wrong), 'validation_failed').errors).sort(), [
        'authType',
        'config',
        'integrationDefinitionId',
        'name',
      ])
    })

    it('400 auth_type_not_allowed: names the allowed ones; spelling counts', async () => {
      for (const authType of ['api key', 'Token', '__proto__', 'constructor', 'toString']) {
        const { errors } = refused(await check({}, { authType }), 'auth_type_not_allowed')
        assert.equal(errors.authType[0].message, 'Must be one of "Api Key", "OAuth2".')
      }
    })

    it('400 unknown_reference: foreign, unknown and malformed definitions alike', async () => {
      const { token } = await t.stranger()
      const foreign = await t.define({ token })
      const other = (await t.call('POST', '/v1/workspace', {})).body.workspaceId
      const elsewhere = await t.define({ workspaceId: other })
      const bodies = [
        foreign.integrationDefinitionId,
        elsewhere.integrationDefinitionId,
        'def_00000000000000000000000000',
        'nonsense',
      ].map((id) => check({}, { integrationDefinitionId: id }))
      const answers = (await Promise.all(bodies)).map((answer) => {
        const { timestamp: _, ...rest } = refused(answer, 'unknown_reference')
        return JSON.stringify(rest)
      })
      assert.equal(new Set(answers).size, 1)
    })

    it('403: a workspace that the token does not reach', async () => {
      const { workspaceId } = await t.stranger()
      refused(await check({}, { workspaceId }), 'workspace_not_accessible')
      refused(await check({}, { workspaceId: 'wsp_0' }), 'workspace_not_accessible')
      assert.equal(fine(await check({}, { workspaceId: t.workspaceId })).status, true)
      assert.equal(fine(await check({}, { workspaceId: null })).status, true)
    })
  })

  it('knows auth types and fields that are named like parts of every object', async () => {
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
      ...{ note: MINI_SPEC.auth_specification },
    }
    const { integrationDefinitionId } = await t.define({ code: miniBundle(spec) })
    const body = { integrationDefinitionId, authType: 'constructor' }
    const { errors } = refused(await post({ ...body, config: {} }), 'validation_failed')
    assert.deepEqual(Object.keys(errors).sort(), ['config.hasOwnProperty', 'config.toString'])
    const config = { toString: 'a', hasOwnProperty: 'b' }
    assert.deepEqual(fine(await post({ ...body, config })), { status: true, error: '' })
  })
})
