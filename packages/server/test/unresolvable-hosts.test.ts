import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createNameResolver } from '@linchpin/runner'
import { startNameServer, type TestNameServer } from '../../runner/test/egress/test-name-server.ts'
import { defineDesk } from '../src/connect/connect-page/test/desk.ts'
import type { PageTestContext } from '../src/connect/connect-page/test/page-test-context.ts'
import { getVisibleText } from '../src/connect/connect-page/test/test-visitor.ts'
import { expectError, expectOk, testContext } from './test-context.ts'

describe('A name server that does not respond for some names', () => {
  let nameServer: TestNameServer
  let t: PageTestContext
  let port: string
  before(async () => {
    nameServer = await startNameServer((name) =>
      name.endsWith('.dead.test')
        ? 'no-response'
        : name === 'alive.test'
          ? ['127.0.0.1']
          : 'NXDOMAIN',
    )
    const missingFile = '/nonexistent'
    const servers = [nameServer.address]
    t = await testContext({
      pages: true,
      resolve: createNameResolver({
        servers,
        hostsFile: missingFile,
        resolvConf: missingFile,
        // Long enough for a busy machine to complete everything else first.
        timeoutMs: 4_000,
      }),
    })
    port = new URL(t.stubServer.url).port
  })
  after(async () => {
    await t.close()
    await nameServer.close()
  })

  it('20 anonymous forms with such hosts do not delay requests of another workspace', async () => {
    const { definitionId } = await defineDesk(t)
    const path = await t.link({ integrationDefinitionId: definitionId })
    const { token } = await t.otherUser()
    const order: string[] = []
    const forms = Array.from({ length: 20 }, async (_, at) => {
      const visitor = t.visitor()
      const page = await visitor.submit(await visitor.get(path), {
        'field.api_key': 'desk_live_canary_0123',
        'field.base_url': `http://shop${at}.dead.test:${port}`,
      })
      order.push('form')
      return page
    })
    while (!nameServer.queries.some((name) => name.endsWith('.dead.test')))
      await new Promise((resolve) => setTimeout(resolve, 5))
    const sourceUrl = `http://alive.test:${port}/missing.js`
    const body = { name: 'By name', integrationType: 'TICKETING', sourceUrl }
    const downloads = Array.from({ length: 5 }, async () => {
      const response = await t.call('POST', '/v1/integration_definition', { body, token })
      assert.match(expectError(response, 'source_unreachable').message, /404/)
      order.push('download')
    })
    await Promise.all(downloads)
    assert.deepEqual(order, Array(5).fill('download'))
    for (const form of await Promise.all(forms)) {
      assert.equal(form.status, 422, getVisibleText(form))
      assert.doesNotMatch(form.text, /canary/)
    }
  })

  it('a check of six such names ends with a provider error', async () => {
    const code = `exports.default = async (command) => {
      if (command === 'SPEC') return { auth_specification: { None: {} } }
      const hosts = [1, 2, 3, 4, 5, 6].map((at) => 'http://' + at + '.dead.test:${port}/')
      await Promise.all(hosts.map((host) => fetch(host)))
      return { status: true }
    }`
    const { integrationDefinitionId } = await t.createDefinition({ code })
    const body = { integrationDefinitionId, authType: 'None', config: {} }
    const checks = Array.from({ length: 4 }, () =>
      t.call('POST', '/v1/integration_account/check', { body }),
    )
    for (const response of await Promise.all(checks)) expectError(response, 'provider_error')
    expectOk(await t.call('GET', '/v1/user'))
  })
})

describe('A service without a name server', () => {
  let t: PageTestContext
  before(async () => {
    const closed = await startNameServer(() => 'no-response')
    await closed.close()
    const missingFile = '/nonexistent'
    t = await testContext({
      pages: true,
      resolve: createNameResolver({
        servers: [closed.address],
        hostsFile: missingFile,
        resolvConf: missingFile,
        timeoutMs: 1_000,
      }),
    })
  })
  after(() => t.close())

  it('the connect page reports a problem on our side, not one of the provider', async () => {
    const { definitionId } = await defineDesk(t)
    const visitor = t.visitor()
    const form = await visitor.get(await t.link({ integrationDefinitionId: definitionId }))
    const page = await visitor.submit(form, {
      'field.api_key': 'desk_live_canary_0123',
      'field.base_url': 'http://shop.test/',
    })
    assert.equal(page.status, 422)
    assert.equal(page.getData('data-code'), 'egress_unavailable')
    assert.match(
      getVisibleText(page),
      /We couldn't reach Desk because of a network problem on our side/,
    )
    assert.doesNotMatch(getVisibleText(page), /isn't responding/)
  })

  it('POST /v1/integration_account/check: 503 egress_unavailable when the integration throws', async () => {
    const code = `exports.default = async (command) => {
      if (command === 'SPEC') return { auth_specification: { None: {} } }
      await fetch('http://shop.test/')
      return { status: true }
    }`
    const { integrationDefinitionId } = await t.createDefinition({ code })
    const body = { integrationDefinitionId, authType: 'None', config: {} }
    const response = await t.call('POST', '/v1/integration_account/check', { body })
    expectError(response, 'egress_unavailable')
  })
})
