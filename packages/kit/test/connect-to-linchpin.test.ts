import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { startServer } from '../../../examples/tour/start-server.ts'
import { runCli, startCli } from '../src/cli/test/run-cli.ts'
import { startLocalServer } from '../src/test/local-server.ts'
import { createApiClient } from './support/api-client.ts'

it('connects an integration created by `linchpin-kit new` to a local provider, in a real Linchpin', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'kit-real-'))
  t.after(() => rm(folder, { recursive: true }))
  const provider = await startLocalServer(({ url, headers }, response) => {
    const isKnown = url === '/api/me' && headers.authorization === 'Bearer sesame-sesame'
    response.writeHead(isKnown ? 200 : 401).end('{"id":7,"name":"Ann"}')
  })
  t.after(() => provider.close())
  const newFlags = [
    '--name',
    'Acme Desk',
    '--base-url',
    '${base_url}/api',
    '--category',
    'TICKETING',
  ]
  assert.equal((await runCli('new', folder, ...newFlags)).code, 0)
  const dev = startCli('dev', join(folder, 'acme_desk.ts'), '--port', '0')
  t.after(() => dev.stop())
  const [, sourceUrl = ''] = await dev.waitForOutput(/Serving (\S+)/)
  const hosts = [provider.origin, sourceUrl].map((url) => new URL(url).host)
  const server = await startServer({ egressAllow: hosts.join(','), signal: t.signal })
  t.after(() => server.stop())
  const call = createApiClient(server)

  const definition = { name: 'Acme Desk', sourceUrl, integrationType: 'TICKETING' }
  const created = await call('POST', 'integration_definition', definition)
  assert.deepEqual([created.key, created.version], ['acme_desk', '1.0.0'])
  const integrationDefinitionId = created.integrationDefinitionId
  const createBody = (token: string) => ({
    integrationDefinitionId,
    authType: 'Token',
    config: { token, base_url: provider.origin },
  })
  const rejectedCheck = await call('POST', 'integration_account/check', createBody('wrong'))
  assert.deepEqual(rejectedCheck, {
    status: false,
    error: 'Acme Desk rejected these credentials.',
    code: 'credentials_rejected',
    field: 'token',
  })
  const account = await call('POST', 'integration_account', {
    ...createBody('sesame-sesame'),
    integrationAccountName: 'Ours',
  })
  assert.deepEqual(account.integrationConfiguration, { base_url: provider.origin })
  const path = `integration_account/${account.integrationAccountId}`
  const { headers } = await call('GET', `${path}/credentials`)
  assert.deepEqual(headers, { Authorization: 'Bearer sesame-sesame' })
  assert.deepEqual(await call('GET', `${path}/proxy/me`), { id: 7, name: 'Ann' })
})
