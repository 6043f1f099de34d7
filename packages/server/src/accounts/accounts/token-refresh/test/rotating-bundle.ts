/**
 * A bundle as built by the older kit: HEADERS calls the token endpoint itself and returns `refresh-token` and `expiry`
 * beside the headers, or nothing when that fails. CHECK does the same, and fails afterwards if the field `mood` is set.
 */
export function createRotatingBundle(spec: unknown): string {
  return `
const spec = ${JSON.stringify(spec)}
async function headers(config) {
  try {
    const { refresh_token, client_id = 'none', client_secret = 'none' } = config
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token, client_id, client_secret })
    const response = await fetch(spec.auth_specification.OAuth2.token_url, { method: 'POST', body: String(body), headers: { 'content-type': 'application/x-www-form-urlencoded' } })
    if (!response.ok) throw new Error('refused')
    const tokens = await response.json()
    return {
      'x-desk': String(config.desk),
      Authorization: 'Bearer ' + tokens.access_token,
      'refresh-token': tokens.refresh_token ?? '',
      expiry: String(tokens.expires_in),
    }
  } catch { return {} }
}
exports.default = async (command, params) => {
  if (command === 'SPEC') return spec
  if (command === 'HEADERS') return headers(params.config)
  if (command === 'CHECK') {
    const { Authorization } = await headers(params.config)
    const { mood } = params.config
    if (mood === 'throws') throw new Error('thrown')
    if (mood === 'spins') for (;;);
    return { status: Authorization !== undefined && mood !== 'refuses', error: 'refused' }
  }
  return { status: false, error: 'Command not found' }
}
`
}

/** A bundle whose HEADERS sends no requests. */
export function createOfflineBundle(spec: unknown): string {
  return `
const spec = ${JSON.stringify(spec)}
exports.default = async (command, params) => {
  if (command === 'SPEC') return spec
  const { access_token, client_id } = params.config
  if (command === 'HEADERS') return { Authorization: 'Bearer ' + access_token, 'x-client': client_id }
  throw new Error('Command not found')
}
`
}
