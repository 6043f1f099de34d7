// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs use this syntax
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createMiniBundle, MINI_SPEC } from '../../../test/mini-bundle.ts'
import { expectOk, type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'
import { elevate } from '../test/elevate.ts'

describe('The debug window of /console/connections/:integrationAccountId', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  let id: string
  let path: string
  before(async () => {
    t = await testContext({ requestLog: 'all' })
    const { 'Api Key': apiKey } = MINI_SPEC.auth_specification
    const code = createMiniBundle({
      api_base_url: `${t.stubServer.url}/api`,
      auth_specification: {
        'Api Key': { ...apiKey, headers: { 'x-api-key': '${api_key}' }, 'x-headers': 'complete' },
      },
    })
    t.stubServer.serve('/api/issues', (_request, response) =>
      response
        .writeHead(422, { 'content-type': 'application/json', 'x-request-token': 'header_canary' })
        .end('{"message":"<b>summary is missing","next_token":"body_canary"}'),
    )
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Acme', code })
    id = (await t.createAccount(integrationDefinitionId)).integrationAccountId
    path = `/console/connections/${id}`
    visitor = await signIn(t)
  })
  after(() => t.close())

  /** The page of the request. */
  const sendRequest = async (): Promise<string> => {
    const body = { method: 'POST', path: '/issues?note=yes', body: { fields: {} } }
    const { status } = await t.call('POST', `/v1/integration_account/${id}/proxy`, { body })
    assert.equal(status, 422)
    await t.debugRecorder.flush()
    await t.requestLog.flush()
    const [entry] = expectOk(
      await t.call('GET', `/v1/request?kind=provider&integrationAccountId=${id}`),
    )
    return `/console/logs/requests/${entry?.requestLogId}`
  }

  it('leads to a confirmation, then starts with one click and says until when it records', async () => {
    const before = await visitor.get(path)
    assert.match(
      before.visible,
      /Debug window Records headers and bodies .* Confirm that it is you/,
    )
    await elevate(t, visitor)
    await visitor.get(path)
    const { status } = await visitor.post(`${path}/debug`, { seconds: '900' })
    assert.equal(status, 303)
    const { text, visible } = await visitor.follow()
    assert.match(text, /Recording for 15 minutes/)
    assert.match(visible, /Recording ends in 1[45] min 0 of 200 exchanges recorded End now/)
  })

  it('shows which requests were recorded, and their query, headers and bodies; values with names of secrets are hidden', async () => {
    const request = await sendRequest()
    const connection = await visitor.get(path)
    assert.match(connection.visible, /POST \/api\/issues [^ ]+ · Through the proxy 422 Recorded/)
    assert.match(connection.visible, /1 of 200 exchanges recorded/)
    const { visible, text } = await visitor.get(request)
    assert.match(visible, /A debug window recorded it/)
    assert.match(visible, /Request to the provider .*\/api\/issues\?note=yes/)
    assert.match(visible, /Response of the provider/)
    assert.match(text, /&lt;b&gt;summary is missing|&#60;b&#62;summary is missing/)
    const outside = text.replace(/<details class="masked">[\s\S]*?<\/details>/g, '')
    assert.match(text, /body_canary/)
    assert.doesNotMatch(outside, /body_canary|header_canary/)
    assert.doesNotMatch(text, /key_that_works/)
  })

  it('shows others than its owner that there is a record, and which right reads it', async () => {
    const request = await sendRequest()
    const admin = await signIn(t, { role: 'admin' })
    const { visible, text } = await admin.get(request)
    assert.match(visible, /Headers and bodies This needs the right “Read credentials”/)
    assert.match(text, /disabled title="This needs the right “Read credentials”/)
    assert.doesNotMatch(text, /summary is missing/)
    const connection = await admin.get(path)
    assert.match(connection.text, /disabled title="This needs the right “Read credentials”/)
    assert.equal(
      expectOk(await t.call('GET', `/v1/integration_account/${id}/health`)).debugWindow?.exchanges,
      2,
    )
    visitor = await signIn(t, { role: 'owner' })
  })

  it('ends with one click', async () => {
    await elevate(t, visitor)
    await visitor.get(path)
    await visitor.post(`${path}/debug`, { seconds: '0' })
    const { text, visible } = await visitor.follow()
    assert.match(text, /The debug window has ended/)
    assert.match(visible, /Record for 15 minutes/)
  })

  it('is empty for a connection that is disconnected', async () => {
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    assert.doesNotMatch((await visitor.get(path)).visible, /Debug window/)
  })
})
