import { isLinchpinError, type Linchpin } from '@linchpin/sdk'
import type { Connection, ConnectPage, Ticket } from '../api.ts'
import type { Customer } from '../customers.ts'

/** The tools that customers can connect, by their keys. */
const TOOLS = ['acme_sandbox']

/** There is no such connection, or it belongs to another customer: both look the same. */
export class ConnectionNotFound extends Error {}

/** What customers do with their connections. Each method takes the customer that is signed in. */
export class Connections {
  readonly #linchpin: Linchpin
  /** Where browsers reach Linchpin. */
  readonly #baseURL: string

  constructor(linchpin: Linchpin, baseURL: string) {
    this.#linchpin = linchpin
    this.#baseURL = baseURL
  }

  async list(customer: Customer): Promise<Connection[]> {
    const connections: Connection[] = []
    for await (const account of this.#linchpin.accounts.list({ accountIdentifier: customer.id }))
      connections.push({
        id: account.integrationAccountId,
        name: account.integrationAccountName,
        status: account.status,
      })
    return connections
  }

  async connect(customer: Customer): Promise<ConnectPage> {
    const { token } = await this.#linchpin.connectSessions.create({
      accountIdentifier: customer.id,
      integrationDefinitionIds: TOOLS,
    })
    return { baseURL: this.#baseURL, token }
  }

  async reconnect(customer: Customer, id: string): Promise<ConnectPage> {
    await this.#requireOwn(customer, id)
    const { token } = await this.#linchpin.connectSessions.create({ integrationAccountId: id })
    return { baseURL: this.#baseURL, token }
  }

  async disconnect(customer: Customer, id: string): Promise<void> {
    await this.#requireOwn(customer, id)
    await this.#linchpin.accounts.delete(id)
  }

  async listTickets(customer: Customer, id: string): Promise<Ticket[]> {
    await this.#requireOwn(customer, id)
    const response = await this.#linchpin.account(id).fetch('/tickets')
    if (!response.ok) throw new Error(`The tool responded with ${response.status}.`)
    const { tickets } = (await response.json()) as { tickets: Ticket[] }
    return tickets
  }

  async #requireOwn(customer: Customer, id: string): Promise<void> {
    try {
      const account = await this.#linchpin.accounts.get(id)
      if (account.accountIdentifier === customer.id && account.deleted === null) return
    } catch (error) {
      if (!isLinchpinError(error, 'integration_account_not_found')) throw error
    }
    throw new ConnectionNotFound()
  }
}
