import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import type { AnyBody } from '../../../test/any-body.ts'
import { itRequiresScope } from '../../../test/it-requires-scope.ts'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { expectError, expectOk } from '../../../test/test-context.ts'
import {
  API_KEY,
  type ProxyTestContext,
  startProxyTestContext,
} from '../../accounts/proxy/test/proxy-test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { type Id, newId } from '../../platform/storage/id.ts'
import { parseKeys } from '../../platform/vault/key-ring.ts'
import { rekey } from '../../platform/vault/rekey.ts'
import { createVault } from '../../platform/vault/vault.ts'
import { createDebugRecorder } from './debug-recorder.ts'
import { createDebugWindowStore, MAX_EXCHANGES } from './debug-window-store.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const KEYS = parseKeys(`test:${Buffer.alloc(32, 7).toString('base64')}`)

describeOnBothDatabases('A debug window', (newUrl) => {
  let t: ProxyTestContext
  let now = Date.now()
  before(async () => {
    t = await startProxyTestContext({
      url: await newUrl(),
      requestLog: 'errors',
      now: () => now,
      logLevel: 'info',
    })
  })
  after(() => t.close())
  beforeEach(() => {
    t.setProviderHandler((_request, response) =>
      response
        .writeHead(422, { 'content-type': 'application/json', 'set-cookie': 'session=PLANTED-c' })
        .end('{"errors":[{"field":"summary","message":"is missing"}]}'),
    )
  })

  const path = (id: string = t.accountId) => `/v1/integration_account/${id}/debug`
  const open = async (seconds = 900, id?: string) =>
    expectOk(await t.call('POST', path(id), { body: { seconds } }))
  const end = () => open(0)
  const list = async (): Promise<AnyBody[]> => {
    await t.debugRecorder.flush()
    await t.requestLog.flush()
    return expectOk(
      await t.call('GET', `/v1/request?kind=provider&integrationAccountId=${t.accountId}`),
    )
  }
  /** The exchange of the newest request. */
  const readNewest = async (): Promise<AnyBody> => {
    const [newest] = await list()
    return expectOk(await t.call('GET', `/v1/request/${newest?.requestLogId}`)).exchange
  }

  it('records why a provider rejects a request: headers and bodies of both sides, and the query', async () => {
    const { until } = await open()
    assert.equal(Date.parse(until), now + 900_000)
    await t.send('issues?notify=false&api_key=abc', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-custom': 'yes' },
      body: Buffer.from('{"fields":{}}'),
    })
    const [entry] = await list()
    assert.deepEqual([entry?.status, entry?.hasExchange, entry?.path], [422, true, '/v2/issues'])
    const { exchange } = expectOk(await t.call('GET', `/v1/request/${entry?.requestLogId}`))
    assert.equal(exchange.url, `${t.providerUrl}/v2/issues?notify=false&api_key=[removed]`)
    assert.deepEqual(exchange.request.body, {
      text: '{"fields":{}}',
      bytes: 13,
      isCut: false,
      omitted: null,
    })
    assert.equal(
      exchange.response.body.text,
      '{"errors":[{"field":"summary","message":"is missing"}]}',
    )
    const sent = new Map(
      exchange.request.headers.map(({ name, value }: AnyBody) => [name.toLowerCase(), value]),
    )
    assert.deepEqual([sent.get('x-custom'), sent.get('x-api-key')], ['yes', '[removed]'])
    const received = new Map(
      exchange.response.headers.map(({ name, value }: AnyBody) => [name.toLowerCase(), value]),
    )
    assert.deepEqual(
      [received.get('content-type'), received.get('set-cookie')],
      ['application/json', '[removed]'],
    )
    assert.equal(Date.parse(exchange.expiresAt), Date.parse(entry?.at) + 24 * 60 * 60_000)
    const health = expectOk(await t.call('GET', `/v1/integration_account/${t.accountId}/health`))
    assert.deepEqual(health.debugWindow, { until, exchanges: 1 })
  })

  it('shows an exchange with the scope credentials:read only', async () => {
    const [entry] = await list()
    const token = await t.createToken({ scopes: ['read'] })
    const found = expectOk(await t.call('GET', `/v1/request/${entry?.requestLogId}`, { token }))
    assert.deepEqual([found.hasExchange, found.exchange], [true, null])
  })

  it('stores no credential of the account, wherever and however it is encoded', async () => {
    const forms = [
      API_KEY,
      Buffer.from(API_KEY).toString('base64'),
      Buffer.from(`user:${API_KEY}`).toString('base64'),
      Buffer.from(API_KEY).toString('hex'),
      encodeURIComponent(API_KEY),
      JSON.stringify(API_KEY),
    ]
    t.setProviderHandler((request, response) =>
      response
        .writeHead(400, { 'x-echo': API_KEY, 'x-refresh-token': 'rt-PLANTED-new' })
        .end(`${request.url} ${forms.join(' ')}`),
    )
    await t.send(`items/${API_KEY}?q=${forms[1]}`, {
      method: 'POST',
      headers: { 'x-mine': `Key ${API_KEY}` },
      body: Buffer.from(forms.join('\n')),
    })
    const exchange = JSON.stringify(await readNewest())
    assert.ok(exchange.includes('[removed]'))
    for (const form of [...forms, 'PLANTED']) assert.ok(!exchange.includes(form), form)
  })

  it('decompresses what it stores, and searches it', async () => {
    const text = `{"key":"${API_KEY}"}`
    const encoders = {
      gzip: gzipSync,
      deflate: deflateSync,
      br: brotliCompressSync,
      zstd: zstdCompressSync,
    }
    for (const [encoding, encode] of Object.entries(encoders)) {
      t.setProviderHandler((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(encode(Buffer.from(text))),
      )
      await t.send('items')
      assert.equal((await readNewest()).response.body.text, '{"key":"[removed]"}', encoding)
    }
    t.setProviderHandler((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'x-own' }).end(text),
    )
    await t.send('items')
    const { body } = (await readNewest()).response
    assert.deepEqual([body.text, body.omitted], [null, 'encoding'])
  })

  it('stores no bodies that are no text', async () => {
    t.setProviderHandler((_request, response) =>
      response.end(Buffer.concat([Buffer.from([0xff, 0xfe, 0, 0xd8]), Buffer.from(API_KEY)])),
    )
    await t.send('image')
    const { body } = (await readNewest()).response
    assert.deepEqual([body.text, body.omitted, body.bytes], [null, 'binary', 4 + API_KEY.length])
  })

  it('lets 10 MB stream in both directions with constant memory, and stores their first 32 kB', async () => {
    const size = 10 * 1024 * 1024
    const block = Buffer.alloc(64 * 1024, 'x')
    let received = 0
    t.setProviderHandler(async (request, response) => {
      for await (const chunk of request) received += chunk.length
      for (let sent = 0; sent < size; sent += block.length)
        if (!response.write(block)) await once(response, 'drain')
      response.end()
    })
    const request = t.openRequest('big', {
      method: 'POST',
      headers: { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' },
    })
    const responded = once(request, 'response')
    for (let sent = 0; sent < size; sent += block.length)
      if (!request.write(block)) await once(request, 'drain')
    request.end()
    const [response] = await responded
    let length = 0
    let highest = 0
    for await (const chunk of response) {
      const isMegabyte =
        Math.floor(length / 2 ** 20) < Math.floor((length + chunk.length) / 2 ** 20)
      length += chunk.length
      if (!isMegabyte) continue
      collectGarbage()
      highest = Math.max(highest, process.memoryUsage().arrayBuffers)
    }
    assert.deepEqual([received, length], [size, size])
    collectGarbage()
    const held = highest - process.memoryUsage().arrayBuffers
    assert.ok(held < 4 * 2 ** 20, `${held / 2 ** 20} MB`)
    const exchange = await readNewest()
    for (const { body } of [exchange.request, exchange.response])
      assert.deepEqual([body.text, body.isCut], ['x'.repeat(32 * 1024), true])
    assert.deepEqual([exchange.request.body.bytes, exchange.response.body.bytes], [null, size])
  })

  it('removes a credential that the limit of 32 kB cuts', async () => {
    for (const visible of [1, 5, 9]) {
      const start = '.'.repeat(32 * 1024 - visible)
      t.setProviderHandler((_request, response) => response.end(`${start}${API_KEY} and more`))
      await t.send('cut')
      assert.equal((await readNewest()).response.body.text, `${start}[removed]`)
    }
  })

  it('ends by request and by itself: then nothing is recorded', async () => {
    await open(60)
    now += 60_000
    await t.send('late')
    assert.equal((await list())[0]?.hasExchange, false)
    await open()
    assert.deepEqual(await end(), { until: null })
    now += 1
    await t.send('later')
    assert.equal((await list())[0]?.hasExchange, false)
    const health = expectOk(await t.call('GET', `/v1/integration_account/${t.accountId}/health`))
    assert.equal(health.debugWindow, null)
  })

  it('of 201 requests, stores 200 exchanges, also if it is prolonged', async () => {
    now += 1
    await open()
    for (let count = 0; count < MAX_EXCHANGES; count += 20) {
      now += 1
      await open()
      const sent = await Promise.all(Array.from({ length: 20 }, () => t.send('many')))
      for (const { status } of sent) assert.equal(status, 422)
      await list()
    }
    now += 1
    await t.send('last')
    const entries = await list()
    assert.deepEqual([entries[0]?.path, entries[0]?.hasExchange], ['/v2/last', false])
    const { debugWindow } = expectOk(
      await t.call('GET', `/v1/integration_account/${t.accountId}/health`),
    )
    assert.equal(debugWindow.exchanges, MAX_EXCHANGES)
  })

  it('is known to every node when it flushes next, and two nodes together store 200', async () => {
    now += 900_001
    await open()
    const vault = createVault({ database: t.database, keys: KEYS, now: () => now })
    const store = createDebugWindowStore(t.database)
    const other = createDebugRecorder({ store, vault, now: () => now, intervalMs: 2 ** 30 })
    const accountId = t.accountId as Id<'acc'>
    const request = {
      operation: 'proxy',
      request: { method: 'GET', url: `${t.providerUrl}/other` },
      secrets: undefined,
    } as const
    assert.equal(other.begin(accountId, request), undefined)
    await other.flush()
    for (let count = 0; count < MAX_EXCHANGES - 1; count += 1)
      other.begin(accountId, request)?.finish(createEntry())
    await t.send('one')
    await t.send('two')
    await t.debugRecorder.flush()
    await other.flush()
    const { exchanges } = await t.database.read
      .selectFrom('debug_windows')
      .select('exchanges')
      .where('account_id', '=', accountId)
      .executeTakeFirstOrThrow()
    assert.equal(Number(exchanges), MAX_EXCHANGES)
    const stored = await t.database.read
      .selectFrom('debug_exchanges')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('at', '>=', now)
      .executeTakeFirstOrThrow()
    assert.equal(Number(stored.count), MAX_EXCHANGES)
    await other.stop()
  })

  const createEntry = () =>
    ({
      at: now,
      kind: 'provider',
      operation: 'proxy',
      method: 'GET',
      host: 'localhost',
      path: '/other',
      status: 200,
      code: null,
      durationMs: 1,
      requestId: null,
      workspaceId: t.workspaceId,
      accountId: t.accountId as Id<'acc'>,
      definitionId: null,
      tokenId: null,
      userId: null,
      via: null,
    }) as const

  it('keeps its exchanges when a workspace gets a new data key', async () => {
    now += 900_001
    await open()
    await t.send('before')
    const exchange = await readNewest()
    await rekey(
      { database: t.database, keys: KEYS, now: () => now },
      { workspaceId: t.workspaceId, graceMs: 0 },
    )
    now += 120_000
    assert.deepEqual(await readNewest(), exchange)
  })

  it('keeps exchanges for 24 hours', async () => {
    const [entry] = await list()
    now += 24 * 60 * 60_000
    const late = expectOk(await t.call('GET', `/v1/request/${entry?.requestLogId}`))
    assert.equal(late.exchange, null)
    const { deleteOld } = createDebugWindowStore(t.database)
    while ((await deleteOld(now, 100)) > 0);
    assert.equal((await list())[0]?.hasExchange, false)
    assert.deepEqual(await t.database.read.selectFrom('debug_windows').selectAll().execute(), [])
  })

  it('leaves with the account, also what was still in memory', async () => {
    const { integrationDefinitionId } = expectOk(
      await t.call('GET', `/v1/integration_account/${t.accountId}`),
    )
    const account = await t.createAccount(integrationDefinitionId, {
      config: { api_key: API_KEY },
    })
    const id = account.integrationAccountId
    await open(900, id)
    await t.send('stored', { accountId: id })
    await t.debugRecorder.flush()
    await t.send('in-memory', { accountId: id })
    const read = (table: 'debug_windows' | 'debug_exchanges') =>
      t.database.read.selectFrom(table).select('account_id').where('account_id', '=', id).execute()
    assert.deepEqual(
      [(await read('debug_windows')).length, (await read('debug_exchanges')).length],
      [1, 1],
    )
    expectOk(await t.call('DELETE', `/v1/integration_account/${id}`))
    await t.debugRecorder.flush()
    assert.deepEqual([await read('debug_windows'), await read('debug_exchanges')], [[], []])
    expectError(
      await t.call('POST', path(id), { body: { seconds: 900 } }),
      'integration_account_not_found',
    )
  })

  it('POST …/debug: the audit trail names who opens and ends it', async () => {
    now += 10_000
    await open(60)
    await end()
    const rows = await selectAuditEntries(t.database.read)
      .select(['action', 'detail', 'user_id'])
      .where('subject', '=', t.accountId)
      .where('at', '=', now)
      .where('action', 'like', 'account.debug%')
      .orderBy('action')
      .execute()
    const expected = [
      ['account.debug_ended', {}],
      ['account.debug_started', { seconds: 60 }],
    ]
    assert.deepEqual(
      rows.map((row) => [row.action, JSON.parse(row.detail)]),
      expected,
    )
    for (const row of rows) assert.match(row.user_id ?? '', /^usr_/)
  })

  it('POST …/debug: 400 for a time that is not from 0 to 900 seconds', async () => {
    for (const seconds of [-1, 901, 1.5, '60', null, undefined])
      expectError(await t.call('POST', path(), { body: { seconds } }), 'validation_failed')
  })

  it('POST …/debug: 404 for an unknown account, and for one of another workspace', async () => {
    const { token } = await t.otherUser()
    const body = { seconds: 60 }
    for (const each of [newId('acc', now), 'nonsense'])
      expectError(await t.call('POST', path(each), { body }), 'integration_account_not_found')
    expectError(await t.call('POST', path(), { body, token }), 'integration_account_not_found')
  })

  itRequiresScope(() => t, 'POST', '/v1/integration_account/acc_none/debug', {
    scope: 'credentials:read',
    body: { seconds: 60 },
  })
})
