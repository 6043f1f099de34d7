import type { Ticket } from '../api.ts'
import { useData } from './use-data.ts'

/** The tickets of a connection, fresh from the tool. */
export function TicketList({ path }: { readonly path: string }) {
  const { data: tickets, error, load } = useData<readonly Ticket[]>(path)

  if (error)
    return (
      <>
        <p role="alert">{error}</p>
        <button type="button" onClick={load}>
          Try again
        </button>
      </>
    )
  if (tickets === undefined) return <p role="status">Loading the tickets …</p>
  return (
    <ul>
      {tickets.map(({ id, title, status }) => (
        <li key={id}>
          <span>{title}</span>
          <small>{status}</small>
        </li>
      ))}
    </ul>
  )
}
