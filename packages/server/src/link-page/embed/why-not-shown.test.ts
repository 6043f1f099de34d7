import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { defineDesk } from '../test/desk.ts'
import { framed, HOST, type PageWorld, startPageWorld } from '../test/page-world.ts'

describe('why a page is not shown in a frame', () => {
  let t: PageWorld
  let path: string
  before(async () => {
    t = await startPageWorld()
    await defineDesk(t)
    path = framed(await t.link())
  })
  after(() => t.close())

  const ask = async (origin: string | string[], at = path) => {
    const { status, headers, plain } = await t
      .person()
      .get(
        `${at}/why?${new URLSearchParams([origin].flat().map((one): [string, string] => ['origin', one]))}`,
      )
    return {
      status,
      code: /data-code="([^"]*)"/.exec(plain)?.[1],
      holders: /frame-ancestors (.*)$/.exec(headers.get('content-security-policy') ?? '')?.[1],
      cookie: headers.get('set-cookie'),
      isVisit: /data-visit|<form/.test(plain),
    }
  }
  const nothing = { cookie: null, isVisit: false }

  it('is told to the origin that asks, and to no other', async () => {
    const stranger = 'https://stranger.example:8443'
    assert.deepEqual(await ask(stranger), {
      ...nothing,
      status: 403,
      code: 'notHere',
      holders: stranger,
    })
    assert.deepEqual(await ask(HOST), { ...nothing, status: 403, code: 'listed', holders: HOST })
    const nested = await ask([HOST, stranger])
    assert.deepEqual([nested.code, nested.holders], ['notHere', `${HOST} ${stranger}`])
  })

  it('is that there is no such link, whatever it looked like', async () => {
    for (const link of [`lnk_${'0'.repeat(32)}`, 'lnk_short', '%3Cb%3E'])
      assert.deepEqual(await ask(HOST, `/link/frame/${link}`), {
        ...nothing,
        status: 404,
        code: 'unknownLink',
        holders: HOST,
      })
  })

  it('is told to nobody whose name is no origin', async () => {
    for (const odd of ['', '*', 'null', 'https://*.example', `${HOST} https://a.example`, "'self'"])
      assert.equal((await ask(odd)).holders, "'none'", odd)
  })
})
