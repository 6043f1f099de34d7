import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { expectError, type TestContext, testContext } from '../../../test/test-context.ts'
import { decodeEntities } from '../../connect/connect-page/test/test-visitor.ts'
import { ERRORS } from '../../platform/error-codes.ts'
import { findFailureActor } from '../parts/failure-actor.ts'
import { type ConsoleVisitor, readAll, signIn } from '../test/console-visitor.ts'
import { en } from '../words/en.ts'
import { explainAttempt } from './attempts.ts'

describe('/console/attempts', () => {
  let t: TestContext
  let visitor: ConsoleVisitor
  before(async () => {
    t = await testContext()
    visitor = await signIn(t)
  })
  after(() => t.close())
  const PATH = '/console/attempts'

  it('says that no one has tried yet', async () => {
    assert.match((await visitor.get(PATH)).visible, /No one has tried to connect a tool/)
    assert.match((await visitor.get(`${PATH}?view=codes`)).visible, /No attempt failed/)
  })

  it('explains a failure: sentence, customer, provider status, request ID, who has to act', async () => {
    const { integrationDefinitionId } = await t.createDefinition({ name: 'Desk' })
    const rejected = t.stubServer.serve('/rejected/check', (_request, response) =>
      response.writeHead(503).end(),
    )
    const body = {
      integrationDefinitionId,
      authType: 'Api Key',
      integrationAccountName: 'a',
      accountIdentifier: '<i>customer</i>',
      config: { api_key: 'k', base_url: rejected.replace('/check', '') },
    }
    expectError(await t.call('POST', '/v1/integration_account', { body }), 'provider_error')
    const page = await visitor.get(PATH)
    const [attempt] = (await t.call('GET', '/v1/attempt')).body
    assert.match(page.visible, /The credentials could not be checked/)
    assert.match(page.visible, /Who has to act The provider; try again later/)
    assert.match(page.visible, /Provider status HTTP 503/)
    assert.ok(page.visible.includes(attempt.requestId))
    assert.ok(decodeEntities(page.text).includes('<i>customer</i>'))
    assert.ok(!page.text.includes('<i>customer'))
    const byRequest = await visitor.get(`${PATH}?request=${attempt.requestId}`)
    assert.match(byRequest.text, /<details open>/)
  })

  it('filters by customer, integration and outcome in the URL, each removable', async () => {
    const query = 'customer=other&outcome=failed'
    const page = await visitor.get(`${PATH}?${query}`)
    assert.match(page.visible, /No attempt matches these filters/)
    const chips = decodeEntities(/<ul class="chips">[\s\S]*?<\/ul>/.exec(page.text)?.[0] ?? '')
    assert.match(chips, /href="\/console\/attempts\?outcome=failed"/)
    assert.match(chips, /href="\/console\/attempts\?customer=other"/)
    assert.match((await visitor.get(`${PATH}?integration=desk&outcome=failed`)).visible, /Failed/)
  })

  it('groups failures by code, counts them, and says when one integration alone is affected', async () => {
    const page = await visitor.get(`${PATH}?view=codes`)
    const [code, , affected, count] = readAll(page, 'td')
    assert.match(code ?? '', /^provider_error The credentials could not be checked/)
    assert.deepEqual([affected, count], ['Only Desk', '1'])
    assert.match(
      decodeEntities(page.text),
      /href="\/console\/attempts\?code=provider_error&outcome=failed"/,
    )
    assert.match(page.visible, /Failed attempts of the last 30 days: 1\./)
  })
})

describe('explainAttempt', () => {
  it('has a sentence for every code of the API', () => {
    for (const code of Object.keys(ERRORS)) {
      const sentence = explainAttempt({ code, outcome: 'failed' }, en)
      assert.notEqual(sentence, en.attempts.outcomeTexts.failed, code)
      assert.doesNotMatch(sentence, /`/)
    }
  })
})

describe('findFailureActor', () => {
  it('names only codes that exist', () => {
    const known = [...Object.keys(ERRORS), ...Object.keys(en.attempts.checkCodes)]
    assert.ok(known.some((code) => findFailureActor(code) === 'customer'))
    assert.equal(findFailureActor('no_such_code'), undefined)
  })
})
