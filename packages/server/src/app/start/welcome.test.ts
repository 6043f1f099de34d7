import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createDataFolder, startMain } from '../../../test/main-process.ts'
import { generateAccessToken } from '../../access/auth/access-token.ts'
import { welcome } from './output.ts'

const SESSION_COMMAND = /^curl (?:.*\\\n)*.*$/m

describe('the first lines of a start with LINCHPIN_LOG_FORMAT=pretty', () => {
  it('name the start page, the API reference and the token file, contain no token and no JSON', async (t) => {
    const LINCHPIN_DATA_DIR = join(await createDataFolder(), "it's my data")
    const main = await startMain(t, { LINCHPIN_DATA_DIR, LINCHPIN_LOG_FORMAT: 'pretty' })
    const { stdout } = await main.stop()
    for (const text of [
      `${main.url}/\n`,
      `${main.url}/docs\n`,
      join(LINCHPIN_DATA_DIR, 'owner-token'),
    ])
      assert.ok(stdout.includes(text), text)
    assert.ok(!stdout.includes(readFileSync(join(LINCHPIN_DATA_DIR, 'owner-token'), 'utf8').trim()))
    assert.doesNotMatch(stdout, /^\{/m)
  })

  it('contain a command that creates a connect session and prints its address', async (t) => {
    const LINCHPIN_DATA_DIR = join(await createDataFolder(), "it's my data")
    const main = await startMain(t, { LINCHPIN_DATA_DIR, LINCHPIN_LOG_FORMAT: 'pretty' })
    const command = SESSION_COMMAND.exec(main.stdout())?.[0] ?? ''
    const address = execFileSync('sh', ['-c', command], { encoding: 'utf8' })
    assert.match(address, new RegExp(`^${main.url}/connect/cnt_[\\w-]+\\n$`))
    const page = await fetch(address.trim())
    assert.equal(page.status, 200)
    assert.match(await page.text(), /<h1/)
    await main.stop()
  })

  it('contain a command that works with LINCHPIN_TOKEN, which it takes from the environment', async (t) => {
    const env = { LINCHPIN_TOKEN: generateAccessToken() }
    const LINCHPIN_DATA_DIR = await createDataFolder()
    const main = await startMain(t, { ...env, LINCHPIN_DATA_DIR, LINCHPIN_LOG_FORMAT: 'pretty' })
    const stdout = main.stdout()
    assert.ok(!stdout.includes(env.LINCHPIN_TOKEN))
    const address = execFileSync('sh', ['-c', SESSION_COMMAND.exec(stdout)?.[0] ?? ''], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...env },
    })
    assert.match(address, /\/connect\/cnt_[\w-]+\n$/)
    await main.stop()
  })
})

const OPTIONS = {
  url: 'http://localhost:3000',
  tokenFile: '/data/owner-token',
  hasTokenSetting: false,
  hasSandbox: true,
}

describe('welcome', () => {
  it('names Acme Sandbox and its key, unless the sandbox is removed', () => {
    const text = welcome(OPTIONS)
    assert.match(text, /Acme Sandbox[\s\S]*"good"/)
    assert.match(text, /"integrationDefinitionIds":\["acme_sandbox"\]/)
    assert.doesNotMatch(welcome({ ...OPTIONS, hasSandbox: false }), /sandbox/i)
  })

  it('says how to create a token when it is neither in a file nor in a setting', () => {
    const text = welcome({ ...OPTIONS, tokenFile: undefined })
    assert.match(text, /TOKEN=\$\(npm run --silent token -- --owner\)/)
    assert.match(text, /Bearer \$TOKEN"/)
  })
})
