import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testApp } from '../../../test/test-app.ts'
import { expectCreated } from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { type AuditIpMode, toAuditIp } from './authenticate-requests.ts'

describe('toAuditIp', () => {
  const CASES: [string | undefined, AuditIpMode, string | null][] = [
    ['192.0.2.17', 'full', '192.0.2.17'],
    ['::ffff:192.0.2.17', 'full', '192.0.2.17'],
    ['2001:db8:1:2:3::4', 'full', '2001:db8:1:2:3::4'],
    ['192.0.2.17', 'network', '192.0.2.0/24'],
    ['2001:db8:1:2:3::4', 'network', '2001:db8:1::/48'],
    ['192.0.2.17', 'none', null],
    [undefined, 'full', null],
  ]
  for (const [ip, mode, expected] of CASES)
    it(`returns ${expected} for ${ip} with ${mode}`, () => {
      assert.equal(toAuditIp(ip, mode), expected)
    })
})

describe('LINCHPIN_AUDIT_IP', () => {
  const readIp = async (auditIp: AuditIpMode | undefined, trustProxy: string[]) => {
    const t = await testApp({ auditIp, trustProxy })
    try {
      const headers = { 'x-forwarded-for': '198.51.100.7' }
      expectCreated(await t.call('POST', '/v1/link', { body: { linkName: 'a' }, headers }))
      const { ip } = await selectAuditEntries(t.database.read)
        .select('ip')
        .where('action', '=', 'link.created')
        .executeTakeFirstOrThrow()
      return ip
    } finally {
      await t.close()
    }
  }

  it('records the client behind a trusted proxy', async () => {
    assert.equal(await readIp(undefined, ['127.0.0.1']), '198.51.100.7')
    assert.equal(await readIp('network', ['127.0.0.1']), '198.51.100.0/24')
    assert.equal(await readIp('none', ['127.0.0.1']), null)
  })

  it('records the proxy, not what it forwards, if the proxy is not trusted', async () => {
    assert.equal(await readIp(undefined, []), '127.0.0.1')
  })
})
