import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { streamAccounts } from './list-accounts.ts'
import type { IntegrationAccount } from './schemas/account.ts'

const account = (integrationAccountName: string) =>
  ({ integrationAccountName }) as IntegrationAccount

async function streamResponse(
  accounts: () => AsyncGenerator<IntegrationAccount[]>,
): Promise<Response> {
  const app = Fastify()
  app.get('/', async (_request, reply) => reply.send(streamAccounts(accounts(), JSON.stringify)))
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  try {
    const response = await fetch(url)
    const body = await response.text()
    return new Response(body)
  } finally {
    await app.close()
  }
}

describe('streamAccounts', () => {
  it('streamAccounts writes one JSON array, whatever the chunk sizes', async () => {
    const response = await streamResponse(async function* () {
      yield []
      yield [account('a'), account('b')]
      yield []
      yield [account('c')]
    })
    assert.deepEqual(await response.json(), [account('a'), account('b'), account('c')])
  })

  it('streamAccounts writes an empty array without chunks', async () => {
    const response = await streamResponse(async function* () {
      yield []
    })
    assert.equal(await response.text(), '[]')
  })

  it('streamAccounts destroys the stream on an error, so that a truncated list is not mistaken for a complete one', async () => {
    const partial = streamResponse(async function* () {
      yield [account('a')]
      await new Promise((resolve) => setTimeout(resolve, 20))
      throw new Error('the database went away')
    })
    await assert.rejects(partial, TypeError)
  })
})
