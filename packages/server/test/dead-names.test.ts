import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createNameResolver } from '@linchpin/runner'
import {
  startNameServer,
  type TestNameServer,
} from '../../runner/src/egress/dns/test-name-server.ts'
import { defineDesk } from '../src/link-page/test/desk.ts'
import { type PageWorld, startPageWorld } from '../src/link-page/test/page-world.ts'
import { wordsOf } from '../src/link-page/test/person.ts'
import { fine, refused } from './fixtures.ts'

describe('a name server that is silent for some names', () => {
  let names: TestNameServer
  let t: PageWorld
  let port: string
  before(async () => {
    names = await startNameServer((name) =>
      name.endsWith('.dead.test') ? 'silence' : name === 'alive.test' ? ['127.0.0.1'] : 'NXDOMAIN',
    )
    const none = '/nonexistent'
    const servers = [names.address]
    t = await startPageWorld({
      resolve: createNameResolver({
        ...{ servers, hostsFile: none, resolvConf: none },
        // Long, so that a busy machine has done the rest by then.
        timeoutMs: 4_000,
      }),
    })
    port = new URL(t.origin.url).port
  })
  after(async () => {
    await t.close()
    await names.close()
  })

  it('20 anonymous forms with such hosts hold up no request by name of another workspace', async () => {
    const { definitionId } = await defineDesk(t)
    const path = await t.link({ integrationDefinitionId: definitionId })
    const { token } = await t.stranger()
    const order: string[] = []
    const forms = Array.from({ length: 20 }, async (_, at) => {
      const person = t.person()
      const shown = await person.send(await person.get(path), {
        'field.api_key': 'desk_live_canary_0123',
        'field.base_url': `http://shop${at}.dead.test:${port}`,
      })
      order.push('form')
      return shown
    })
    while (!names.asked.some((name) => name.endsWith('.dead.test')))
      await new Promise((resolve) => setTimeout(resolve, 5))
    const sourceUrl = `http://alive.test:${port}/missing.js`
    const body = { name: 'By name', integrationType: 'TICKETING', sourceUrl }
    const downloads = Array.from({ length: 5 }, async () => {
      const answer = await t.call('POST', '/v1/integration_definition', { body, token })
      assert.match(refused(answer, 'source_unreachable').message, /404/)
      order.push('download')
    })
    await Promise.all(downloads)
    assert.deepEqual(order, Array(5).fill('download'))
    for (const form of await Promise.all(forms)) {
      assert.equal(form.status, 422, wordsOf(form))
      assert.doesNotMatch(form.text, /canary/)
    }
  })

  it('a check of six such names ends, and is blamed on the provider', async () => {
    const code = `exports.default = async (command) => {
      if (command === 'SPEC') return { auth_specification: { None: {} } }
      const hosts = [1, 2, 3, 4, 5, 6].map((at) => 'http://' + at + '.dead.test:${port}/')
      await Promise.all(hosts.map((host) => fetch(host)))
      return { status: true }
    }`
    const { integrationDefinitionId } = await t.define({ code })
    const body = { integrationDefinitionId, authType: 'None', config: {} }
    const checks = Array.from({ length: 4 }, () =>
      t.call('POST', '/v1/integration_account/check', { body }),
    )
    for (const answer of await Promise.all(checks)) refused(answer, 'provider_error')
    fine(await t.call('GET', '/v1/user'))
  })
})
