/** What the backend sends to the page. */

/** A connected account, without anything that only the backend has to know. */
export interface Connection {
  readonly id: string
  readonly name: string
  /** `active`, or why it cannot be used now. Newer versions of Linchpin may have more values. */
  readonly status: string
}

/** The options with which the page opens the connect page. The token is for this customer, and for half an hour. */
export interface ConnectPage {
  readonly baseURL: string
  readonly token: string
}

/** A ticket of the connected tool. */
export interface Ticket {
  readonly id: string
  readonly title: string
  readonly status: string
}
