import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from '../build/build.ts'
import { type Jail, startJail } from './jail.ts'
import { reply } from './reply.ts'

describe('createTestJail', () => {
  let jail: Jail
  let code: string
  before(async () => {
    const file = fileURLToPath(new URL('../../examples/github.ts', import.meta.url))
    ;[jail, { code }] = await Promise.all([startJail(), build(file)])
  })
  after(() => jail.close())

  const config = { authType: 'Token', token: 'sesame' }
  const check = () => jail.run({ code, command: 'CHECK', config, hosts: ['api.github.com'] })

  it('lets a check retry after a 429 within its limits', async () => {
    const replies = [reply(429, {}, { 'Retry-After': '1' }), reply(200, { id: 1 })]
    jail.provider.respondWith(() => replies.shift() ?? reply(500))
    assert.deepEqual(await check(), { status: true, error: '' })
    assert.equal(jail.provider.requests.length, 2)
  })

  it('routes every declared host to the loopback, with the original URL', async () => {
    jail.provider.respondWith(() => reply(200))
    await check()
    const [received] = jail.provider.requests
    assert.equal(received?.url.href, 'https://api.github.com/user')
    assert.equal(received?.headers.authorization, 'Bearer sesame')
    assert.equal(received?.headers['user-agent'], 'Linchpin')
  })

  it('sends nothing to a host that is not declared', async () => {
    jail.provider.respondWith(() => reply(200))
    const checkResult = await jail.run({ code, command: 'CHECK', config, hosts: ['other.test'] })
    assert.equal((checkResult as { code: string }).code, 'provider_unreachable')
    assert.deepEqual([jail.blockedHosts, jail.provider.requests], [['api.github.com'], []])
  })
})
