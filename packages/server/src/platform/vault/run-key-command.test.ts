import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { createTemporaryFolder } from '../storage/test/test-database.ts'
import { type KeyCommandOptions, parseKeysOrCommand, runKeyCommand } from './key-ring.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')
const NO_RETRY = { retryDelaysMs: [] }

async function readKeys(
  setting: string,
  env: Readonly<Record<string, string | undefined>>,
  options: KeyCommandOptions = NO_RETRY,
) {
  const keys = parseKeysOrCommand(setting, env)
  assert.ok('path' in keys)
  return await runKeyCommand(keys, options)
}

describe('LINCHPIN_KEYS=command:', () => {
  it('is the key ring that a program prints, one key per line or comma-separated', async (t) => {
    for (const output of [`a:${KEY}\\nb:${KEY}\\n`, `a:${KEY},b:${KEY}`]) {
      const script = await writeScript(t, `printf '${output}'; echo canary >&2`)
      const ring = await readKeys(`command:${script}`, {})
      assert.deepEqual(
        ring.map(({ id }) => id),
        ['a', 'b'],
      )
    }
    assert.deepEqual(Object.keys(parseKeysOrCommand(`c:${KEY}`, {})), ['0'])
  })

  it('passes arguments without a shell, no input, and no setting of Linchpin', async (t) => {
    const folder = await createTemporaryFolder(t)
    const script = await writeScript(t, `env > ${folder}/env; cat; printf '%s:${KEY}' "$2"`)
    const env = { REGION: 'eu', LINCHPIN_TOKEN: 'canary', DATABASE_URL: 'canary' }
    const ring = await readKeys(`command:${script} $(touch${folder}/x) k-1`, env)
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
      [`sleep 1 & echo a:${KEY}`, /did not end within 0.2 seconds/],
      ['yes', /printed more than 65536 bytes/],
      [`echo a:${KEY}x`, /is not a key ring: key 1 \(a\) is not base64/],
      ['true', /is not a key ring: key 1 is not id:base64/],
    ]
    for (const [body, expected] of failures) {
      const options = { ...NO_RETRY, timeoutMs: body.includes('sleep') ? 200 : 10_000 }
      const script = await writeScript(t, body)
      await assert.rejects(
        readKeys(`command:${script}`, process.env, options),
        (error: Error) => expected.test(error.message) && !error.message.includes(KEY),
        body,
      )
    }
    await assert.rejects(readKeys('command:/no/such', {}), /ENOENT/)
    assert.throws(() => parseKeysOrCommand('command:cat', {}), /absolute path/)
  })

  it('is run again when it fails', async (t) => {
    const folder = await createTemporaryFolder(t)
    const script = await writeScript(
      t,
      `echo x >> ${folder}/n; [ $(wc -l < ${folder}/n) = 3 ] && printf a:${KEY}`,
    )
    const options = { retryDelaysMs: [1, 1] }
    assert.equal((await readKeys(`command:${script}`, process.env, options))[0].id, 'a')
  })
})

async function writeScript(t: TestContext, body: string): Promise<string> {
  const file = join(await createTemporaryFolder(t), 'keys')
  writeFileSync(file, `#!/bin/sh\n${body}\n`)
  chmodSync(file, 0o700)
  return file
}
