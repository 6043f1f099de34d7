import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ConfigFields, trimConfig, trimText } from './validate-config.ts'

const fields: ConfigFields = {
  properties: new Map([
    ['region', { enum: ['eu', ' us '] }],
    ['code', { pattern: '^[A-Z]+$' }],
  ]),
  required: [],
  declaresRequired: false,
}
const PEM = '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n'

describe('trimConfig', () => {
  for (const text of ['key\n', 'key\r\n', ' key ', '\tkey', '\u00a0key\ufeff', '\n\n key \r\n '])
    it(`removes the whitespace around a key: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(trimConfig(fields, { api_key: text, nested: { token: text } }), {
        api_key: 'key',
        nested: { token: 'key' },
      })
    })

  it('leaves text of several lines, constrained fields and other types unchanged', () => {
    const config = {
      private_key: PEM,
      service_account: '{\n  "type": "service_account"\n}\n',
      region: ' us ',
      code: 'AB\n',
      port: 443,
      isOld: false,
      list: [' a '],
      nothing: null,
    }
    assert.deepEqual(trimConfig(fields, config), config)
  })

  it('removes only line breaks around a password, whose spaces may be intended', () => {
    for (const name of ['password', 'Password', 'passphrase', 'db_passwd'])
      assert.equal(trimText(name, '\n a b \r\n'), ' a b ')
  })

  it('takes time in proportion to the length of a text', () => {
    const before = process.cpuUsage()
    for (const name of ['api_key', 'password'])
      assert.equal(trimText(name, `x${'\n'.repeat(2_000_000)}x`).length, 2_000_002)
    const { user } = process.cpuUsage(before)
    assert.ok(user < 2_000_000, `${user} µs`)
  })
})
