import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type TestApp, testApp } from '../../../test/test-app.ts'
import { SCREENS } from '../screens/screens.ts'
import { createFormToken } from '../sign-in/form-guard.ts'
import { SESSION_COOKIE } from '../sign-in/session.ts'
import {
  type ConsoleVisitor,
  createConsoleVisitor,
  createSignInCode,
  type FormFields,
  signIn,
} from './console-visitor.ts'

describe('Attacks on the console', () => {
  let t: TestApp
  let port: string
  before(async () => {
    t = await testApp()
    port = new URL(await t.app.listen({ port: 0, host: '127.0.0.1' })).port
  })
  after(() => t.close())

  /** The actions of all screens, with an ID that does not exist. */
  const ACTIONS = SCREENS.flatMap(({ path, actions }) =>
    Object.keys(actions ?? {}).map((name) => `/console${path}${name}`.replace(/:\w+/g, 'none')),
  )

  test('GET /console/live: HEAD opens no stream', async () => {
    const visitor = await signIn(t)
    const cookie = `${SESSION_COOKIE}=${visitor.cookies.get(SESSION_COOKIE)}`
    const response = await t.app.inject({
      method: 'HEAD',
      url: '/console/live',
      headers: { cookie },
    })
    assert.equal(response.statusCode, 405)
  })

  test('POST /console/open: another page cannot use up the attempts of its visitor', async () => {
    const visitor = createConsoleVisitor(t)
    for (let attempt = 0; attempt < 11; attempt++) {
      const page = await visitor.send(
        '/console/open',
        { code: 'x' },
        { 'sec-fetch-site': 'cross-site' },
      )
      assert.equal(page.status, 403)
    }
    const code = await createSignInCode(t)
    assert.equal((await visitor.send('/console/open', { code })).status, 303)
  })

  test('POST /console/elevate: another page cannot use up the attempts of its visitor', async () => {
    const visitor = await signIn(t)
    for (let attempt = 0; attempt < 11; attempt++)
      await visitor.send('/console/elevate', { code: 'x' }, { 'sec-fetch-site': 'cross-site' })
    await visitor.get('/console/elevate')
    const page = await visitor.post('/console/elevate?to=%2Fconsole', { code: 'x' })
    assert.equal(page.status, 422)
  })

  for (const path of ['/console/open', '/console/theme'])
    test(`POST ${path}: 403 under another host than that of the console`, async () => {
      const visitor = path === '/console/open' ? createConsoleVisitor(t) : await signIn(t)
      const fields = { code: await createSignInCode(t), form_token: formToken(visitor, path) }
      const foreign = await visitor.send(path, fields, { host: 'evil.example:3000' })
      assert.equal(foreign.status, 403)
      assert.equal((await visitor.send(path, fields)).status, 303)
    })

  test('Each action of the console: 403 from another page, without a token, and with that of another session, path or workspace', async () => {
    const [visitor, other] = [await signIn(t), await signIn(t)]
    const paths = [
      ...ACTIONS,
      '/console/theme',
      '/console/workspace',
      '/console/sign-out',
      '/console/elevate',
    ]
    assert.ok(paths.length > 30)
    for (const path of paths) {
      const token = formToken(visitor, path)
      const attempts: [FormFields, Record<string, string>?][] = [
        [{ form_token: token }, { 'sec-fetch-site': 'cross-site' }],
        [{ form_token: token }, { 'sec-fetch-site': 'same-site' }],
        [{ form_token: token }, { host: 'evil.example' }],
        [{}],
        [{ form_token: formToken(other, path) }],
        [{ form_token: formToken(visitor, `${path}x`) }],
        [{ form_token: formToken(visitor, path, 'wsp_other') }],
      ]
      for (const [fields, headers] of attempts)
        assert.equal(
          (await visitor.send(path, fields, headers)).status,
          403,
          `${path} ${JSON.stringify([fields, headers])}`,
        )
    }
  })

  test('A page that is open while the workspace is switched does not change the other workspace', async () => {
    const visitor = await signIn(t)
    const { body } = await t.call('POST', '/v1/workspace', { body: {} })
    await visitor.get('/console/settings')
    const { page: stale } = visitor
    await visitor.get('/console')
    await visitor.post('/console/workspace', { workspace: body.workspaceId })
    const token = /action="\/console\/settings"[\s\S]*?name="form_token" value="([^"]+)"/.exec(
      stale?.text ?? '',
    )?.[1]
    assert.ok(token)
    const fields = { form_token: token, name: 'First', slug: 'first' }
    assert.equal((await visitor.send('/console/settings', fields)).status, 403)
  })

  test('IDs of dots lead nowhere', async () => {
    const visitor = await signIn(t)
    const cookie = `${SESSION_COOKIE}=${visitor.cookies.get(SESSION_COOKIE)}`
    // Without `inject`, which resolves dots before it sends.
    const getStatus = async (path: string) => {
      const sent = request({
        host: '127.0.0.1',
        port,
        path,
        headers: { cookie },
        agent: false,
      }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      return response.statusCode
    }
    for (const path of ['connections/%2e%2e', 'links/%2e', 'webhooks/%2e%2e/deliveries/%2e%2e'])
      assert.equal(await getStatus(`/console/${path}`), 404, path)
  })

  function formToken(
    visitor: ConsoleVisitor,
    path: string,
    workspaceId: string = t.workspaceId,
  ): string {
    const secret = visitor.cookies.get(SESSION_COOKIE) ?? ''
    return createFormToken(
      { secret, membership: { workspaceId: workspaceId as typeof t.workspaceId } },
      path,
    )
  }

  test('A compressed form is not decompressed', async () => {
    const visitor = await signIn(t)
    for (const path of ['/console/theme', '/console/open']) {
      const fields = `theme=dark&form_token=${formToken(visitor, path)}&code=${await createSignInCode(t)}`
      const { statusCode } = await t.app.inject({
        method: 'POST',
        url: path,
        headers: {
          host: 'localhost:3000',
          origin: 'http://localhost:3000',
          cookie: `${SESSION_COOKIE}=${visitor.cookies.get(SESSION_COOKIE)}`,
          'content-type': 'application/x-www-form-urlencoded',
          'content-encoding': 'gzip',
        },
        payload: gzipSync(fields),
      })
      assert.ok([400, 403, 422].includes(statusCode), `${path} ${statusCode}`)
    }
  })

  test('POST /console/open: a form of 30,000 fields is refused before it is parsed', async () => {
    const startedAt = performance.now()
    const { statusCode } = await t.app.inject({
      method: 'POST',
      url: '/console/open',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'a&'.repeat(30_000),
    })
    assert.equal(statusCode, 400)
    assert.ok(performance.now() - startedAt < 1_000)
  })

  test('A form that signs in is refused above 64 KiB, another one above 512 KiB', async () => {
    for (const [visitor, path, kilobytes] of [
      [createConsoleVisitor(t), '/console/open', 65],
      [createConsoleVisitor(t), '/console/join', 65],
      [await signIn(t), '/console/theme', 513],
    ] as const)
      assert.equal((await visitor.send(path, { code: ' '.repeat(kilobytes * 1024) })).status, 413)
  })

  for (const path of [
    '/console/open',
    '/console/join',
    '/console/theme',
    '/console/integrations/new',
  ])
    test(`POST ${path}: without a session, the body of a form with files is not read`, async () => {
      const headers = {
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': 4_000_000,
      }
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false })
      sent.on('error', () => {})
      sent.write('--x\r\n')
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      sent.destroy()
      const isForAll = path === '/console/open' || path === '/console/join'
      assert.equal(response.statusCode, isForAll ? 413 : 303)
    })

  test('A person sends at most two long forms with files at a time', async () => {
    const visitor = await signIn(t)
    const headers = {
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': 4_000_000,
      cookie: `${SESSION_COOKIE}=${visitor.cookies.get(SESSION_COOKIE)}`,
    }
    const path = '/console/integrations/new'
    const send = () => {
      const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent: false })
      sent.on('error', () => {})
      sent.write('--x\r\n')
      return sent
    }
    const all = [send(), send(), send()]
    const [response] = await Promise.race(all.map((sent) => once(sent, 'response')))
    assert.equal((response as IncomingMessage).statusCode, 503)
    for (const sent of all) sent.destroy()
  })

  test('A form with files: more than 5,000 parts are refused, whatever their boundary looks like', async () => {
    const visitor = await signIn(t)
    const path = '/console/integrations/new'
    const types = [
      'boundary=x',
      'boundary="x"',
      'xboundary=y; boundary=x',
      'boundary=x; boundary=y',
    ]
    for (const type of types) {
      const part = `--x\r\ncontent-disposition: form-data; name="a"\r\n\r\nb\r\n`
      const { statusCode } = await t.app.inject({
        method: 'POST',
        url: path,
        headers: {
          cookie: `${SESSION_COOKIE}=${visitor.cookies.get(SESSION_COOKIE)}`,
          'content-type': `multipart/form-data; ${type}`,
        },
        payload: `${part.repeat(5_001)}--x--\r\n`,
      })
      assert.equal(statusCode, 400, type)
    }
  })

  test('An address that no screen has: a page of the console, and the sign-in without a session', async () => {
    const visitor = await signIn(t)
    const page = await visitor.get('/console/customers/customer-41')
    assert.equal(page.status, 404)
    assert.match(page.text, /<nav[\s\S]*There is nothing here/)
    const signedOut = await createConsoleVisitor(t).get('/console/nothing')
    assert.equal(signedOut.location, '/console/open?to=%2Fconsole%2Fnothing')
  })

  test('The address of a page that a form has led to, sent as a whole URL, leads to no other host', async () => {
    const get = async (url: string) => {
      const sent = request({ host: '127.0.0.1', port, path: url, agent: false }).end()
      const [response] = (await once(sent, 'response')) as [IncomingMessage]
      response.resume()
      return response.headers.location
    }
    const path = '/console/connections/acc_x/disconnect?a=b%20c'
    assert.equal(await get(path), '/console/connections/acc_x?a=b%20c')
    assert.equal(await get(`http://evil.example${path}`), '/console')
  })

  test('An ID of the path with characters that no redirect can contain: 404', async () => {
    const visitor = await signIn(t)
    for (const id of ['%00', '%0d%0ax:y', '%F0%9F%A6%8A']) {
      const path = `/console/connections/${id}/disconnect`
      const fields = { form_token: formToken(visitor, path), confirmation: 'x' }
      assert.equal((await visitor.send(path, fields)).status, 404, id)
    }
  })

  test('A form without the ID that it is about, or with dots: 404', async () => {
    const visitor = await signIn(t)
    const path = '/console/links/sessions/revoke'
    for (const session of ['', '..'])
      assert.equal(
        (await visitor.send(path, { form_token: formToken(visitor, path), session })).status,
        404,
      )
  })

  for (const site of ['same-site', 'cross-site', 'none'])
    test(`GET /console/live: 403 from a page of another origin (${site})`, async () => {
      const visitor = await signIn(t)
      const cookie = `${SESSION_COOKIE}=${visitor.cookies.get(SESSION_COOKIE)}`
      const headers = { cookie, 'sec-fetch-site': site }
      const response = await t.app.inject({ method: 'GET', url: '/console/live', headers })
      assert.equal(response.statusCode, 403)
    })

  test('A form that is submitted twice at the same time does what it does once, and both get the page of it', async () => {
    const visitor = await signIn(t)
    await visitor.get('/console/links/new')
    const fields = { linkName: 'Twice at once', offer: 'all' }
    const pages = await Promise.all([
      visitor.post('/console/links/new', fields),
      visitor.post('/console/links/new', fields),
    ])
    assert.deepEqual([...new Set(pages.map(({ status }) => status))], [303])
    assert.deepEqual(new Set(pages.map(({ location }) => location)).size, 1)
    await visitor.get('/console/links')
    assert.equal(visitor.page?.text.match(/Twice at once/g)?.length, 1)
  })

  test('A page of another origin is not signed in with what it loads as a part of itself, only with links that people follow', async () => {
    const visitor = await signIn(t)
    const link = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const parts = [
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'object' },
    ]
    for (const path of ['/console/connections', '/console/search?q=x', '/console/preview/link'])
      for (const site of ['same-site', 'cross-site']) {
        assert.equal((await visitor.get(path, { 'sec-fetch-site': site, ...link })).status, 200)
        for (const part of parts) {
          const { location } = await visitor.get(path, { 'sec-fetch-site': site, ...part })
          assert.match(
            location ?? '',
            /^\/console\/open/,
            `${path} ${site} ${JSON.stringify(part)}`,
          )
        }
      }
    for (const part of parts)
      assert.equal(
        (await visitor.get('/console', { 'sec-fetch-site': 'same-origin', ...part })).status,
        200,
      )
  })
})
