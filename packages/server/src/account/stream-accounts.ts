import { Readable } from 'node:stream'
import type { IntegrationAccount } from './wire/account.ts'

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
  return Readable.from(texts(accounts, serialize), { objectMode: false })
}

async function* texts(
  accounts: AsyncIterable<IntegrationAccount[]>,
  serialize: (account: IntegrationAccount) => string,
): AsyncGenerator<string> {
  let before = '['
  for await (const some of accounts) {
    if (some.length === 0) continue
    yield before + some.map(serialize).join(',')
    before = ','
  }
  yield before === '[' ? '[]' : ']'
}
