import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type TestContext, testContext } from '../../../test/test-context.ts'
import { type ConsoleVisitor, signIn } from '../test/console-visitor.ts'

describe('/console/connections/:integrationAccountId', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  let definitionId: string
  let now = Date.parse('2026-11-22T10:00:00.000Z')
  /** What the provider says to CHECK. */
  let status = 200
  before(async () => {
    t = await testContext({ now: () => now })
    t.stubServer.serve('/check', (_request, response) => response.writeHead(status).end('{}'))
    definitionId = (await t.createDefinition()).integrationDefinitionId
    visitor = await signIn(t, { now: () => now })
  })
  after(() => t.close())

  const connect = async () => {
    status = 200
    const config = { api_key: 'a-key-that-works', base_url: t.stubServer.url }
    const { integrationAccountId } = await t.createAccount(definitionId, {
      config,
      accountIdentifier: 'customer-41',
    })
    return `/console/connections/${integrationAccountId}`
  }
  const check = async (path: string) => {
    now += 20_000
    await visitor.get(path)
    const { status: redirect } = await visitor.post(`${path}/check`)
    assert.equal(redirect, 303)
    return visitor.follow()
  }
  /** What the page says once. */
  const readNotice = (text: string) =>
    /<div class="toast"[^>]*>(.*?)<\/div>/s
      .exec(text)?.[1]
      ?.replaceAll(/<[^>]+>/g, '')
      .trim()

  it('POST …/check: says that the credentials work, and the timeline has it', async () => {
    const path = await connect()
    const { text, visible } = await check(path)
    assert.equal(readNotice(text), 'Checked: the credentials work')
    assert.match(visible, /Timeline Checked just now · [^·]+ · in the console/)
    const again = await visitor.get(path)
    assert.equal(readNotice(again.text), '')
  })

  it('POST …/check: says that the provider rejects the credentials, and who has to act', async () => {
    const path = await connect()
    status = 401
    const { text, visible } = await check(path)
    assert.equal(readNotice(text), 'The provider rejects the credentials')
    assert.match(visible, /Needs reconnecting The provider rejects the credentials\. customer-41/)
  })

  it('POST …/check: says that an outage changes nothing', async () => {
    const path = await connect()
    status = 503
    const { text, visible } = await check(path)
    assert.equal(readNotice(text), 'The provider cannot be reached now. Nothing was changed')
    assert.doesNotMatch(visible, /Checked/)
  })

  it('POST …/check: says that it was checked a moment ago', async () => {
    const path = await connect()
    await check(path)
    await visitor.get(path)
    await visitor.post(`${path}/check`)
    assert.match(readNotice((await visitor.follow()).text) ?? '', /^It was checked a moment ago/)
  })

  it('lets support check and share, and says which role may disconnect', async () => {
    const path = await connect()
    const support = await signIn(t, { role: 'support', now: () => now })
    const { text, visible } = await support.get(path)
    assert.match(text, /<button class="button ">.*?Check now/s)
    assert.match(text, /<button class="button primary">.*?Share reconnect page/s)
    assert.match(text, /<button[^>]*disabled[^>]*>.*?Disconnect/s)
    assert.match(visible, /Disconnect Your role does not allow this. It needs the role developer/)
    assert.equal((await support.post(`${path}/share`)).status, 201)
    const viewer = await signIn(t, { role: 'viewer', now: () => now })
    assert.doesNotMatch((await viewer.get(path)).text, /<button class="button ">.*?Check now/s)
  })
})
