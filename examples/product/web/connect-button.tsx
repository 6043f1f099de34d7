import { useLink } from '@linchpin/client/react'
import { type ReactNode, useEffect, useState } from 'react'
import type { ConnectPage } from '../api.ts'
import { callApi } from './call-api.ts'

interface Props {
  /** The address of our backend that creates a connect session. */
  readonly path: string
  readonly className?: string
  readonly children: ReactNode
}

/** Opens the connect page over this page: for a new connection, or to reconnect one. */
export function ConnectButton({ path, className, children }: Props) {
  const [page, setPage] = useState<ConnectPage>()
  const [error, setError] = useState('')
  const link = useLink({
    baseURL: page?.baseURL ?? '',
    token: page?.token,
    onExit: () => setPage(undefined),
  })
  useEffect(() => {
    if (link.ready) link.open()
  }, [link.ready, link.open])
  const start = () =>
    callApi<ConnectPage>('POST', path).then(setPage, (reason: Error) => setError(reason.message))

  const message = link.error?.displayMessage ?? error
  return (
    <>
      <button type="button" className={className} onClick={start}>
        {children}
      </button>
      {message && <p role="alert">{message}</p>}
    </>
  )
}
