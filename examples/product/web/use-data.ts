import { useCallback, useEffect, useState } from 'react'
import { callApi } from './call-api.ts'

/** Data of our backend, undefined while it loads for the first time. `load` loads it again. */
export function useData<Data>(path: string) {
  const [data, setData] = useState<Data>()
  const [error, setError] = useState('')
  const load = useCallback(() => {
    const showData = (loaded: Data) => {
      setData(loaded)
      setError('')
    }
    callApi<Data>('GET', path).then(showData, (reason: Error) => setError(reason.message))
  }, [path])
  useEffect(load, [load])
  return { data, error, load }
}
