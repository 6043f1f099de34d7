import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defineDesk, rightAnswers } from '../test/desk.ts'
import { HOME, type PageWorld, startPageWorld } from '../test/page-world.ts'
import { formOf, wordsOf } from '../test/person.ts'

describe('a form that comes back', () => {
  let t: PageWorld
  let path: string
  let desk: Awaited<ReturnType<typeof defineDesk>>
  before(async () => {
    t = await startPageWorld()
    desk = await defineDesk(t)
    path = await t.link({ integrationDefinitionId: desk.definitionId })
  })
  after(() => t.close())

  it('leads back to its page, for the same person, when somebody opens its address', async () => {
    const bare = await t.person().get(`${path}/connect`)
    assert.deepEqual([bare.status, bare.location], [303, `http://localhost:3000${path}`])
    const person = t.person()
    const query = { accountIdentifier: 'customer 17', redirectURL: HOME, lang: 'de' }
    const form = await person.get(`${path}?${new URLSearchParams(query)}`)
    const failed = await person.send(form, { 'field.api_key': 'short' })
    assert.deepEqual([failed.status, failed.state], [422, 'failed'])
    const back = await person.get(failed.url)
    const at = Object.fromEntries(new URL(back.location ?? '').searchParams)
    assert.deepEqual(at, { ...query, integration: 'desk', auth: 'Api Key' })
    const page = await person.get(back.location ?? '')
    assert.equal(page.state, 'form')
    assert.match(formOf(page).action, /accountIdentifier=customer\+17/)
  })

  it('whose visit is over comes back with what was typed, in a new one, and says why', async () => {
    const person = t.person()
    const form = await person.get(`${path}?accountIdentifier=customer-17`)
    person.jar.clear()
    const typed = { ...rightAnswers(t), 'field.region': 'eu', 'field.email': 'me@example.com' }
    const page = await person.send(form, typed)
    assert.equal(page.status, 403)
    const words = wordsOf(page)
    for (const told of [/open for too long, or cookies are blocked/, /Acme/, /Enter them again/])
      assert.match(words, told)
    const { action, fields } = formOf(page)
    assert.equal(fields['field.email'], 'me@example.com')
    assert.equal(fields['field.api_key'], '')
    assert.match(action, /accountIdentifier=customer-17/)
    assert.notEqual(fields.attempt, formOf(form).fields.attempt)
    const again = await person.send(page, { 'field.api_key': 'short' })
    assert.equal(again.data('data-code'), 'validation_failed', 'the new visit is not taken')
  })

  it('asks once for keys that are not kept, and calls no field wrong that was left empty', async () => {
    const person = t.person()
    const form = await person.get(path)
    const page = await person.send(form, { ...rightAnswers(t), 'field.email': 'nobody' })
    assert.equal(wordsOf(page).match(/Enter them again/g)?.length, 1)
    assert.equal(page.text.match(/aria-invalid/g)?.length, 1)
    assert.match(page.text, /<a href="#field-\d"><bdi>Email<\/bdi><\/a>: Enter an email address/)
    const empty = await person.send(form, { 'field.email': 'nobody' })
    assert.doesNotMatch(wordsOf(empty), /Enter them again/)
  })

  it('links the address in a hint, and that alone', async () => {
    const person = t.person()
    const form = await person.get(path)
    const hint =
      'Make a key at https://desk.example/keys?a=1, or at https://a@evil.example/. Not http://x.example'
    desk.say({ status: false, error: 'no', code: 'invalid_credentials', field: 'api_key', hint })
    const page = await person.send(form, rightAnswers(t))
    desk.say({ status: true })
    const links = [...page.plain.matchAll(/<a href="(https?:[^"]*)"[^>]*>(.*?)<\/a>/g)]
    const shown = links.filter(([, url]) => !url?.includes('help.desk'))
    assert.deepEqual(
      shown.map(([, url]) => url),
      Array.from({ length: 2 }, () => 'https://desk.example/keys?a=1'),
    )
    for (const [all, , text] of shown) {
      assert.match(all, /rel="noreferrer noopener"/)
      assert.match(text ?? '', /^<span class="whole"><bdi>desk\.example\/keys<\/bdi>/)
    }
    assert.match(wordsOf(page), /or at https:\/\/a@evil\.example\/\. Not http:\/\/x\.example/)
    assert.match(page.plain, /<a href="#field-0"><bdi>Key of the desk<\/bdi><\/a>: /)
  })

  it('leads back to the list as it was searched', async () => {
    const list = await t.link()
    for (let count = 0; count < 7; count += 1) await defineDesk(t, { name: `Desk ${count}` })
    const person = t.person()
    const found = await person.get(`${list}?q=desk&category=x`)
    const shown = await person.get(`${list}?q=desk`)
    assert.equal(found.state, 'noMatch')
    const to = /<a href="([^"]*integration=desk&[^"]*)"/.exec(shown.plain)?.[1] ?? ''
    const form = await person.get(to)
    assert.equal(/<a href="([^"]*)"[^>]*data-back/.exec(form.plain)?.[1], `${list}?q=desk`)
    const failed = await person.send(form, { 'field.api_key': 'short' })
    assert.equal(/<a href="([^"]*)"[^>]*data-back/.exec(failed.plain)?.[1], `${list}?q=desk`)
  })

  it('of a link that is used up says what was connected to whom it was, and to nobody else', async () => {
    const once = await t.link({ integrationDefinitionId: desk.definitionId, maxAccounts: 1 })
    const person = t.person()
    const sent = await person.send(await person.get(once), rightAnswers(t))
    assert.equal(sent.status, 303)
    const page = await person.get(once)
    assert.deepEqual([page.status, page.state], [200, 'alreadyFinished'])
    assert.match(wordsOf(page), /Desk is connected/)
    assert.equal(page.data('data-account'), undefined)
    const stranger = await t.person().get(once)
    assert.deepEqual([stranger.status, stranger.state], [403, 'full'])
  })
})
