import { Readable } from 'node:stream'
import type { IntegrationAccount } from './schemas/account.ts'

/**
 * A JSON array of accounts, written chunk by chunk in bounded memory. A failure on the way destroys the socket, so
 * that nobody takes half a list for a whole one.
 *
 * @param serialize writes one account through the whitelist of its schema
 */
export function streamAccounts(
  accounts: AsyncIterable<IntegrationAccount[]>,
  serialize: (account: IntegrationAccount) => string,
): Readable {
  return Readable.from(jsonChunks(accounts, serialize), { objectMode: false })
}

async function* jsonChunks(
  accounts: AsyncIterable<IntegrationAccount[]>,
  serialize: (account: IntegrationAccount) => string,
): AsyncGenerator<string> {
  let separator = '['
  for await (const batch of accounts) {
    if (batch.length === 0) continue
    yield separator + batch.map(serialize).join(',')
    separator = ','
  }
  yield separator === '[' ? '[]' : ']'
}
