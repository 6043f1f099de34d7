import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from '../build/build.ts'
import { type Jail, startJail } from './jail.ts'
import { reply } from './reply.ts'

describe('the jail of the trial', () => {
  let jail: Jail
  let code: string
  before(async () => {
    const file = fileURLToPath(new URL('../../examples/github.ts', import.meta.url))
    ;[jail, { code }] = await Promise.all([startJail(), build(file)])
  })
  after(() => jail.close())

  const config = { authType: 'Token', token: 'sesame' }
  const check = () => jail.run({ code, command: 'CHECK', config, hosts: ['api.github.com'] })

  it('lets a check wait out a 429 inside its limits', async () => {
    const answers = [reply(429, {}, { 'Retry-After': '1' }), reply(200, { id: 1 })]
    jail.provider.answer(() => answers.shift() ?? reply(500))
    assert.deepEqual(await check(), { status: true, error: '' })
    assert.equal(jail.provider.asked.length, 2)
  })

  it('leads every declared host to the loopback, with what the provider would see', async () => {
    jail.provider.answer(() => reply(200))
    await check()
    const [asked] = jail.provider.asked
    assert.equal(asked?.url.href, 'https://api.github.com/user')
    assert.equal(asked?.headers.authorization, 'Bearer sesame')
    assert.equal(asked?.headers['user-agent'], 'Linchpin')
  })

  it('sends nothing to a host that is not declared', async () => {
    jail.provider.answer(() => reply(200))
    const answer = await jail.run({ code, command: 'CHECK', config, hosts: ['other.test'] })
    assert.equal((answer as { code: string }).code, 'provider_unreachable')
    assert.deepEqual([jail.refused, jail.provider.asked], [['api.github.com'], []])
  })
})
