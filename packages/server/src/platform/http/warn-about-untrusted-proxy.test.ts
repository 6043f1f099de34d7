import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testApp } from '../../../test/test-app.ts'

const findWarnings = (logs: readonly string[]) =>
  logs.filter((line) => line.includes('LINCHPIN_TRUST_PROXY'))

it('the first forwarded header of an untrusted proxy is logged, once, with the setting to change', async () => {
  const t = await testApp()
  try {
    await t.app.inject('/health/live')
    assert.deepEqual(findWarnings(t.logs), [])
    for (const headers of [{ 'x-forwarded-for': '203.0.113.7' }, { forwarded: 'for=192.0.2.1' }])
      await t.app.inject({ url: '/health/live', headers, remoteAddress: '10.0.0.9' })
    const [line = '', ...more] = findWarnings(t.logs)
    assert.deepEqual(more, [])
    const { level, proxy, header } = JSON.parse(line)
    assert.deepEqual([level, proxy, header], ['warn', '10.0.0.9', 'x-forwarded-for'])
    assert.ok(!line.includes('203.0.113.7'), 'the header itself is not logged')
  } finally {
    await t.close()
  }
})

it('forwarded headers of a trusted proxy are not logged, unless it sends only Forwarded', async () => {
  const t = await testApp({ trustProxy: ['10.0.0.0/8'] })
  try {
    const request = { url: '/health/live', remoteAddress: '10.0.0.9' }
    await t.app.inject({ ...request, headers: { 'x-forwarded-for': '203.0.113.7' } })
    assert.deepEqual(findWarnings(t.logs), [])
    await t.app.inject({ ...request, headers: { forwarded: 'for=192.0.2.1' } })
    assert.equal(JSON.parse(findWarnings(t.logs)[0] ?? '{}').header, 'forwarded')
  } finally {
    await t.close()
  }
})
