import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'
import { createTemporaryFolder } from '../storage/test/test-database.ts'
import { parsePostgresUrl } from './setting.ts'

describe('parsePostgresUrl', () => {
  it('rejects a certificate that is missing, a folder or empty, and names the parameter', async (t) => {
    const folder = await createTemporaryFolder(t)
    const file = (name: string, text: string) => {
      writeFileSync(path.join(folder, name), text)
      return path.join(folder, name)
    }
    const url = (query: string) => `postgres://u:canary@127.0.0.1:1/d?${query}`
    const failures: [string, RegExp][] = [
      [`sslrootcert=${folder}/missing`, /^sslrootcert: cannot read the file: ENOENT.*missing'$/],
      [`sslcert=${folder}`, /^sslcert: .* is not a file\.$/],
      [`sslkey=${file('empty', '')}`, /^sslkey: .*empty is empty\.$/],
      ['sslmode=verify-full&sslrootcert=/dev/zero', /^sslrootcert: \/dev\/zero is not a file\.$/],
    ]
    for (const [query, expected] of failures)
      assert.throws(
        () => parsePostgresUrl(url(query)),
        ({ message }: Error) => expected.test(message) && !message.includes('canary'),
        query,
      )
    const valid = url(`sslmode=verify-full&sslrootcert=${file('ca.pem', 'CERTIFICATE')}`)
    assert.equal(parsePostgresUrl(valid), valid)
  })

  it('accepts every sslmode of libpq, and rejects others', () => {
    for (const mode of ['disable', 'allow', 'prefer', 'require', 'verify-full', 'no-verify'])
      assert.match(parsePostgresUrl(`postgres://u@h/d?sslmode=${mode}`), /sslmode/)
    for (const [query, expected] of [
      [
        'sslmode=on',
        /^sslmode must be one of disable, allow, prefer, require, verify-ca, verify-f/,
      ],
      ['sslmode=', /^sslmode must be one of/],
      ['sslmode=prefer&sslmode=require', /^sslmode occurs more than once\.$/],
      ['sslmode=verify-ca', /^sslmode=verify-ca needs sslrootcert/],
    ] as const)
      assert.throws(() => parsePostgresUrl(`postgres://u@h/d?${query}`), { message: expected })
  })

  it('rejects what the driver cannot decode, and accepts what it encodes itself', () => {
    for (const url of ['postgres://u:%FFcanary@h/d', 'postgres://u@h/%E0%A4%A'])
      assert.throws(() => parsePostgresUrl(url), /^Error: has a % sequence that is not UTF-8\.$/)
    for (const url of ['postgres://u:100%zz@h/d', `postgres://u:%C3%A9@h/d?host=${tmpdir()}`])
      assert.equal(parsePostgresUrl(url), url)
  })
})
