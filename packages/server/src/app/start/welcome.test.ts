import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createDataFolder, startMain } from '../../../test/main-process.ts'
import { welcome } from './output.ts'

describe('the first lines of a start with LINCHPIN_LOG_FORMAT=pretty', () => {
  it('have an address that signs in, the API reference and the token file, no token and no JSON', async (t) => {
    const LINCHPIN_DATA_DIR = join(await createDataFolder(), "it's my data")
    const main = await startMain(t, { LINCHPIN_DATA_DIR, LINCHPIN_LOG_FORMAT: 'pretty' })
    const { stdout } = await main.stop()
    const [address] = /http\S+\/console\/open#\S+/.exec(stdout) ?? []
    assert.match(address ?? '', new RegExp(`^${main.url}/console/open#[0-9A-Z-]{29}$`))
    for (const text of [`${main.url}/docs\n`, join(LINCHPIN_DATA_DIR, 'owner-token')])
      assert.ok(stdout.includes(text), text)
    assert.ok(!stdout.includes(readFileSync(join(LINCHPIN_DATA_DIR, 'owner-token'), 'utf8').trim()))
    assert.doesNotMatch(stdout, /^\{/m)
  })
})

const OPTIONS = {
  url: 'http://localhost:3000',
  tokenFile: '/data/owner-token',
  hasTokenSetting: false,
}

describe('welcome', () => {
  it('says that the console is off, and leads to the quickstart', () => {
    const text = welcome(OPTIONS)
    assert.match(text, /Console +off \(LINCHPIN_CONSOLE=0\)/)
    assert.match(text, /http:\/\/localhost:3000\/docs\/quickstart/)
  })

  it('says how to create a token when it is neither in a file nor in a setting', () => {
    const text = welcome({ ...OPTIONS, tokenFile: undefined })
    assert.match(text, /TOKEN=\$\(npm run --silent token -- --owner\)/)
  })
})
