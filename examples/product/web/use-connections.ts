import { useEffect } from 'react'
import type { Connection } from '../api.ts'
import { useData } from './use-data.ts'

/** The connections of the customer. They are loaded again when a webhook has arrived. */
export function useConnections() {
  const { data, error, load } = useData<readonly Connection[]>('connections')
  useEffect(() => {
    const changes = new EventSource('/api/changes')
    // Also when it has opened, because something may have changed before.
    changes.onopen = load
    changes.onmessage = load
    return () => changes.close()
  }, [load])
  return { connections: data, error }
}
