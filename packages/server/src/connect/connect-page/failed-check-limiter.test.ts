import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { testContext } from '../../../test/test-context.ts'
import {
  type CheckRequester,
  createFailedCheckLimiter,
  FAILED_CHECK_BUDGETS,
} from './failed-check-limiter.ts'
import { createValidFormValues, defineDesk } from './test/desk.ts'
import type { PageTestContext } from './test/page-test-context.ts'
import { extractForm, getVisibleText, type TestVisitor } from './test/test-visitor.ts'

const { visitor: visitorBudget, network, wideNetwork } = FAILED_CHECK_BUDGETS

describe('Failed credential checks on the connect page', () => {
  let t: PageTestContext
  let desk: Awaited<ReturnType<typeof defineDesk>>
  let now = Date.now()
  before(async () => {
    t = await testContext({ pages: true, now: () => now })
    desk = await defineDesk(t)
  })
  after(() => t.close())

  const openForm = async (visitor: TestVisitor) =>
    visitor.get(await t.link({ integrationDefinitionId: desk.definitionId }))
  const submitForm = async (visitor: TestVisitor) =>
    visitor.submit(await openForm(visitor), createValidFormValues(t))
  const getMetrics = async () => (await t.app.inject('/metrics')).body

  it('a visitor over the budget gets 429 with Retry-After and a page, and nothing is sent to the provider', async () => {
    desk.setCheckResponse({ status: false, code: 'invalid_credentials' })
    const visitor = t.visitor()
    for (let failures = 0; failures < visitorBudget.capacity; failures++)
      assert.equal((await submitForm(visitor)).status, 422, `failure ${failures + 1}`)
    const [before, form] = [desk.providerCalls(), await openForm(visitor)]
    desk.setCheckResponse({ status: true })
    const page = await visitor.submit(form, createValidFormValues(t))
    assert.deepEqual([page.status, page.state], [429, 'tooManyFailed'])
    const seconds = Number(page.headers.get('retry-after'))
    assert.ok(seconds > 150 && seconds <= 180, String(seconds))
    assert.match(
      getVisibleText(page),
      /Too many attempts from your browser or network were rejected. Try again in 3 min/,
    )
    assert.equal(desk.providerCalls(), before, 'the provider received a request')
    now += seconds * 1_000
    assert.equal(
      (await visitor.submit(form, createValidFormValues(t))).status,
      303,
      'the same form consumes the budget now',
    )
    assert.match(await getMetrics(), /linchpin_link_checks_total\{outcome="refused"\} 1\n/)
    assert.match(await getMetrics(), /linchpin_link_checks_total\{outcome="failed"\} 10\n/)
  })

  it('accepted credentials, invalid fields and resubmitted forms do not consume the budget', async () => {
    now += 10 * 3_600_000
    desk.setCheckResponse({ status: true })
    const visitor = t.visitor()
    for (let sent = 0; sent < visitorBudget.capacity + 2; sent++) {
      const form = await openForm(visitor)
      const invalid = { ...createValidFormValues(t), 'field.port': 'seventy' }
      assert.equal((await visitor.submit(form, invalid)).status, 422)
    }
    const form = await openForm(visitor)
    for (let sent = 0; sent < visitorBudget.capacity + 2; sent++)
      assert.equal(
        (await visitor.submit(form, createValidFormValues(t))).state === 'tooManyFailed',
        false,
      )
    assert.ok(extractForm(form))
  })

  it('a network over the budget is rejected even with a new session per request; other networks are not', async () => {
    now += 10 * 3_600_000
    desk.setCheckResponse({ status: false, code: 'invalid_credentials' })
    const statuses = []
    for (let sent = 0; sent < network.capacity + 3; sent++) {
      if (sent % 20 === 0) now += 61_000
      statuses.push((await submitForm(t.visitor())).status)
    }
    assert.ok(statuses.slice(0, network.capacity).every((status) => status === 422))
    assert.equal(statuses.at(-1), 429)
  })

  it('checks that end with an error of the provider consume the budget: they are not free tries', async () => {
    now += 10 * 3_600_000
    t.stubServer.serve('/told', (_request, response) => response.writeHead(500).end('broken'))
    const visitor = t.visitor()
    for (let sent = 0; sent < visitorBudget.capacity; sent++)
      assert.notEqual((await submitForm(visitor)).status, 429, `check ${sent + 1}`)
    assert.equal((await submitForm(visitor)).status, 429)
    assert.equal((await submitForm(t.visitor())).status, 422)
  })
})

