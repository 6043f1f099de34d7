import { useCallback, useEffect, useState } from 'react'
import type { Connection } from '../api.ts'
import { callApi } from './call-api.ts'

// #region use-connections
/** The connections of the customer, undefined while they load. They are loaded again when a webhook has arrived. */
export function useConnections() {
  const [connections, setConnections] = useState<readonly Connection[]>()
  const [error, setError] = useState('')
  const load = useCallback(
    () =>
      callApi<readonly Connection[]>('GET', 'connections').then(
        (loaded) => {
          setConnections(loaded)
          setError('')
        },
        (reason: Error) => setError(reason.message),
      ),
    [],
  )
  useEffect(() => {
    const changes = new EventSource('/api/changes')
    // Also when it has opened, because something may have changed before.
    changes.onopen = load
    changes.onmessage = load
    return () => changes.close()
  }, [load])
  return { connections, error }
}
// #endregion
