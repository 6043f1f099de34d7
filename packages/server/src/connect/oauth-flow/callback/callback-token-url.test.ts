// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the protocol's own placeholder
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { after, before, beforeEach, it } from 'node:test'
import { changeAccountRow } from '../../../../test/account-rows.ts'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../../test/postgres.ts'
import { expectOk, testContext } from '../../../../test/test-context.ts'
import { CLIENT } from '../test/oauth-test-context.ts'
import { getReturnParams, ISSUER, type StubProviderContext } from '../test/stub-provider-context.ts'

const ACCESS = 'access-7f3c9b1d'
const REFRESH = 'refresh-2e8a6c40'

/** The second data centre of the provider, and a host of someone else, on the port of the first. */
const SECOND = '127.0.0.3'
const FOREIGN = '127.0.0.2'

const BUNDLE = (url: string, auth: Record<string, unknown>): string => `
const spec = ${JSON.stringify({
  'x-hosts': ['127.0.0.1', SECOND],
  auth_specification: {
    OAuth2: {
      ...auth,
      authorization_url: `${url}/authorize`,
      token_url: '${accounts-server}/token',
      callback_params: ['accounts-server'],
      'x-revocation': [
        {
          url: '${accounts-server}/revoke',
          auth_method: 'header',
          json: { token: '${refresh_token}' },
        },
      ],
    },
  },
})}
exports.default = async (command) => {
  if (command === 'SPEC') return spec
  if (command === 'CHECK') return { status: true, error: '' }
  if (command === 'IDENTITY') return { id: 'alice', label: 'Alice' }
  return {}
}
`

describeOnBothDatabases('a token URL from the callback', defineTests)

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: StubProviderContext
  /** `host path` of each request, and its body and authorization. */
  const requests: string[] = []
  const sent: string[] = []
  const cleanups: (() => void)[] = []
  const originOf = (host: string) => t.stubServer.url.replace('127.0.0.1', host)

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    requests.push(`${request.headers.host?.split(':')[0]} ${request.url}`)
    sent.push(`${request.headers.authorization} ${await text(request)}`)
    const tokens = { access_token: ACCESS, refresh_token: REFRESH, expires_in: 3600 }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens))
  }
  before(async () => {
    t = await testContext({ provider: { code: BUNDLE }, url: await newUrl() })
    for (const path of ['/token', '/revoke']) t.stubServer.serve(path, answer)
    const port = Number(new URL(t.stubServer.url).port)
    for (const host of [SECOND, FOREIGN]) {
      const server = createServer(answer)
      await new Promise<void>((resolve) => server.listen(port, host, resolve))
      cleanups.push(
        () => server.closeAllConnections(),
        () => server.close(),
      )
    }
  })
  after(async () => {
    await t.close()
    for (const cleanup of cleanups) cleanup()
  })
  beforeEach(() => {
    requests.length = 0
    sent.length = 0
  })

  const callBack = async (extra: Record<string, string>, body: Record<string, unknown> = {}) => {
    const state = await t.begin(await t.start(body))
    return getReturnParams(await t.callback({ state, code: 'a-code', iss: ISSUER, ...extra }))
  }

  it('receives the code, is stored with the account, and refreshes and revokes its tokens', async () => {
    const { integrationAccountId: id } = await callBack({ 'accounts-server': originOf(SECOND) })
    assert.deepEqual(requests, [`${SECOND} /token`])
    assert.match(sent[0] ?? '', /code=a-code/)
    assert.ok(
      sent[0]?.includes(`client_secret=${encodeURIComponent(CLIENT.clientSecret)}`),
      sent[0],
    )
    const path = `/v1/integration_account/${id}`
    await changeAccountRow(t.database, id, { token_expires_at: 1, refresh_at: 1 })
    const { config } = expectOk(await t.call('GET', `${path}/credentials`))
    assert.equal(config['accounts-server'], originOf(SECOND))
    assert.equal(expectOk(await t.call('DELETE', path)).revocation, 'revoked')
    assert.deepEqual(requests.slice(1), [`${SECOND} /token`, `${SECOND} /revoke`])
    assert.match(sent[2] ?? '', /^Basic .* \{"token":"refresh-2e8a6c40"\}$/)
  })

  it('may echo a token that it fails to revoke: no log has it', async () => {
    const { integrationAccountId: id } = await callBack({})
    t.stubServer.serve('/revoke', (_request, response) =>
      response.writeHead(500).end(`{"error":"${REFRESH}","message":"no ${REFRESH}"}`),
    )
    const { revocation } = expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    t.stubServer.serve('/revoke', answer)
    assert.equal(revocation, 'failed')
    assert.ok(t.logs.length > 5)
    for (const secret of [ACCESS, REFRESH, CLIENT.clientSecret])
      assert.ok(!t.logs.some((line) => line.includes(secret)), secret)
  })

  it('is where the person was sent if the callback does not say', async () => {
    await callBack({})
    assert.deepEqual(requests, ['127.0.0.1 /token'])
  })

  it('is replaced by a reconnect, and never by what was stored before', async () => {
    const first = await callBack({ 'accounts-server': originOf(SECOND) })
    const reconnect = { integrationAccountId: first.integrationAccountId }
    await callBack({}, reconnect)
    assert.deepEqual(requests, [`${SECOND} /token`, '127.0.0.1 /token'])
  })

  it('of anyone else ends the sign-in: neither code nor secret is sent anywhere (RFC 9700 section 4.4)', async () => {
    const port = new URL(t.stubServer.url).port
    for (const server of [
      originOf(FOREIGN),
      `http://${FOREIGN}`,
      `http://127.0.0.1:${Number(port) - 1}`,
      `http://127.0.0.1@${FOREIGN}:${port}`,
      `http://${FOREIGN}:${port}#127.0.0.1`,
      `http://${FOREIGN}:${port}/?x=http://127.0.0.1:${port}`,
      `http://127.0.0.1.${FOREIGN}.nip.io:${port}`,
      `https://127.0.0.1:${port}`,
      `http://2130706434:${port}`,
      `http://127.0.0.1:${port}/elsewhere`,
      'evil.example',
      'javascript:alert(1)',
    ]) {
      const before = await t.countAccounts()
      const returned = await callBack({ 'accounts-server': server })
      assert.deepEqual(
        [returned.success, returned.error ?? returned.code],
        ['false', 'token_exchange_failed'],
        JSON.stringify([server, returned]),
      )
      assert.equal(await t.countAccounts(), before)
    }
    assert.deepEqual(requests, [])
  })
}
