import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from '../build/build.ts'
import { reply } from './reply.ts'
import { startTestSandbox, type TestSandbox } from './test-sandbox.ts'

describe('startTestSandbox', () => {
  let sandbox: TestSandbox
  let code: string
  before(async () => {
    const file = fileURLToPath(new URL('../../examples/github.ts', import.meta.url))
    ;[sandbox, { code }] = await Promise.all([startTestSandbox(), build(file)])
  })
  after(() => sandbox.close())

  const config = { authType: 'Token', token: 'sesame' }
  const check = () => sandbox.run({ code, command: 'CHECK', config, hosts: ['api.github.com'] })

  it('lets a check retry after a 429 within its limits', async () => {
    const replies = [reply(429, {}, { 'Retry-After': '1' }), reply(200, { id: 1 })]
    sandbox.provider.respondWith(() => replies.shift() ?? reply(500))
    assert.deepEqual(await check(), { status: true, error: '' })
    assert.equal(sandbox.provider.requests.length, 2)
  })

  it('routes every declared host to the loopback, with the original URL', async () => {
    sandbox.provider.respondWith(() => reply(200))
    await check()
    const [received] = sandbox.provider.requests
    assert.equal(received?.url.href, 'https://api.github.com/user')
    assert.equal(received?.headers.authorization, 'Bearer sesame')
    assert.equal(received?.headers['user-agent'], 'Linchpin')
  })

  it('sends nothing to a host that is not declared', async () => {
    sandbox.provider.respondWith(() => reply(200))
    const checkResult = await sandbox.run({ code, command: 'CHECK', config, hosts: ['other.test'] })
    assert.equal((checkResult as { code: string }).code, 'provider_unreachable')
    assert.deepEqual([sandbox.blockedHosts, sandbox.provider.requests], [['api.github.com'], []])
  })
})
