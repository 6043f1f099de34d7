import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import type { AccountPage } from './account-page-store.ts'
import { streamPages } from './list-accounts.ts'

const account = (integrationAccountName: string) => ({ integrationAccountName })

type Page = Pick<AccountPage, 'json' | 'count'>

const toPage = (...accounts: object[]): Page => ({
  json: JSON.stringify(accounts),
  count: accounts.length,
})

async function streamResponse(pages: () => AsyncGenerator<Page>): Promise<Response> {
  const app = Fastify()
  app.get('/', async (_request, reply) => reply.send(streamPages(pages())))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  try {
    const response = await fetch(url)
    const body = await response.text()
    return new Response(body)
  } finally {
    await app.close()
  }
}

describe('streamPages', () => {
  it('streamPages writes one JSON array, whatever the sizes of the pages, of text or bytes', async () => {
    const response = await streamResponse(async function* () {
      yield toPage()
      yield toPage(account('a'), account('b'))
      yield toPage()
      yield { ...toPage(account('c')), json: Buffer.from(JSON.stringify([account('c')])) }
    })
    assert.deepEqual(await response.json(), [account('a'), account('b'), account('c')])
  })

  it('streamPages writes an empty array without accounts', async () => {
    const response = await streamResponse(async function* () {
      yield toPage()
    })
    assert.equal(await response.text(), '[]')
  })

  it('streamPages destroys the stream on an error, so that a truncated list is not mistaken for a complete one', async () => {
    const partial = streamResponse(async function* () {
      yield toPage(account('a'))
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw new Error('the database went away')
    })
    await assert.rejects(partial, TypeError)
  })
})
