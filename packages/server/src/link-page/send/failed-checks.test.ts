import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defineDesk, rightAnswers } from '../test/desk.ts'
import { type PageWorld, startPageWorld } from '../test/page-world.ts'
import { formOf, type Person, wordsOf } from '../test/person.ts'
import { type CheckSender, createFailedChecks, FAILED_CHECK_BUDGETS } from './failed-checks.ts'

const { visitor, network, wideNetwork } = FAILED_CHECK_BUDGETS

describe('failed checks on the connect page', () => {
  let t: PageWorld
  let desk: Awaited<ReturnType<typeof defineDesk>>
  let now = Date.now()
  before(async () => {
    t = await startPageWorld({ now: () => now })
    desk = await defineDesk(t)
  })
  after(() => t.close())

  const open = async (person: Person) =>
    person.get(await t.link({ integrationDefinitionId: desk.definitionId }))
  const send = async (person: Person) => person.send(await open(person), rightAnswers(t))
  const metric = async () => (await t.app.inject('/metrics')).body

  it('are refused with 429, Retry-After and a page once a visitor has used up the budget, and nothing is sent', async () => {
    desk.say({ status: false, code: 'invalid_credentials' })
    const person = t.person()
    for (let failed = 0; failed < visitor.capacity; failed++)
      assert.equal((await send(person)).status, 422, `failure ${failed + 1}`)
    const [before, form] = [desk.calls(), await open(person)]
    desk.say({ status: true })
    const page = await person.send(form, rightAnswers(t))
    assert.deepEqual([page.status, page.state], [429, 'tooManyFailed'])
    const seconds = Number(page.headers.get('retry-after'))
    assert.ok(seconds > 150 && seconds <= 180, String(seconds))
    assert.match(wordsOf(page), /Too many attempts from here were not accepted. Try again in 3 min/)
    assert.equal(desk.calls(), before, 'the provider was asked')
    now += seconds * 1_000
    assert.equal((await person.send(form, rightAnswers(t))).status, 303, 'the same form counts now')
    assert.match(await metric(), /linchpin_link_checks_total\{outcome="refused"\} 1\n/)
    assert.match(await metric(), /linchpin_link_checks_total\{outcome="failed"\} 10\n/)
  })

  it('use nothing up when the credentials are accepted, fields are wrong or the form was sent before', async () => {
    now += 10 * 3_600_000
    desk.say({ status: true })
    const person = t.person()
    for (let sent = 0; sent < visitor.capacity + 2; sent++) {
      const form = await open(person)
      const invalid = { ...rightAnswers(t), 'field.port': 'seventy' }
      assert.equal((await person.send(form, invalid)).status, 422)
    }
    const form = await open(person)
    for (let sent = 0; sent < visitor.capacity + 2; sent++)
      assert.equal((await person.send(form, rightAnswers(t))).state === 'tooManyFailed', false)
    assert.ok(formOf(form))
  })

  it('are refused to a network when every request is another visitor, and not to another network', async () => {
    now += 10 * 3_600_000
    desk.say({ status: false, code: 'invalid_credentials' })
    const statuses = []
    for (let sent = 0; sent < network.capacity + 3; sent++) {
      if (sent % 20 === 0) now += 61_000
      statuses.push((await send(t.person())).status)
    }
    assert.ok(statuses.slice(0, network.capacity).every((status) => status === 422))
    assert.equal(statuses.at(-1), 429)
  })
})

