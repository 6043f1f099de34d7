import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { countRows, testContext } from '../../../test/test-context.ts'
import { maskSecret, unmaskSecret } from '../../platform/http/mask-secret.ts'
import type { SubmissionRow } from '../attempts/submission.ts'
import { createSubmissionStore, SUBMISSION_RETENTION_MS } from '../attempts/submission-store.ts'
import { createValidFormValues, defineDesk } from './test/desk.ts'
import type { PageTestContext } from './test/page-test-context.ts'
import { getVisibleText } from './test/test-visitor.ts'

describe('A submission', () => {
  let t: PageTestContext
  let path: string
  let now = Date.now()
  before(async () => {
    t = await testContext({ pages: true, now: () => now })
    const { definitionId } = await defineDesk(t)
    path = await t.link({ integrationDefinitionId: definitionId })
  })
  after(() => t.close())

  const updateSubmissions = (values: Partial<SubmissionRow>) =>
    t.database.transaction((trx) => trx.updateTable('submissions').set(values).execute())

  it('is visible to its own session only', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const submissionId = form.getData('data-attempt') ?? ''
    const fetchState = async (requester: typeof visitor, url: string) => {
      const response = await requester.get(url)
      assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
      assert.equal(response.headers.get('cache-control'), 'no-store')
      return [response.status, JSON.parse(response.text).state]
    }
    assert.deepEqual(await fetchState(visitor, `${path}/attempts/${submissionId}`), [
      404,
      'unknown',
    ])
    await visitor.submit(form, createValidFormValues(t))
    assert.deepEqual(await fetchState(visitor, `${path}/attempts/${submissionId}`), [
      200,
      'connected',
    ])
    const other = t.visitor()
    await other.get(path)
    assert.deepEqual(await fetchState(other, `${path}/attempts/${submissionId}`), [404, 'unknown'])
    assert.deepEqual(await fetchState(t.visitor(), `${path}/attempts/${submissionId}`), [
      404,
      'unknown',
    ])
    assert.deepEqual(await fetchState(visitor, `${await t.link()}/attempts/${submissionId}`), [
      404,
      'unknown',
    ])
    for (const malformedId of ['x', `${submissionId}x`, '%ff'])
      assert.equal((await visitor.get(`${path}/attempts/${malformedId}`)).status, 404)
  })

  it('is running during a check, and times out when its node has stopped', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const submissionId = form.getData('data-attempt') ?? ''
    await visitor.submit(form, createValidFormValues(t))
    await updateSubmissions({ state: 'running', account_id: null, finished_at: null })
    const waiting = await visitor.get(`${path}?attempt=${submissionId}`)
    assert.equal(waiting.state, 'stillRunning')
    const resubmitted = await visitor.submit(form, createValidFormValues(t))
    assert.equal(resubmitted.status, 409)
    assert.equal(resubmitted.state, 'stillRunning')
    assert.match(getVisibleText(resubmitted), /You've already submitted this form.*Check again/)
    now += 3 * 60_000
    const timedOut = await visitor.get(`${path}?attempt=${submissionId}`)
    assert.equal(timedOut.state, 'failed')
    assert.equal(timedOut.getData('data-code'), 'integration_timeout')
  })

  it('with a deleted account shows the form again', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const submitted = await visitor.submit(form, createValidFormValues(t))
    const page = await visitor.get(submitted.location ?? '')
    const { integrationAccountId } = JSON.parse(page.getData('data-account') ?? '{}')
    await t.call('DELETE', `/v1/integration_account/${integrationAccountId}`)
    assert.equal((await visitor.get(submitted.location ?? '')).state, 'form')
  })

  it('is deleted after a day', async () => {
    const submissions = createSubmissionStore(t.database)
    const deleteOld = () => submissions.sweep(now - SUBMISSION_RETENTION_MS)
    await deleteOld()
    assert.ok((await countRows(t, 'submissions')) > 0)
    now += 26 * 60 * 60_000
    await deleteOld()
    assert.equal(await countRows(t, 'submissions'), 0)
  })
})

describe('maskSecret', () => {
  it('masks a secret differently each time and can be reversed', () => {
    const secret = `${'x'.repeat(42)}A`
    const masked = Array.from({ length: 50 }, () => maskSecret(secret))
    assert.equal(new Set(masked).size, 50)
    for (const one of masked) {
      assert.match(one, /^[\w-]{86}$/)
      assert.equal(unmaskSecret(one), secret)
    }
    for (const malformedId of ['', 'x', 'x'.repeat(85), 'x'.repeat(87), `${'x'.repeat(85)}=`])
      assert.equal(unmaskSecret(malformedId), undefined)
  })
})
