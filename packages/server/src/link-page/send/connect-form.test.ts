import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fine } from '../../../test/fixtures.ts'
import { describePostgres } from '../../../test/postgres.ts'
import { defineDesk, rightAnswers } from '../test/desk.ts'
import { framed, HOME, type PageWorld, startPageWorld } from '../test/page-world.ts'
import { formOf, type Shown, wordsOf } from '../test/person.ts'

describe('POST /link/{linkId}/connect', () => promises())
describePostgres('the same on PostgreSQL', (server) =>
  promises(() => server().createDatabase('link_page')),
)

function promises(url: () => Promise<string | undefined> = async () => undefined): void {
  let t: PageWorld
  let desk: Awaited<ReturnType<typeof defineDesk>>
  before(async () => {
    const given = await url()
    t = await startPageWorld(given === undefined ? {} : { url: given })
    desk = await defineDesk(t)
  })
  after(() => t.close())

  const accounts = async () =>
    t.database.read.selectFrom('accounts').selectAll().where('deleted_at', 'is', null).execute()
  const only = (body = {}) => t.link({ integrationDefinitionId: desk.definitionId, ...body })

  it('connects, shows it at an address that can be reloaded, and goes back with it', async () => {
    const path = await only()
    const person = t.person()
    const query = new URLSearchParams({ accountIdentifier: 'customer-17', redirectURL: HOME })
    const form = await person.get(`${path}?${query}`)
    const sent = await person.send(form, rightAnswers(t))
    assert.equal(sent.status, 303, wordsOf(sent))
    const page = await person.get(sent.location ?? '')
    assert.equal(page.state, 'connected')
    const [row] = await accounts()
    assert.equal(row?.account_identifier, 'customer-17')
    assert.equal(row?.name, 'Desk')
    assert.deepEqual(JSON.parse(page.data('data-account') ?? ''), {
      integrationAccountId: row?.account_id,
      integrationAccountName: 'Desk',
      integrationDefinitionId: desk.definitionId,
      integrationName: 'Desk',
      integrationKey: 'desk',
      accountIdentifier: 'customer-17',
      linkId: path.slice('/link/'.length),
    })
    const back = /<a href="([^"]*)" class="button primary"[^>]*>/.exec(page.plain)?.[1] ?? ''
    assert.deepEqual(Object.fromEntries(new URL(back).searchParams), {
      tab: '1',
      success: 'true',
      integrationName: 'Desk',
      accountIdentifier: 'customer-17',
      integrationAccountId: row?.account_id,
      linkId: path.slice('/link/'.length),
    })
    const again = await person.get(sent.location ?? '')
    assert.equal(again.state, 'connected')
    assert.doesNotMatch(page.text + again.text, /canary/)
    const audit = await t.database.read
      .selectFrom('audit_events')
      .selectAll()
      .where('subject', '=', row?.account_id ?? '')
      .executeTakeFirst()
    assert.deepEqual([audit?.action, audit?.token_id], ['account.created', null])
    fine(await t.call('DELETE', `/v1/integration_account/${row?.account_id}`))
  })

  it('names every field that is wrong, keeps what was typed, and never a secret', async () => {
    const person = t.person()
    const form = await person.get(await only())
    const before = desk.calls()
    const page = await person.send(form, {
      'field.api_key': 'short77',
      'field.base_url': 'no address',
      'field.region': 'mars',
      'field.port': 'seventy',
      'field.email': 'nobody',
      'field.code': 'ABC-1',
      'field.is_test': 'true',
    })
    assert.equal(page.status, 422)
    assert.equal(page.data('data-code'), 'validation_failed')
    const words = wordsOf(page)
    for (const told of [
      /6 answers need another look/,
      /Check Code : it does not have the form/,
      /Choose Region Port : Enter a number/,
      /Enter at least 8 characters/,
      /Enter a full address/,
      /Choose Region/,
      /Enter a number/,
      /Enter an email address/,
    ])
      assert.match(words, told)
    const { fields } = formOf(page)
    assert.equal(fields['field.base_url'], 'no address')
    assert.equal(fields['field.port'], 'seventy')
    assert.equal(fields['field.is_test'], 'true')
    assert.equal(fields['field.api_key'], '')
    assert.doesNotMatch(page.text, /short77/)
    assert.match(page.text, /role="alert" id="summary" tabindex="-1"/)
    assert.match(page.text, /<a href="#field-0">/)
    assert.equal(desk.calls(), before, 'the provider was asked')
    const pattern = await person.send(page, { ...rightAnswers(t), ...VALID, 'field.code': 'abc' })
    assert.match(wordsOf(pattern), /Check Code: it does not have the form/)
    const sent = await person.send(pattern, { ...rightAnswers(t), ...VALID })
    assert.equal(sent.status, 303, wordsOf(sent))
    const [row] = await accounts()
    assert.deepEqual(
      { ...JSON.parse(row?.public_config ?? '{}'), base_url: undefined },
      { base_url: undefined, email: 'me@example.com', region: 'eu' },
    )
    fine(await t.call('DELETE', `/v1/integration_account/${row?.account_id}`))
  })

  it('says at the right field what the provider did not accept, with its hint', async () => {
    const person = t.person()
    const form = await person.get(await only())
    const refusal = { status: false, error: 'no', code: 'invalid_credentials', field: 'api_key' }
    desk.say({ ...refusal, hint: 'Keys start with desk_live_.' })
    const page = await person.send(form, rightAnswers(t))
    assert.equal(page.status, 422)
    assert.equal(page.data('data-code'), 'invalid_credentials')
    assert.match(wordsOf(page), /Desk did not accept this key/)
    assert.match(page.text, /id="field-0-error">.*Keys start with desk_live_\./)
    assert.doesNotMatch(page.text, /canary/)
    desk.say({ status: false, error: 'Your plan has no access.' })
    const plain = await person.send(page, rightAnswers(t))
    assert.equal(plain.data('data-code'), 'credentials_rejected')
    assert.match(wordsOf(plain), /Your plan has no access\./)
    desk.say({ status: false, error: 'x', code: 'wrong_host', field: 'base_url' })
    const host = await person.send(plain, rightAnswers(t))
    assert.match(wordsOf(host), /There is no Desk at this address/)
    desk.say({ status: true })
    assert.equal((await person.send(host, rightAnswers(t))).status, 303)
    for (const { account_id } of await accounts())
      fine(await t.call('DELETE', `/v1/integration_account/${account_id}`))
  })

  it('tells a provider that is down from a wrong key', async () => {
    const person = t.person()
    const form = await person.get(await only())
    t.origin.serve('/told', (_request, response) => response.writeHead(503).end('{"status":false}'))
    const page = await person.send(form, rightAnswers(t))
    assert.equal(page.data('data-code'), 'provider_error')
    assert.match(wordsOf(page), /Desk cannot answer right now/)
    t.origin.serve('/told', (_request, response) => response.end('{"status":true}'))
  })

  it('counts a form once, however often it is sent', async () => {
    const path = await only()
    const person = t.person()
    const form = await person.get(path)
    const all = await Promise.all(
      Array.from({ length: 10 }, () => person.send(form, rightAnswers(t))),
    )
    assert.equal((await accounts()).length, 1)
    const states = all.map(({ status, state }) => (status === 303 ? 'gone on' : state))
    assert.equal(states.filter((state) => state === 'gone on').length, 1, String(states))
    assert.ok(
      states.every((state) => state !== 'failed' && state !== 'notOurs'),
      String(states),
    )
    const late = await person.send(form, rightAnswers(t))
    assert.equal(late.state, 'alreadyFinished')
    assert.match(wordsOf(late), /Nothing was done twice/)
    assert.equal((await accounts()).length, 1)
    const list = await person.get(await t.link())
    assert.doesNotMatch(wordsOf(list), /Connected just now/)
    for (const { account_id } of await accounts())
      fine(await t.call('DELETE', `/v1/integration_account/${account_id}`))
  })

  it('lets two tabs connect one account each, and numbers them', async () => {
    const path = await only()
    const person = t.person()
    const [one, two] = [await person.get(path), await person.get(path)]
    const sent: Shown[] = [
      await person.send(one, rightAnswers(t)),
      await person.send(two, rightAnswers(t)),
    ]
    assert.deepEqual(
      sent.map(({ status }) => status),
      [303, 303],
    )
    const names = (await accounts()).map(({ name }) => name)
    assert.deepEqual(names.sort(), ['Desk', 'Desk 2'])
    const other = await t.person().get(path)
    assert.doesNotMatch(wordsOf(other), /Connected/)
    for (const { account_id } of await accounts())
      fine(await t.call('DELETE', `/v1/integration_account/${account_id}`))
  })

  it('connects nothing through a link that closed meanwhile', async () => {
    const path = await only()
    const person = t.person()
    const form = await person.get(path)
    fine(await t.call('DELETE', `/v1${path}`))
    const page = await person.send(form, rightAnswers(t))
    assert.equal(page.status, 410)
    assert.equal(page.state, 'revoked')
    assert.equal((await accounts()).length, 0)
  })

  it('connects nothing through a link that closes while the provider is asked', async () => {
    const path = await only()
    const person = t.person()
    const form = await person.get(path)
    t.origin.serve('/told', async (_request, response) => {
      fine(await t.call('DELETE', `/v1${path}`))
      response.end('{"status":true}')
    })
    const page = await person.send(form, rightAnswers(t))
    assert.equal(page.state, 'revoked')
    assert.equal((await accounts()).length, 0)
    t.origin.serve('/told', (_request, response) => response.end('{"status":true}'))
  })

  it('works in a frame without any cookie, and shows the end at once', async () => {
    const path = framed(await only())
    const person = t.person()
    const form = await person.get(path)
    assert.equal(person.jar.size, 0)
    const page = await person.send(form, rightAnswers(t))
    assert.equal(page.status, 200)
    assert.equal(page.state, 'connected')
    assert.equal(person.jar.size, 0)
    const visit = page.data('data-visit') ?? ''
    const attempt = page.data('data-attempt') ?? ''
    const url = `${path.replace('/frame', '')}/attempts/${attempt}`
    const state = async (headers: Record<string, string>) =>
      JSON.parse((await person.get(url, headers)).text)
    const known = await state({ 'x-linchpin-visit': visit })
    assert.equal(known.state, 'connected')
    assert.equal(known.account.integrationKey, 'desk')
    assert.deepEqual(await state({}), { state: 'unknown' })
    const foreign = (await t.person().get(path)).data('data-visit') ?? ''
    assert.deepEqual(await state({ 'x-linchpin-visit': foreign }), { state: 'unknown' })
    for (const { account_id } of await accounts())
      fine(await t.call('DELETE', `/v1/integration_account/${account_id}`))
  })
}

const VALID = {
  'field.region': 'eu',
  'field.port': '8080',
  'field.email': 'me@example.com',
  'field.code': 'ABC-12',
}
