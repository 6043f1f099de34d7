/** Calls our own backend: the browser has no token of Linchpin. @throws Error with a message for the customer */
export async function callApi<Data>(
  method: 'DELETE' | 'GET' | 'POST',
  path: string,
  body?: object,
): Promise<Data> {
  const request = body === undefined ? { method } : { method, body: JSON.stringify(body) }
  const response = await fetch(`/api/${path}`, request).catch(() => {
    throw new Error('Ticket Board cannot be reached. Check your connection and try again.')
  })
  const data = await response.json()
  if (!response.ok) throw new Error(data.error)
  return data
}