describe('createFailedCheckLimiter', () => {
  const sender = (ip: string, session = String(Math.random())): CheckRequester => ({
    session,
    ip,
    linkId: 'lnk_1',
    workspaceId: 'wsp_1',
    definitionId: 'def_1',
  })
  const startLimiter = () => {
    const clock = { now: 0 }
    const warnings: object[] = []
    const log = { warn: (detail: object) => void warnings.push(detail) }
    const delays: { readonly ms: number; end(): void }[] = []
    const sleep = (ms: number) => new Promise<void>((end) => void delays.push({ ms, end }))
    const limiter = createFailedCheckLimiter({ now: () => clock.now, log, sleep })
    const failCheck = (from: CheckRequester) => {
      const check = limiter.admit(from)
      if (typeof check === 'number') return check
      check.failed()
      return 0
    }
    return { clock, delays, warnings, checks: limiter, fail: failCheck }
  }
  const countRefused = (count: number, attemptCheck: (at: number) => number) =>
    Array.from({ length: count }, (_, at) => attemptCheck(at)).filter((seconds) => seconds > 0)
      .length

  it('counts an IPv4 address and its IPv6-mapped form as one network', () => {
    const { fail: failCheck } = startLimiter()
    assert.equal(
      countRefused(network.capacity, () => failCheck(sender('203.0.113.7'))),
      0,
    )
    assert.equal(failCheck(sender('203.0.113.7')), 180)
    assert.equal(failCheck(sender('::ffff:203.0.113.7')), 180)
    assert.equal(failCheck(sender('203.0.113.8')), 0)
  })

  it('counts an IPv6 /64 as one network, and a /48 as a wider one', () => {
    const { fail: failCheck } = startLimiter()
    const createAddress = (at: number) => `2001:db8:1:2::${at.toString(16)}`
    assert.equal(
      countRefused(network.capacity, (at) => failCheck(sender(createAddress(at)))),
      0,
    )
    assert.equal(failCheck(sender('2001:db8:1:2:ffff::1')), 180)
    const remaining = wideNetwork.capacity - network.capacity
    assert.equal(
      countRefused(remaining, (at) => failCheck(sender(`2001:db8:1:${at + 16}::1`))),
      0,
    )
    assert.equal(failCheck(sender('2001:db8:1:fff0::1')), 45)
    assert.equal(failCheck(sender('2001:db8:2::1')), 0)
  })

  it('reserves before a check: parallel requests cannot exceed the budget', () => {
    const { checks: limiter } = startLimiter()
    const admitted = Array.from({ length: 50 }, () => limiter.admit(sender('192.0.2.1', 'one')))
    assert.equal(admitted.filter((each) => typeof each !== 'number').length, visitorBudget.capacity)
    for (const each of admitted) if (typeof each !== 'number') each.passed()
    assert.equal(typeof limiter.admit(sender('192.0.2.1', 'one')), 'object')
  })

  it('failures of other networks at a link delay a check and log a warning, but never reject it', async () => {
    const { checks: limiter, fail: failCheck, delays, warnings } = startLimiter()
    assert.equal(
      countRefused(300, (at) => failCheck(sender(`198.51.${at >> 8}.${at & 255}`))),
      0,
    )
    const customer = limiter.admit(sender('192.0.2.99'))
    assert.ok(typeof customer === 'object')
    let started = 0
    const checks = Array.from({ length: 250 }, () => customer.delay().then(() => started++))
    assert.equal(limiter.counts().delayed, 250)
    await nextTurn()
    assert.equal(started, 50, 'beyond 200 waiting checks there is no delay')
    assert.deepEqual([delays.length, new Set(delays.map(({ ms }) => ms))], [200, new Set([5_000])])
    assert.deepEqual(warnings, [{ linkId: 'lnk_1', workspaceId: 'wsp_1', definitionId: 'def_1' }])
    for (const { end } of delays) end()
    await Promise.all(checks)
  })

  it('does not delay checks of another workspace with the same definition', async () => {
    const { checks: limiter, fail: failCheck, delays } = startLimiter()
    countRefused(300, (at) => failCheck(sender(`198.51.${at >> 8}.${at & 255}`)))
    const other: CheckRequester = { ...sender('192.0.2.99'), linkId: 'lnk_2', workspaceId: 'wsp_2' }
    const check = limiter.admit(other)
    assert.ok(typeof check === 'object')
    await check.delay()
    assert.equal(limiter.counts().delayed, 0)
    const sibling = limiter.admit({ ...other, workspaceId: 'wsp_1' })
    assert.ok(typeof sibling === 'object')
    const delay = sibling.delay()
    delays[0]?.end()
    await delay
    assert.equal(limiter.counts().delayed, 1, 'another link of the same workspace is delayed')
  })

  it('delays all sessions without a link of a workspace together, and no others', async () => {
    const { checks: limiter, fail: failCheck, delays } = startLimiter()
    const withoutLink = (ip: string): CheckRequester => ({ ...sender(ip), linkId: null })
    countRefused(300, (at) => failCheck(withoutLink(`198.51.${at >> 8}.${at & 255}`)))
    const another = { ...withoutLink('192.0.2.99'), definitionId: 'def_2' as const }
    const others = [
      { ...another, workspaceId: 'wsp_2' as const },
      { ...another, linkId: 'lnk_2' as const },
    ]
    for (const requester of others) {
      const check = limiter.admit(requester)
      assert.ok(typeof check === 'object')
      await check.delay()
    }
    assert.equal(limiter.counts().delayed, 0)
    const check = limiter.admit(another)
    assert.ok(typeof check === 'object')
    const delay = check.delay()
    assert.equal(limiter.counts().delayed, 1)
    delays[0]?.end()
    await delay
  })

  it('ignores a port that a proxy appended to the IP address', () => {
    const { fail: failCheck } = startLimiter()
    countRefused(network.capacity, (at) => failCheck(sender(`203.0.113.7:${50_000 + at}`)))
    assert.equal(failCheck(sender('203.0.113.7:443')), 180)
  })

  it('does not delay checks while there are few failures', async () => {
    const { checks: limiter, fail: failCheck } = startLimiter()
    countRefused(30, (at) => failCheck(sender(`198.51.100.${at}`)))
    const check = limiter.admit(sender('192.0.2.99'))
    assert.ok(typeof check === 'object')
    await check.delay()
    assert.equal(limiter.counts().delayed, 0)
  })
})
