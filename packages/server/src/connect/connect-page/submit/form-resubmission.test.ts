import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { testContext } from '../../../../test/test-context.ts'
import { createValidFormValues, defineDesk } from '../test/desk.ts'
import { type PageTestContext, RETURN_URL } from '../test/page-test-context.ts'
import { extractForm, getVisibleText } from '../test/test-visitor.ts'

describe('A form that is sent again', () => {
  let t: PageTestContext
  let path: string
  let desk: Awaited<ReturnType<typeof defineDesk>>
  before(async () => {
    t = await testContext({ pages: true })
    desk = await defineDesk(t)
    path = await t.link({ integrationDefinitionId: desk.definitionId })
  })
  after(() => t.close())

  it('leads back to its page with the same identifier when its URL is opened with GET', async () => {
    const formPage = await t.visitor().get(`${path}/connect`)
    assert.deepEqual([formPage.status, formPage.location], [303, `http://localhost:3000${path}`])
    const visitor = t.visitor()
    const query = { accountIdentifier: 'customer 17', redirectURL: RETURN_URL, lang: 'de' }
    const form = await visitor.get(`${path}?${new URLSearchParams(query)}`)
    const failed = await visitor.submit(form, { 'field.api_key': 'short' })
    assert.deepEqual([failed.status, failed.state], [422, 'failed'])
    const redirectResponse = await visitor.get(failed.url)
    const redirectQuery = Object.fromEntries(new URL(redirectResponse.location ?? '').searchParams)
    assert.deepEqual(redirectQuery, { ...query, integration: 'desk', auth: 'Api Key' })
    const page = await visitor.get(redirectResponse.location ?? '')
    assert.equal(page.state, 'form')
    assert.match(extractForm(page).action, /accountIdentifier=customer\+17/)
  })

  it('of an expired session is shown again in a new one, with the entered values and an explanation', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(`${path}?accountIdentifier=customer-17`)
    visitor.jar.clear()
    const entered = {
      ...createValidFormValues(t),
      'field.region': 'eu',
      'field.email': 'me@example.com',
    }
    const page = await visitor.submit(form, entered)
    assert.equal(page.status, 403)
    const visibleText = getVisibleText(page)
    for (const expectedText of [
      /open for too long, or cookies are blocked/,
      /Acme/,
      /Enter them again/,
    ])
      assert.match(visibleText, expectedText)
    const { action, fields } = extractForm(page)
    assert.equal(fields['field.email'], 'me@example.com')
    assert.equal(fields['field.api_key'], '')
    assert.match(action, /accountIdentifier=customer-17/)
    assert.notEqual(fields.attempt, extractForm(form).fields.attempt)
    const rejectedAgain = await visitor.submit(page, { 'field.api_key': 'short' })
    assert.equal(
      rejectedAgain.getData('data-code'),
      'validation_failed',
      'the new submission ID is still unused',
    )
  })

  it('asks once to re-enter secrets, and reports no error for empty fields', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const page = await visitor.submit(form, {
      ...createValidFormValues(t),
      'field.email': 'invalid',
    })
    assert.equal(getVisibleText(page).match(/Enter them again/g)?.length, 1)
    assert.equal(page.text.match(/aria-invalid/g)?.length, 1)
    assert.match(page.text, /<a href="#field-\d"><bdi>Email<\/bdi><\/a>: Enter an email address/)
    const empty = await visitor.submit(form, { 'field.email': 'invalid' })
    assert.doesNotMatch(getVisibleText(empty), /Enter them again/)
  })

  it('after its values were invalid is validated again, whether they are the same or were corrected', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const values = createValidFormValues(t)
    const invalid = { ...values, 'field.code': 'abc' }
    const calls = desk.providerCalls()
    for (const attempt of ['first', 'reloaded', 'reloaded again']) {
      const page = await visitor.submit(form, invalid)
      assert.equal(page.getData('data-code'), 'validation_failed', attempt)
      assert.match(page.text, /<a href="#field-\d"><bdi>Code<\/bdi><\/a>: /, attempt)
      assert.doesNotMatch(getVisibleText(page), /unexpected/, attempt)
    }
    assert.equal(desk.providerCalls(), calls)
    const corrected = await visitor.submit(form, { ...invalid, 'field.code': 'ABC-12' })
    assert.equal(corrected.status, 303)
    assert.equal((await visitor.get(corrected.location ?? '')).state, 'connected')
    const again = await visitor.submit(form, invalid)
    assert.match(again.state ?? '', /connected|alreadyFinished/, 'an account is connected once')
    assert.equal(desk.providerCalls(), calls + 1)
  })

  it('after its values were invalid belongs to the browser that submitted it', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const { attempt = '' } = extractForm(form).fields
    await visitor.submit(form, { 'field.api_key': 'short' })
    const other = t.visitor()
    const page = await other.submit(await other.get(path), { ...createValidFormValues(t), attempt })
    assert.notEqual(page.status, 303)
  })

  it('links only the URL in a hint', async () => {
    const visitor = t.visitor()
    const form = await visitor.get(path)
    const hint =
      'Make a key at https://desk.example/keys?a=1, or at https://a@evil.example/. Not http://x.example'
    desk.setCheckResponse({
      status: false,
      error: 'no',
      code: 'invalid_credentials',
      field: 'api_key',
      hint,
    })
    const page = await visitor.submit(form, createValidFormValues(t))
    desk.setCheckResponse({ status: true })
    const links = [...page.plain.matchAll(/<a href="(https?:[^"]*)"[^>]*>(.*?)<\/a>/g)]
    const visibleLinks = links.filter(([, url]) => !url?.includes('help.desk'))
    assert.deepEqual(
      visibleLinks.map(([, url]) => url),
      ['https://desk.example/keys?a=1'],
      'once, at its field',
    )
    for (const [all, , text] of visibleLinks) {
      assert.match(all, /rel="noreferrer noopener"/)
      assert.match(text ?? '', /^<span class="whole"><bdi>desk\.example\/keys<\/bdi>/)
    }
    assert.match(
      getVisibleText(page),
      /or at https:\/\/a@evil\.example\/\. Not http:\/\/x\.example/,
    )
  })

  it('leads back to the list with the same search', async () => {
    const list = await t.link()
    for (let count = 0; count < 7; count += 1) await defineDesk(t, { name: `Desk ${count}` })
    const visitor = t.visitor()
    const found = await visitor.get(`${list}?q=desk&category=x`)
    const visibleLinks = await visitor.get(`${list}?q=desk`)
    assert.equal(found.state, 'noMatch')
    const formPath = /<a href="([^"]*integration=desk&[^"]*)"/.exec(visibleLinks.plain)?.[1] ?? ''
    const form = await visitor.get(formPath)
    assert.equal(/<a href="([^"]*)"[^>]*data-back/.exec(form.plain)?.[1], `${list}?q=desk`)
    const failed = await visitor.submit(form, { 'field.api_key': 'short' })
    assert.equal(/<a href="([^"]*)"[^>]*data-back/.exec(failed.plain)?.[1], `${list}?q=desk`)
  })

  it('of a full link shows the connected account to its own session only', async () => {
    const limitedLink = await t.link({ integrationDefinitionId: desk.definitionId, maxAccounts: 1 })
    const visitor = t.visitor()
    const submitted = await visitor.submit(await visitor.get(limitedLink), createValidFormValues(t))
    assert.equal(submitted.status, 303)
    const page = await visitor.get(limitedLink)
    assert.deepEqual([page.status, page.state], [200, 'alreadyFinished'])
    assert.match(getVisibleText(page), /Desk is connected/)
    assert.equal(page.getData('data-account'), undefined)
    const otherVisitor = await t.visitor().get(limitedLink)
    assert.deepEqual([otherVisitor.status, otherVisitor.state], [403, 'full'])
  })
})
