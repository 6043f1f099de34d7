import assert from 'node:assert/strict'
import { after, afterEach, before, it } from 'node:test'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import { countRows, testContext } from '../../../test/test-context.ts'
import { createValidFormValues, defineDesk } from './test/desk.ts'
import type { PageTestContext } from './test/page-test-context.ts'
import type { TestVisitor } from './test/test-visitor.ts'

describeOnBothDatabases('DELETE /link/{linkId}/attempts/{attemptId}', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: PageTestContext
  let path: string
  let providerCalled: PromiseWithResolvers<void>
  let providerMayAnswer: PromiseWithResolvers<void>
  before(async () => {
    t = await testContext({ pages: true, url: await newUrl() })
    const { definitionId } = await defineDesk(t)
    path = await t.link({ integrationDefinitionId: definitionId })
    t.stubServer.serve('/told', async (_request, response) => {
      providerCalled.resolve()
      await providerMayAnswer.promise
      response.end(JSON.stringify({ status: true }))
    })
  })
  // A request that a failed test leaves pending would keep the service from closing.
  afterEach(() => providerMayAnswer.resolve())
  after(() => t.close())

  const cancel = async (visitor: TestVisitor, submissionId: string, site = 'same-origin') => {
    const cookie = [...visitor.jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'sec-fetch-site': site }
    const url = `${path}/attempts/${submissionId}`
    return (await t.app.inject({ method: 'DELETE', url, headers })).json()
  }
  /** Submits valid keys and waits for the request to the provider. */
  const startSubmission = async () => {
    providerCalled = Promise.withResolvers()
    providerMayAnswer = Promise.withResolvers()
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const submitted = visitor.submit(form, createValidFormValues(t))
    const earlyResponse = submitted.then((page) =>
      assert.fail(`${page.status} before the request to the provider`),
    )
    await Promise.race([providerCalled.promise, earlyResponse])
    return {
      person: visitor,
      form,
      sent: submitted,
      submissionId: form.getData('data-attempt') ?? '',
    }
  }

  it('cancels a running check: no account is stored', async () => {
    const { person: visitor, form, sent: submitted, submissionId } = await startSubmission()
    assert.deepEqual(await cancel(visitor, submissionId), { state: 'failed', code: 'cancelled' })
    providerMayAnswer.resolve()
    const lateResponse = await submitted
    assert.deepEqual(
      [lateResponse.state, lateResponse.getData('data-code')],
      ['failed', 'cancelled'],
    )
    assert.equal(await countRows(t, 'accounts'), 0)
    const resubmitted = await visitor.submit(form, createValidFormValues(t))
    assert.equal(resubmitted.state, 'failed')
    assert.equal(await countRows(t, 'accounts'), 0)
  })

  it('cancels nothing for other sessions and other sites, and no stored account', async () => {
    const { person: visitor, sent: submitted, submissionId } = await startSubmission()
    const other = t.visitor()
    await other.get(path)
    assert.deepEqual(await cancel(other, submissionId), { state: 'unknown' })
    assert.deepEqual(await cancel(visitor, submissionId, 'cross-site'), { state: 'running' })
    providerMayAnswer.resolve()
    assert.equal((await submitted).status, 303)
    const { state, account } = await cancel(visitor, submissionId)
    assert.deepEqual([state, account.integrationName], ['connected', 'Desk'])
    assert.equal(await countRows(t, 'accounts'), 1)
  })
}
