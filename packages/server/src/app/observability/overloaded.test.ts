import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { expectError, type TestContext, testContext } from '../../../test/test-context.ts'

describe('A workspace whose provider hangs', () => {
  let t: TestContext
  let integrationDefinitionId: string
  const hangingResponses: ServerResponse[] = []
  before(async () => {
    t = await testContext({ sharesRunner: false })
    integrationDefinitionId = (await t.createDefinition()).integrationDefinitionId
    t.stubServer.serve('/hang/check', (_request, response) => void hangingResponses.push(response))
  })
  after(() => t.close())

  const check = (path: string, extra: object = {}) =>
    t.call('POST', '/v1/integration_account/check', {
      body: {
        integrationDefinitionId,
        authType: 'Api Key',
        config: { api_key: 'secret-canary', base_url: `${t.stubServer.url}${path}` },
        ...extra,
      },
    })

  it('503 overloaded with Retry-After for calls above its share, counted in metrics', async () => {
    const responses: Awaited<ReturnType<typeof check>>[] = []
    const calls = Array.from({ length: 60 }, async () => responses.push(await check('/hang')))
    await waitFor(() => responses.length > 0)
    const [first] = responses
    assert.ok(first)
    expectError(first, 'overloaded')
    assert.match(String(first.headers['retry-after']), /^[1-9]\d?$/)
    await waitFor(() => hangingResponses.length > 0)
    const { text } = await t.call('GET', '!/metrics')
    const count = /^linchpin_runner_refused_calls_total\{lane="checks"\} (\d+)$/m.exec(text)
    assert.ok(Number(count?.[1]) > 0, text)
    assert.match(text, /^linchpin_runner_calls\{lane="checks",state="waiting"\} [1-9]/m)
    assert.match(text, /^linchpin_runner_replacements_total 0$/m)
    assert.match(text, /^linchpin_overloaded_responses_total\{scope="tenant"\} [1-9]/m)
    assert.match(text, /^linchpin_overloaded_responses_total\{scope="service"\} 0$/m)
    assert.match(text, /_seconds_count\{method="POST",[^}]*status="503",by="tenant"\} [1-9]/)
    t.stubServer.serve('/hang/check', (_request, response) => void response.end('{}'))
    const releaseTimer = setInterval(() => {
      for (const response of hangingResponses.splice(0)) response.end('{}')
    }, 100)
    await Promise.all(calls)
    clearInterval(releaseTimer)
    assert.ok(responses.every(({ status }) => status === 200 || status === 503))
  })

  it('400, 401: other errors take precedence over the overload', async () => {
    const disallowed = await check('/hang', { authType: 'None' })
    expectError(disallowed, 'auth_type_not_allowed')
    const unauthenticated = await t.call('POST', '/v1/integration_account/check', {
      token: 'x',
      body: {},
    })
    expectError(unauthenticated, 'token_invalid')
  })
})

async function waitFor(condition: () => boolean): Promise<void> {
  const end = Date.now() + 30_000
  while (!condition()) {
    assert.ok(Date.now() < end, `waited too long for ${condition}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
