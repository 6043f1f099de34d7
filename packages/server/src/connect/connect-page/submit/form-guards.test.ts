import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows, testContext } from '../../../../test/test-context.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import { type PageTestContext, toFramePath } from '../test/page-test-context.ts'
import {
  extractForm,
  type FetchedPage,
  getVisibleText,
  type TestVisitor,
} from '../test/test-visitor.ts'

describe('A form of the connect page', () => {
  let t: PageTestContext
  let path: string
  before(async () => {
    t = await testContext({ pages: true })
    const { definitionId } = await defineDesk(t)
    path = await t.link({ integrationDefinitionId: definitionId })
  })
  after(async () => {
    const rows = [await countRows(t, 'accounts'), await countRows(t, 'submissions')]
    await t.close()
    assert.deepEqual(rows, [0, 0], 'something was stored')
  })

  const assertRejected = (page: FetchedPage) => {
    assert.equal(page.status, 403, page.text)
    assert.equal(page.state, 'notOurs')
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  }
  /** Asserts that nothing was processed and the form is shown again in the sender's session. */
  const assertSessionLost = (page: FetchedPage) => {
    assert.deepEqual([page.status, page.state], [403, 'failed'], page.text)
    assert.equal(page.getData('data-code'), 'visit_lost')
    assert.doesNotMatch(page.text, /canary/)
  }
  const fillIn = (form: FetchedPage) => ({
    ...extractForm(form).fields,
    ...createValidFormValues(t),
  })

  it('is rejected without its session cookie', async () => {
    const form = await t.visitor().get(path)
    assertSessionLost(await t.visitor().post(`${path}/connect`, fillIn(form)))
  })

  it('is rejected with the cookie of another session, and with a duplicate cookie', async () => {
    const [visitor, otherVisitor] = [t.visitor(), t.visitor()]
    const [form] = [await visitor.get(path), await otherVisitor.get(path)]
    assertSessionLost(await otherVisitor.post(`${path}/connect`, fillIn(form)))
    const cookie = `linchpin-visit=${visitor.jar.get('linchpin-visit')}`
    assertSessionLost(
      await visitor.post(`${path}/connect`, fillIn(form), { cookie: `${cookie}; ${cookie}` }),
    )
  })

  it('is rejected from another site', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const submitWithHeaders = (headers: Record<string, string>) =>
      visitor.post(`${path}/connect`, fillIn(form), headers)
    assertRejected(await submitWithHeaders({ 'sec-fetch-site': 'cross-site' }))
    assertRejected(await submitWithHeaders({ 'sec-fetch-site': 'same-site' }))
    assertRejected(await submitWithHeaders({ 'sec-fetch-site': 'none' }))
    assertRejected(await submitWithHeaders({ origin: 'https://evil.example' }))
    const submitWithoutFetchSite = async (origin: string) => {
      const headers = { 'sec-fetch-site': '', origin }
      return visitor.post(`${path}/connect`, fillIn(form), headers)
    }
    assertRejected(await submitWithoutFetchSite('null'))
  })

  it('is rejected with a missing or forged session or submission ID', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const submitWith = async (change: Record<string, string>) =>
      assertRejected(await visitor.post(`${path}/connect`, { ...fillIn(form), ...change }))
    await submitWith({ visit: '' })
    const foreign = { ...fillIn(form), visit: 'x'.repeat(86) }
    assertSessionLost(await visitor.post(`${path}/connect`, foreign))
    await submitWith({ visit: visitor.jar.get('linchpin-visit') ?? '' })
    await submitWith({ attempt: '' })
    await submitWith({ attempt: '../../../../etc/passwd' })
    assertRejected(await visitor.post(`${path}/connect`, {}))
    const json = { 'content-type': 'application/json' }
    assert.ok((await visitor.post(`${path}/connect`, {}, json)).status >= 400)
  })

  it('of the page is rejected by the frame, and vice versa', async () => {
    const visitor = t.visitor()
    const [page, frame] = [await visitor.get(path), await visitor.get(toFramePath(path))]
    assertRejected(await visitor.post(`${toFramePath(path)}/connect`, fillIn(page)))
    assertRejected(await visitor.post(`${path}/connect`, fillIn(frame)))
  })

  it('for an integration or auth method that is not offered gets an explanation, without secrets', async () => {
    const visitor: TestVisitor = t.visitor()
    const form = await visitor.get(path)
    const unknownMethod = await visitor.post(`${path}/connect`, {
      ...fillIn(form),
      auth: 'Nothing',
    })
    assert.deepEqual([unknownMethod.status, unknownMethod.state], [409, 'wayChanged'])
    assert.match(getVisibleText(unknownMethod), /Desk is now connected in a different way/)
    const removedDefinitionForm = { ...fillIn(form), integration: 'other', tool: 'Other' }
    const unknownIntegration = await visitor.post(`${path}/connect`, removedDefinitionForm)
    assert.deepEqual([unknownIntegration.status, unknownIntegration.state], [410, 'notOffered'])
    assert.match(getVisibleText(unknownIntegration), /Other is no longer available here/)
    assert.doesNotMatch(unknownMethod.text + unknownIntegration.text, /canary/)
  })

  it('over 64 kB is rejected with a page', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const page = await visitor.post(`${path}/connect`, {
      ...fillIn(form),
      'field.api_key': 'x'.repeat(70_000),
    })
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.ok(page.status >= 400)
  })
})
