import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { createTemporaryFolder } from '../storage/test/test-database.ts'
import { parseKeysOrRun } from './run-key-command.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const NO_RETRY = { retryDelaysMs: [] }

describe('LINCHPIN_KEYS=command:', () => {
  it('is the key ring that a program prints, one key per line or comma-separated', async (t) => {
    for (const output of [`a:${KEY}\\nb:${KEY}\\n`, `a:${KEY},b:${KEY}`]) {
      const script = await writeScript(t, `printf '${output}'; echo canary >&2`)
      const ring = parseKeysOrRun(`command:${script}`, { env: {}, ...NO_RETRY })
      assert.deepEqual(
        ring.map(({ id }) => id),
        ['a', 'b'],
      )
    }
    assert.equal(parseKeysOrRun(`c:${KEY}`, { env: {} })[0].id, 'c')
  })

  it('passes arguments without a shell, no input, and no setting of Linchpin', async (t) => {
    const folder = await createTemporaryFolder(t)
    const script = await writeScript(t, `env > ${folder}/env; cat; printf '%s:${KEY}' "$2"`)
    const env = { REGION: 'eu', LINCHPIN_TOKEN: 'canary', DATABASE_URL: 'canary' }
    const ring = parseKeysOrRun(`command:${script} $(touch${folder}/x) k-1`, { env, ...NO_RETRY })
    assert.equal(ring[0].id, 'k-1')
    assert.equal(existsSync(join(folder, 'x')), false)
    const seen = readFileSync(join(folder, 'env'), 'utf8')
    assert.match(seen, /REGION=eu/)
    assert.doesNotMatch(seen, /canary/)
  })

  it('is refused with the reason, and without what it printed', async (t) => {
    const failures: [string, RegExp][] = [
      [`echo ${KEY}; exit 3`, /ended with exit code 3/],
      ['kill -9 $$', /was ended by SIGKILL/],
      ['exec sleep 60', /did not end within 0.2 seconds/],
      ['yes', /printed more than 65536 bytes/],
      [`echo a:${KEY}x`, /is not a key ring: key 1 \(a\) is not base64/],
      ['true', /is not a key ring: key 1 is not id:base64/],
    ]
    for (const [body, expected] of failures) {
      const options = { env: process.env, timeoutMs: body === 'exec sleep 60' ? 200 : 10_000 }
      const script = await writeScript(t, body)
      assert.throws(
        () => parseKeysOrRun(`command:${script}`, { ...options, ...NO_RETRY }),
        (error: Error) => expected.test(error.message) && !error.message.includes(KEY),
        body,
      )
    }
    assert.throws(() => parseKeysOrRun('command:/no/such', { env: {}, ...NO_RETRY }), /ENOENT/)
    assert.throws(() => parseKeysOrRun('command:cat', { env: {} }), /absolute path/)
  })

  it('is run again when it fails', async (t) => {
    const folder = await createTemporaryFolder(t)
    const script = await writeScript(
      t,
      `echo x >> ${folder}/n; [ $(wc -l < ${folder}/n) = 3 ] && printf a:${KEY}`,
    )
    const options = { env: process.env, retryDelaysMs: [1, 1] }
    assert.equal(parseKeysOrRun(`command:${script}`, options)[0].id, 'a')
  })
})

async function writeScript(t: TestContext, body: string): Promise<string> {
  const file = join(await createTemporaryFolder(t), 'keys')
  writeFileSync(file, `#!/bin/sh\n${body}\n`)
  chmodSync(file, 0o700)
  return file
}
