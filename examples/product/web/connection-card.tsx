import { useState } from 'react'
import type { Connection } from '../api.ts'
import { callApi } from './call-api.ts'
import { ConnectButton } from './connect-button.tsx'
import { TicketList } from './ticket-list.tsx'

const STATUSES: Readonly<Record<string, string>> = {
  active: 'Connected',
  pending: 'Being connected',
  needs_reauth: 'Reconnect to continue',
}

/** A connection, with its tickets while it works. */
export function ConnectionCard({ connection }: { readonly connection: Connection }) {
  const [error, setError] = useState('')
  const { id, name, status } = connection
  const path = `connections/${id}`
  const disconnect = () =>
    callApi('DELETE', path).catch((reason: Error) => setError(reason.message))

  return (
    <article className="card">
      <h2>{name}</h2>
      <p className={`status ${status}`}>
        {STATUSES[status] ?? 'Interrupted: we retry by ourselves'}
      </p>
      {status === 'active' && <TicketList path={`${path}/tickets`} />}
      <div className="buttons">
        <ConnectButton
          path={`${path}/reconnect`}
          className={status === 'needs_reauth' ? 'primary' : ''}
        >
          Reconnect
        </ConnectButton>
        <button type="button" className="danger" onClick={disconnect}>
          Disconnect
        </button>
      </div>
      {error && <p role="alert">{error}</p>}
    </article>
  )
}
