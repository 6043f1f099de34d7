import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { testContext } from '../../../../test/test-context.ts'
import { defineDesk } from '../test/desk.ts'
import { HOST_ORIGIN, type PageTestContext, toFramePath } from '../test/page-test-context.ts'

describe('GET /link/frame/{linkId}/why', () => {
  let t: PageTestContext
  let path: string
  before(async () => {
    t = await testContext({ pages: true })
    await defineDesk(t)
    path = toFramePath(await t.link())
  })
  after(() => t.close())

  const fetchDiagnostics = async (origin: string | string[], framePath = path) => {
    const { status, headers, plain } = await t
      .visitor()
      .get(
        `${framePath}/why?${new URLSearchParams([origin].flat().map((one): [string, string] => ['origin', one]))}`,
      )
    return {
      status,
      code: /data-code="([^"]*)"/.exec(plain)?.[1],
      holders: /frame-ancestors (.*)$/.exec(headers.get('content-security-policy') ?? '')?.[1],
      cookie: headers.get('set-cookie'),
      isVisit: /data-visit|<form/.test(plain),
    }
  }
  const withoutSession = { cookie: null, isVisit: false }

  it('responds to the requesting origin only', async () => {
    const unlistedOrigin = 'https://unlisted.example:8443'
    assert.deepEqual(await fetchDiagnostics(unlistedOrigin), {
      ...withoutSession,
      status: 403,
      code: 'notHere',
      holders: unlistedOrigin,
    })
    assert.deepEqual(await fetchDiagnostics(HOST_ORIGIN), {
      ...withoutSession,
      status: 403,
      code: 'listed',
      holders: HOST_ORIGIN,
    })
    const nested = await fetchDiagnostics([HOST_ORIGIN, unlistedOrigin])
    assert.deepEqual([nested.code, nested.holders], ['notHere', `${HOST_ORIGIN} ${unlistedOrigin}`])
  })

  it('reports unknown and malformed link IDs alike', async () => {
    for (const link of [`lnk_${'0'.repeat(32)}`, 'lnk_short', '%3Cb%3E'])
      assert.deepEqual(await fetchDiagnostics(HOST_ORIGIN, `/link/frame/${link}`), {
        ...withoutSession,
        status: 404,
        code: 'unknownLink',
        holders: HOST_ORIGIN,
      })
  })

  it('reports unknown and malformed tokens and IDs of connect sessions alike', async () => {
    for (const session of [`cnt_${'0'.repeat(27)}`, 'cnt_short', `cns_${'0'.repeat(26)}`, 'a'])
      assert.deepEqual(await fetchDiagnostics(HOST_ORIGIN, `/connect/frame/${session}`), {
        ...withoutSession,
        status: 410,
        code: 'sessionRefused',
        holders: HOST_ORIGIN,
      })
  })

  it('ignores values that are not origins', async () => {
    for (const invalidOrigin of [
      '',
      '*',
      'null',
      'https://*.example',
      `${HOST_ORIGIN} https://a.example`,
      "'self'",
    ])
      assert.equal((await fetchDiagnostics(invalidOrigin)).holders, "'none'", invalidOrigin)
  })
})
