// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { text as readBody } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'
import { elevate } from '../test/elevate.ts'

interface ApiRequest {
  readonly url: string | undefined
  readonly method: string | undefined
  readonly key: unknown
  readonly type: unknown
  readonly body: string
}

describe('/console/connections/:integrationAccountId/request', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  let path: string
  const apiRequests: ApiRequest[] = []
  before(async () => {
    t = await testContext()
    const { 'Api Key': apiKey } = MINI_SPEC.auth_specification
    const code = createMiniBundle({
      api_base_url: `${t.stubServer.url}/api`,
      auth_specification: {
        'Api Key': { ...apiKey, headers: { 'x-api-key': '${api_key}' }, 'x-headers': 'complete' },
      },
    })
    for (const name of ['me', 'text', 'missing'])
      t.stubServer.serve(`/api/${name}`, async (request, response) => {
        apiRequests.push({
          url: request.url,
          method: request.method,
          key: request.headers['x-api-key'],
          type: request.headers['content-type'],
          body: await readBody(request),
        })
        const status = name === 'missing' ? 404 : 200
        const body = name === 'text' ? 'pong' : '{"id":1,"access_token":"tok_canary","name":"<b>"}'
        response.writeHead(status, { 'set-cookie': 'session=cookie_canary' }).end(body)
      })
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Acme', code })
    const account = await t.createAccount(integrationDefinitionId)
    path = `/console/connections/${account.integrationAccountId}/request`
    visitor = await signIn(t)
  })
  after(() => t.close())

  const send = async (fields: Record<string, string>) => {
    apiRequests.length = 0
    await visitor.get(path)
    return visitor.post(path, fields)
  }

  it('leads to a confirmation first, and sends nothing without it', async () => {
    const { text } = await visitor.get(path)
    assert.match(text, /href="\/console\/elevate\?to&#61;/)
    assert.match(text, /<button type="button" class="button primary" disabled/)
    const { visible } = await send({ path: '/me' })
    assert.match(visible, /need a confirmation/)
    assert.equal(apiRequests.length, 0)
    await elevate(t, visitor)
    assert.doesNotMatch((await visitor.get(path)).text, /console\/elevate/)
  })

  it('shows status, time, headers and body; hides values of secrets', async () => {
    const { visible, text } = await send({ path: '/me', query: 'limit=1\nq=a&b' })
    assert.match(visible, /Response 200 OK [\d,]+ ms · 49 B/)
    assert.equal(apiRequests[0]?.url, '/api/me?limit=1&q=a%26b')
    assert.equal(apiRequests[0]?.key, 'key_that_works')
    const outside = text.replace(/<details class="masked">[\s\S]*?<\/details>/g, '')
    assert.match(text, /tok_canary/)
    assert.doesNotMatch(outside, /tok_canary|cookie_canary|<b>"/)
  })

  it('shows a response of the provider with any status', async () => {
    assert.match((await send({ path: 'missing' })).visible, /Response 404 Not Found/)
    assert.match((await send({ path: 'text' })).visible, /pong/)
  })

  it('sends no other method than GET without the tick', async () => {
    const fields = { path: '/me', method: 'POST', body: '{"a":1}', headers: 'X-One: 1' }
    const refused = await send(fields)
    assert.match(refused.visible, /Tick this: the method can change data/)
    assert.match(refused.text, />\{&#34;a&#34;:1\}<\/textarea>/)
    assert.equal(apiRequests.length, 0)
    assert.match((await send({ ...fields, confirmed: '1' })).visible, /200 OK/)
    const [request] = apiRequests
    assert.deepEqual(
      [request?.method, request?.type, request?.body],
      [...['POST', 'application/json', '{"a":1}']],
    )
  })

  it('a link prepares a request, but does not confirm it', async () => {
    const { text } = await visitor.get(`${path}?method=DELETE&path=%2Fme&confirmed=1`)
    assert.match(text, /value="\/me"/)
    assert.doesNotMatch(text, /<input[^>]*name="confirmed"[^>]*checked/)
  })

  it('explains what cannot be sent', async () => {
    assert.match((await send({ path: ' ' })).visible, /Enter a path of the API/)
    assert.match((await send({ path: '../../..' })).visible, /leaves the API/)
    assert.match((await send({ path: '/me', headers: 'nonsense' })).visible, /is not a header/)
    const body = 'x'.repeat(64 * 1024 + 1)
    assert.match((await send({ path: '/me', body })).visible, /longer than 64 kB/)
    const foreign = await send({ path: 'https://other.example/' })
    assert.match(foreign.visible, /No response of the provider .*proxy_target_not_allowed/)
    assert.equal(apiRequests.length, 0)
  })

  it('says at once which right a person lacks', async () => {
    const support = await signIn(t, { role: 'support' })
    const { text, visible } = await support.get(path)
    assert.match(visible, /This needs the right “Send requests”/)
    assert.doesNotMatch(text, /console\/elevate/)
  })

  it('404 for an unknown connection', async () => {
    const unknown = '/console/connections/acc_01kahn2s6kf5arr5d1x6z5cq3b/request'
    assert.equal((await visitor.get(unknown)).status, 404)
  })
})
