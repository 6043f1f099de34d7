import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectCreated, testContext } from '../../../test/test-context.ts'
import type { StubProviderContext } from '../oauth-flow/test/stub-provider-context.ts'
import { defineDesk } from './test/desk.ts'
import type { PageTestContext } from './test/page-test-context.ts'
import { type FetchedPage, listenForVisitors } from './test/test-visitor.ts'

const getFormAction = ({ headers }: FetchedPage) =>
  /form-action ([^;]*);/.exec(headers.get('content-security-policy') ?? '')?.[1]

describe('form-action of a page', () => {
  let keyContext: PageTestContext
  let signInContext: StubProviderContext
  before(async () => {
    keyContext = await testContext({ pages: true })
    await defineDesk(keyContext)
    signInContext = await testContext({ provider: true })
  })
  after(async () => {
    await keyContext.close()
    await signInContext.close()
  })

  it('allows only our origin when the link offers no sign-in', async () => {
    const visitor = keyContext.visitor()
    const form = await visitor.get(await keyContext.link())
    assert.deepEqual([form.state, getFormAction(form)], ['form', "'self'"])
    const rejected = await visitor.submit(form, { 'field.api_key': 'short' })
    assert.deepEqual([rejected.state, getFormAction(rejected)], ['failed', "'self'"])
  })

  it('allows the authorization origins on every screen of a link with sign-in', async () => {
    const visitor = (await listenForVisitors(signInContext.app))()
    const body = { linkName: 'x', integrationDefinitionId: signInContext.definitionId }
    const { linkId } = expectCreated(await signInContext.call('POST', '/v1/link', { body }))
    const page = await visitor.get(`/link/${linkId}`)
    assert.equal(page.state, 'signIn')
    const providerOrigin = new URL(signInContext.stubServer.url).origin
    assert.match(
      getFormAction(page) ?? '',
      /^'self' https: http:\/\/localhost:\* http:\/\/127\.0\.0\.1:\*/,
    )
    assert.ok(getFormAction(page)?.endsWith(` ${providerOrigin}`), getFormAction(page))
  })
})
