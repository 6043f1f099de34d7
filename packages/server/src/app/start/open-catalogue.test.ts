import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { createDataFolder, runCli, startMain } from '../../../test/main-process.ts'
import { generateAccessToken } from '../../access/auth/access-token.ts'
import {
  parseRegistryKeys,
  verifyRegistry,
} from '../../integrations/catalogue/registry/registry-signature.ts'

it('Catalogue: the first start stores every integration with bundle and icon, the second changes nothing', async (t) => {
  const env = { LINCHPIN_DATA_DIR: await createDataFolder(), LINCHPIN_TOKEN: generateAccessToken() }
  const listDefinitions = async (url: string) => {
    const headers = { authorization: `Bearer ${env.LINCHPIN_TOKEN}` }
    const response = await fetch(`${url}/api/v1/integration_definition`, { headers })
    return (await response.json()) as Record<string, string>[]
  }
  const first = await startMain(t, env)
  const before = await listDefinitions(first.url)
  assert.ok(before.length >= 60, `${before.length} integrations`)
  const github = before.find(({ key }) => key === 'github')
  for (const url of [github?.icon, github?.sourceUrl]) {
    const response = await fetch(new URL(new URL(String(url)).pathname, first.url))
    assert.equal(response.status, 200, url)
    await response.arrayBuffer()
  }
  const jwks = await (await fetch(`${first.url}/catalogue/jwks.json`)).json()
  const [{ x }] = (jwks as { keys: [{ x: string }] }).keys
  const served = await (await fetch(`${first.url}/catalogue/registry.json`)).text()
  const key = (await runCli(['registry', 'key'], env)).stdout.trim()
  assert.equal(key, x, 'npm run linchpin -- registry key')
  const file = join(env.LINCHPIN_DATA_DIR, 'registry.json')
  writeFileSync(file, served)
  const signed = await runCli(['registry', 'sign', file, '--days', '3'], env)
  assert.equal(signed.code, 0, signed.stderr)
  for (const document of [served, signed.stdout])
    assert.ok(verifyRegistry(document, parseRegistryKeys(key)).expiresAt > Date.now())
  writeFileSync(file, '{}')
  assert.equal((await runCli(['registry', 'sign', file], env)).code, 65)
  assert.equal((await first.stop()).code, 0)
  const second = await startMain(t, { ...env, LINCHPIN_SANDBOX: '0' })
  const listVersionsAndTimes = (all: Record<string, string>[]) =>
    all.map(({ integrationDefinitionId, version, updatedAt }) => [
      integrationDefinitionId,
      version,
      updatedAt,
    ])
  assert.deepEqual(
    listVersionsAndTimes(await listDefinitions(second.url)),
    listVersionsAndTimes(before.filter((one) => one.key !== 'acme_sandbox')),
    'without the sandbox: LINCHPIN_SANDBOX=0',
  )
  assert.equal((await fetch(`${second.url}/sandbox/authorize`)).status, 404)
  const { code, stdout } = await second.stop()
  assert.equal(code, 0)
  assert.ok(!stdout.includes('has changed'))
})
