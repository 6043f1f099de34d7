import { Readable } from 'node:stream'
import type { IntegrationAccount } from './schemas/account.ts'

/**
 * A JSON array of accounts, written chunk by chunk in bounded memory. An error while streaming destroys the socket,
 * so that clients never mistake a truncated list for a complete one.
 *
 * @param serialize serializes one account with the response schema, which lists the allowed fields
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