describe('createFailedChecks', () => {
  const sender = (ip: string, visit = String(Math.random())): CheckSender => ({
    visit,
    ip,
    linkId: 'lnk_1',
    workspaceId: 'ws_1',
    definitionId: 'def_1',
  })
  const start = () => {
    const clock = { now: 0 }
    const warnings: object[] = []
    const log = { warn: (detail: object) => void warnings.push(detail) }
    const checks = createFailedChecks({ now: () => clock.now, log })
    const fail = (from: CheckSender) => {
      const check = checks.admit(from)
      if (typeof check === 'number') return check
      check.failed()
      return 0
    }
    return { clock, warnings, checks, fail }
  }
  const times = (count: number, act: (at: number) => number) =>
    Array.from({ length: count }, (_, at) => act(at)).filter((seconds) => seconds > 0).length

  it('counts an IPv4 address and its IPv6-mapped form as one network', () => {
    const { fail } = start()
    assert.equal(
      times(network.capacity, () => fail(sender('203.0.113.7'))),
      0,
    )
    assert.equal(fail(sender('203.0.113.7')), 180)
    assert.equal(fail(sender('::ffff:203.0.113.7')), 180)
    assert.equal(fail(sender('203.0.113.8')), 0)
  })

  it('counts an IPv6 /64 as one network, and a /48 as a wider one', () => {
    const { fail } = start()
    const low = (at: number) => `2001:db8:1:2::${at.toString(16)}`
    assert.equal(
      times(network.capacity, (at) => fail(sender(low(at)))),
      0,
    )
    assert.equal(fail(sender('2001:db8:1:2:ffff::1')), 180)
    const rest = wideNetwork.capacity - network.capacity
    assert.equal(
      times(rest, (at) => fail(sender(`2001:db8:1:${at + 16}::1`))),
      0,
    )
    assert.equal(fail(sender('2001:db8:1:fff0::1')), 45)
    assert.equal(fail(sender('2001:db8:2::1')), 0)
  })

  it('reserves before a check: parallel requests cannot exceed the budget', () => {
    const { checks } = start()
    const admitted = Array.from({ length: 50 }, () => checks.admit(sender('192.0.2.1', 'one')))
    assert.equal(admitted.filter((each) => typeof each !== 'number').length, visitor.capacity)
    for (const each of admitted) if (typeof each !== 'number') each.passed()
    assert.equal(typeof checks.admit(sender('192.0.2.1', 'one')), 'object')
  })

  it('never refuses at a link for failures of other networks: they only delay, and warn', async () => {
    const { checks, fail, warnings } = start()
    assert.equal(
      times(300, (at) => fail(sender(`198.51.${at >> 8}.${at & 255}`))),
      0,
    )
    const customer = checks.admit(sender('192.0.2.99'))
    assert.ok(typeof customer === 'object')
    const began = performance.now()
    const waits = Array.from({ length: 250 }, () => customer.delay())
    assert.equal(checks.counts().delayed, 250)
    await Promise.race(waits)
    assert.ok(performance.now() - began < 4_000, 'beyond 200 waiting checks there is no delay')
    assert.deepEqual(warnings, [{ linkId: 'lnk_1', definitionId: 'def_1' }])
    await Promise.all([waits[0], new Promise((resolve) => setTimeout(resolve, 5_500))])
    const took = performance.now() - began
    assert.ok(took >= 4_900, String(took))
  })

  it('delays no check of another workspace that uses the same definition', async () => {
    const { checks, fail } = start()
    times(300, (at) => fail(sender(`198.51.${at >> 8}.${at & 255}`)))
    const other = { ...sender('192.0.2.99'), linkId: 'lnk_2', workspaceId: 'ws_2' }
    const check = checks.admit(other)
    assert.ok(typeof check === 'object')
    await check.delay()
    assert.equal(checks.counts().delayed, 0)
    const sibling = checks.admit({ ...other, workspaceId: 'ws_1' })
    assert.ok(typeof sibling === 'object')
    await sibling.delay()
    assert.equal(checks.counts().delayed, 1, 'another link of the same workspace is delayed')
  })

  it('counts an address with the port that a proxy wrote as the same network', () => {
    const { fail } = start()
    times(network.capacity, (at) => fail(sender(`203.0.113.7:${50_000 + at}`)))
    assert.equal(fail(sender('203.0.113.7:443')), 180)
  })

  it('delays nobody while few fail', async () => {
    const { checks, fail } = start()
    times(30, (at) => fail(sender(`198.51.100.${at}`)))
    const check = checks.admit(sender('192.0.2.99'))
    assert.ok(typeof check === 'object')
    await check.delay()
    assert.equal(checks.counts().delayed, 0)
  })
})
