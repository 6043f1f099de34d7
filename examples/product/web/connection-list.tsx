import { ConnectButton } from './connect-button.tsx'
import { ConnectionCard } from './connection-card.tsx'
import { useConnections } from './use-connections.ts'

/** What a customer has connected, and a button to connect more. */
export function ConnectionList() {
  const { connections, error } = useConnections()

  return (
    <>
      <h1>Your connections</h1>
      {error && <p role="alert">{error}</p>}
      {connections?.length === 0 && (
        <section className="card empty">
          <p>Connect the tool in which your team keeps its tickets, and see them here.</p>
        </section>
      )}
      {connections?.map((connection) => (
        <ConnectionCard key={connection.id} connection={connection} />
      ))}
      {connections && (
        <ConnectButton path="connections" className="primary">
          {connections.length === 0 ? 'Connect a tool' : 'Connect another tool'}
        </ConnectButton>
      )}
    </>
  )
}
