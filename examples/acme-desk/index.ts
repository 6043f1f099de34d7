import { BaseIntegration, ProxyPath } from '@poozle/engine-idk'
import axios from 'axios'
import { deskSpec } from './spec.ts'
import { TicketsPath } from './tickets-path.ts'

/** The fields that a person fills in to connect Acme Desk. */
export interface DeskConfig {
  readonly api_key: string
  readonly base_url?: string
  readonly authType?: string
}

/** Acme Desk, an issue tracker, connected with an API key. */
class AcmeDesk extends BaseIntegration {
  override async spec() {
    return deskSpec
  }

  override async check(config: DeskConfig) {
    try {
      const headers = await this.authHeaders(config)
      await axios.get(`${baseUrl(config)}/api/me`, { headers })
      return { status: true, error: '' }
    } catch (error) {
      if (axios.isAxiosError(error) && error.response?.status === 401) return KEY_REJECTED
      return { status: false, error: error instanceof Error ? error.message : String(error) }
    }
  }

  override paths() {
    // The published types of ProxyPath lack its inherited constructor.
    const proxy = Reflect.construct(ProxyPath, [/^\/?proxy$/, ['GET', 'POST']])
    return [new TicketsPath(baseUrl), proxy]
  }
}

const KEY_REJECTED = {
  status: false,
  error: 'Acme Desk did not accept this API key.',
  field: 'api_key',
  hint: 'Make a new key under Settings, API keys.',
}

function baseUrl(config: DeskConfig): string {
  return (config.base_url ?? 'https://desk.acme.example').replace(/\/+$/, '')
}

export default async function main(command: string, params: unknown) {
  return new AcmeDesk().runCommand(command, params)
}
