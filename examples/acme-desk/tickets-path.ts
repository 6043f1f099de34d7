import { BasePath } from '@poozle/engine-idk'
import axios, { type AxiosHeaders } from 'axios'
import type { DeskConfig } from './index.ts'

/** `GET /tickets`: the desk's tickets in the common format of ticketing integrations. */
export class TicketsPath extends BasePath {
  readonly baseUrl: (config: DeskConfig) => string

  constructor(baseUrl: (config: DeskConfig) => string) {
    super(/^\/?tickets$/, 'GET')
    this.baseUrl = baseUrl
  }

  override async run(_method: string, headers: AxiosHeaders, _params: unknown, config: DeskConfig) {
    const { data } = await axios.get<DeskTickets>(`${this.baseUrl(config)}/api/tickets`, {
      headers,
    })
    return {
      data: data.tickets.map((raw) => ({ id: raw.id, name: raw.title, status: raw.state, raw })),
    }
  }
}

interface DeskTickets {
  readonly tickets: readonly {
    readonly id: string
    readonly title: string
    readonly state: string
  }[]
}
