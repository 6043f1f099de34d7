/** A response's body: its JSON, or its text if it is not JSON. */
export async function readBody(response: Response): Promise<unknown> {
  const body = await response.text()
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}
