import { BaseIntegration } from '@poozle/engine-idk'
import axios from 'axios'
import { booksSpec } from './spec.ts'

/** The config of an Acme Books account. OAuth provides `refresh_token` and the client, a person `api_key`. */
export interface BooksConfig {
  readonly authType: string
  readonly base_url: string
  readonly subdomain: string
  readonly region: string
  readonly api_key?: string
  readonly client_id?: string
  readonly client_secret?: string
  readonly refresh_token?: string
}

/** Acme Books, accounting, connected with OAuth 2 or an API key. */
class AcmeBooks extends BaseIntegration {
  override async spec() {
    return booksSpec
  }

  override async check(config: BooksConfig) {
    try {
      const { Authorization, 'X-Books-Region': region } = await this.authHeaders(config)
      if (!Authorization)
        return { status: false, error: 'Acme Books no longer accepts this login.' }
      const url = `${config.base_url}/${config.subdomain}/api/account`
      const headers = { Authorization, 'X-Books-Region': region }
      const account = await axios({ method: 'GET', url, headers })
      if (account.data.subdomain === config.subdomain) return { status: true, error: '' }
      return { status: false, error: 'This login belongs to other books.', field: 'subdomain' }
    } catch (error) {
      return { status: false, error: error instanceof Error ? error.message : String(error) }
    }
  }
}

export default async function main(command: string, params: unknown) {
  return new AcmeBooks().runCommand(command, params)
}
