import { useState } from 'react'
import type { Connection, Ticket } from '../api.ts'
import { callApi } from './call-api.ts'
import { ConnectButton } from './connect-button.tsx'

const STATUSES: Readonly<Record<string, string>> = {
  active: 'Connected',
  pending: 'Being connected',
  needs_reauth: 'Reconnect to continue',
}

/** A connection, with its tickets on request. */
export function ConnectionCard({ connection }: { readonly connection: Connection }) {
  const [tickets, setTickets] = useState<readonly Ticket[]>()
  const [error, setError] = useState('')
  const { id, name, status } = connection
  const path = `connections/${id}`
  const attempt = (action: Promise<unknown>) => {
    setError('')
    action.catch((reason: Error) => setError(reason.message))
  }
  const showTickets = () =>
    attempt(callApi<readonly Ticket[]>('GET', `${path}/tickets`).then(setTickets))
  const disconnect = () => attempt(callApi('DELETE', path))

  return (
    <article className="card">
      <h2>{name}</h2>
      <p className={`status ${status}`}>
        {STATUSES[status] ?? 'Interrupted: we retry by ourselves'}
      </p>
      <div className="buttons">
        <button type="button" onClick={showTickets}>
          Show tickets
        </button>
        <ConnectButton path={`${path}/reconnect`}>Reconnect</ConnectButton>
        <button type="button" className="danger" onClick={disconnect}>
          Disconnect
        </button>
      </div>
      {error && <p role="alert">{error}</p>}
      {tickets && <TicketList tickets={tickets} />}
    </article>
  )
}

function TicketList({ tickets }: { readonly tickets: readonly Ticket[] }) {
  if (tickets.length === 0) return <p>There are no tickets.</p>
  return (
    <ul>
      {tickets.map(({ id, title, state }) => (
        <li key={id}>
          <span>{title}</span>
          <small>
            {id} · {state}
          </small>
        </li>
      ))}
    </ul>
  )
}
