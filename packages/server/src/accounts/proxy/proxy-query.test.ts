// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of specs look like this
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { readAllText } from '../../../test/read-database.ts'
import { expectError, expectOk } from '../../../test/test-context.ts'
import { type ProxyTestContext, startProxyTestContext } from './test/proxy-test-context.ts'

const SECRET = "tok PLANTED/7+a&b='é"
const ENCODED = 'tok%20PLANTED%2F7%2Ba%26b%3D%27%C3%A9'
const OTHER = 'tok-OF-THE-CALLER'

function createSpec(query: Readonly<Record<string, string>>) {
  const properties = { api_key: { type: 'string', format: 'password' }, site: { type: 'string' } }
  const input_specification = { type: 'object', required: ['api_key'], properties }
  const type = { input_specification, headers: {}, query, 'x-headers': 'complete' }
  return { auth_specification: { 'Api Key': type } }
}

describeOnBothDatabases('Credentials in the query of proxied requests', (newUrl) => {
  let t: ProxyTestContext
  let accountId: string
  let received: { url: string; headers: Record<string, unknown> }[] = []
  before(async () => {
    t = await startProxyTestContext({
      url: await newUrl(),
      requestLog: 'all',
      spec: createSpec({ api_token: '${api_key}', 'k y': 'v-${api_key}' }),
    })
    const { body } = await t.call('GET', `/v1/integration_account/${t.accountId}`)
    const account = await t.createAccount(body.integrationDefinitionId, {
      accountIdentifier: 'query',
      config: { api_key: SECRET },
    })
    accountId = account.integrationAccountId ?? ''
  })
  after(() => t.close())

  async function send(path: string, answer: Record<string, string> = {}, status = 200) {
    received = []
    t.setProviderHandler(({ url = '', headers }, response) => {
      received.push({ url, headers })
      response.writeHead(status, answer).end('{}')
    })
    return t.send(path, { accountId, headers: { referer: 'https://product.example/page' } })
  }

  it('are added to the query of the caller, encoded', async () => {
    const { status } = await send('items?b=2&a=%20x%27')
    assert.equal(status, 200)
    assert.deepEqual(
      received.map(({ url }) => url),
      [`/v2/items?b=2&a=%20x%27&api_token=${ENCODED}&k%20y=v-${ENCODED}`],
    )
    await send('items')
    assert.equal(received[0]?.url, `/v2/items?api_token=${ENCODED}&k%20y=v-${ENCODED}`)
  })

  it("replace the caller's parameters of the same names, however they are written", async () => {
    await send(`items?api_token=${OTHER}&%61pi_token=${OTHER}&k+y=1&k%20y=2&api_tokens=3&api_token`)
    assert.equal(received[0]?.url, `/v2/items?api_tokens=3&api_token=${ENCODED}&k%20y=v-${ENCODED}`)
  })

  it('are added to absolute URLs of allowed origins, and to no other', async () => {
    await send(`${t.providerUrl}/v3/x?page=2`)
    assert.match(received[0]?.url ?? '', /^\/v3\/x\?page=2&api_token=tok%20PLANTED/)
    const refused = await send('https://elsewhere.example/x')
    assert.deepEqual([refused.status, received], [400, []])
  })

  it('do not come back in headers of the response: the next request adds them again', async () => {
    const target = `${t.providerUrl}/v2/items?api_token=${ENCODED}&page=2&k%20y=v-${ENCODED}`
    const response = await send(
      'items',
      {
        location: target,
        link: `<${target}>; rel="next", </v2/items?api_token=${ENCODED}>; rel="first"`,
        'x-request': `items (${ENCODED})`,
      },
      307,
    )
    const { location, link } = response.headers
    assert.equal(location, `${t.providerUrl}/v2/items?page=2`)
    assert.equal(link, `<${location}>; rel="next", </v2/items>; rel="first"`)
    assert.equal(response.headers['x-request'], 'items ([removed])')
    assert.equal(received.length, 1, 'the proxy follows no redirect')
  })

  it('get into neither Referer nor another header', async () => {
    await send('items')
    assert.equal(received[0]?.headers.referer, 'https://product.example/page')
    assert.doesNotMatch(JSON.stringify(received[0]?.headers), /PLANTED/)
  })

  it('are returned by GET …/credentials', async () => {
    const path = `/v1/integration_account/${accountId}/credentials`
    const { headers, query } = expectOk(await t.call('GET', path))
    assert.deepEqual([headers, query], [{}, { api_token: SECRET, 'k y': `v-${SECRET}` }])
  })

  it('502 integration_bad_output names the field that has no value, and nothing is sent', async () => {
    const definition = { spec: createSpec({ key: '${api_key}', site: '${site}' }) }
    const other = await startProxyTestContext({ url: await newUrl(), ...definition })
    try {
      let requests = 0
      other.setProviderHandler((_request, response) => {
        requests += 1
        response.end()
      })
      const { status, body } = await other.send('items')
      const error = JSON.parse(body.toString())
      assert.deepEqual([status, error.error, requests], [502, 'integration_bad_output', 0])
      assert.match(error.message, /^A query parameter .*: site is required\.$/)
    } finally {
      await other.close()
    }
  })

  it('are in no log line, response and row: request log, debug window, audit trail, errors', async () => {
    expectOk(
      await t.call('POST', `/v1/integration_account/${accountId}/debug`, {
        body: { seconds: 900 },
      }),
    )
    const echo = { location: `/v2/other?api_token=${ENCODED}` }
    for (const status of [200, 302, 401, 422, 500]) await send('items?page=1', echo, status)
    t.setProviderHandler((request) => request.socket.destroy())
    assert.equal((await t.send('items', { accountId })).status, 502)
    await t.debugRecorder.flush()
    await t.requestLog.flush()
    await t.accountErrors.flush()
    const list = `/v1/request?kind=provider&integrationAccountId=${accountId}`
    const entries = expectOk(await t.call('GET', list))
    assert.ok(entries.length >= 6, `${entries.length} requests`)
    const exchanges = await Promise.all(
      entries.map(({ requestLogId }: { requestLogId: string }) =>
        t.call('GET', `/v1/request/${requestLogId}`),
      ),
    )
    const urls = exchanges.flatMap(({ body }) => body.exchange?.url ?? [])
    assert.ok(
      urls.includes(`${t.providerUrl}/v2/items?page=1&api_token=[removed]&k%20y=[removed]`),
      urls.join(),
    )
    const audit = expectOk(await t.call('GET', '/v1/audit'))
    const stored = await readAllText(t)
    assert.ok(stored.length > 10_000 && t.logs.length > 10)
    const texts = [...t.logs, ...stored.split('\n'), JSON.stringify([entries, exchanges, audit])]
    assert.deepEqual(
      texts.filter((text) => /PLANTED/.test(text)),
      [],
    )
  })

  it('400 for a spec whose query is not an object of texts', async () => {
    const spec = JSON.stringify(createSpec({ key: 7 as never }))
    const sourceUrl = t.stubServer.bundle(`exports.default = async () => (${spec})`)
    const body = { name: 'Thing', sourceUrl, integrationType: 'CRM' }
    const answer = await t.call('POST', '/v1/integration_definition', { body })
    const { message } = expectError(answer, 'bundle_invalid')
    assert.match(message, /auth_specification\.Api Key\.query\.key must be string/)
  })
})
